# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_code_histogram
FUZZ_TESTS += tests/fuzz/fuzz_code_histogram
tests_fuzz_fuzz_code_histogram_SOURCES = tests/fuzz/fuzz_code_histogram.c $(FUZZ_MAIN)
tests_fuzz_fuzz_code_histogram_LDADD = libstore.a libmodel.a libbase.a $(SQLITE_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
tests_fuzz_fuzz_code_histogram_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/code_histogram
