# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_query
FUZZ_TESTS += tests/fuzz/fuzz_query
tests_fuzz_fuzz_query_SOURCES = tests/fuzz/fuzz_query.c $(FUZZ_MAIN)
tests_fuzz_fuzz_query_LDADD = libhttp.a libmodel.a libbase.a
tests_fuzz_fuzz_query_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/query
