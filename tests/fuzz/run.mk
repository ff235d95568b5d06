# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_run
FUZZ_TESTS += tests/fuzz/fuzz_run
tests_fuzz_fuzz_run_SOURCES = tests/fuzz/fuzz_run.c tests/fuzz/place.h $(FUZZ_MAIN)
tests_fuzz_fuzz_run_LDADD = libreport.a libstore.a libwire.a libalarm.a libmodel.a libbase.a \
	$(SQLITE_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
tests_fuzz_fuzz_run_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/run
