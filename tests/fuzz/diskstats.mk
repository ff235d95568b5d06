# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_diskstats
FUZZ_TESTS += tests/fuzz/fuzz_diskstats
tests_fuzz_fuzz_diskstats_SOURCES = tests/fuzz/fuzz_diskstats.c $(FUZZ_MAIN)
tests_fuzz_fuzz_diskstats_LDADD = libmodel.a libbase.a
tests_fuzz_fuzz_diskstats_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/diskstats
