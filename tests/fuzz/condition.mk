# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_condition
FUZZ_TESTS += tests/fuzz/fuzz_condition
tests_fuzz_fuzz_condition_SOURCES = tests/fuzz/fuzz_condition.c $(FUZZ_MAIN)
tests_fuzz_fuzz_condition_LDADD = libalarm.a libmodel.a libbase.a
tests_fuzz_fuzz_condition_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/condition
