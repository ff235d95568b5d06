# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_custom
FUZZ_TESTS += tests/fuzz/fuzz_custom
tests_fuzz_fuzz_custom_SOURCES = tests/fuzz/fuzz_custom.c $(FUZZ_MAIN)
tests_fuzz_fuzz_custom_LDADD = libalarm.a libmodel.a libbase.a
tests_fuzz_fuzz_custom_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/custom
