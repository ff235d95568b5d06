# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_json
FUZZ_TESTS += tests/fuzz/fuzz_json
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c $(FUZZ_MAIN)
tests_fuzz_fuzz_json_LDADD = libbase.a $(JANSSON_LIBS)
tests_fuzz_fuzz_json_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/json
