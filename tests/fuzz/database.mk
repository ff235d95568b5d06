# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_database
FUZZ_TESTS += tests/fuzz/fuzz_database
tests_fuzz_fuzz_database_SOURCES = tests/fuzz/fuzz_database.c tests/fuzz/place.h $(FUZZ_MAIN)
tests_fuzz_fuzz_database_LDADD = libstore.a libmodel.a libbase.a $(SQLITE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
tests_fuzz_fuzz_database_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/database
