# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_histogram
FUZZ_TESTS += tests/fuzz/fuzz_histogram
tests_fuzz_fuzz_histogram_SOURCES = tests/fuzz/fuzz_histogram.c $(FUZZ_MAIN)
tests_fuzz_fuzz_histogram_LDADD = libmodel.a libbase.a
tests_fuzz_fuzz_histogram_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/histogram
