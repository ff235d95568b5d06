# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_parse
FUZZ_TESTS += tests/fuzz/fuzz_parse
tests_fuzz_fuzz_parse_SOURCES = tests/fuzz/fuzz_parse.c $(FUZZ_MAIN)
tests_fuzz_fuzz_parse_LDADD = libbase.a
tests_fuzz_fuzz_parse_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/parse
