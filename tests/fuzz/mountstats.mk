# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_mountstats
FUZZ_TESTS += tests/fuzz/fuzz_mountstats
tests_fuzz_fuzz_mountstats_SOURCES = tests/fuzz/fuzz_mountstats.c $(FUZZ_MAIN)
tests_fuzz_fuzz_mountstats_LDADD = libmodel.a libbase.a
tests_fuzz_fuzz_mountstats_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/mountstats
