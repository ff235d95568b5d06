# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_mute_time
FUZZ_TESTS += tests/fuzz/fuzz_mute_time
tests_fuzz_fuzz_mute_time_SOURCES = tests/fuzz/fuzz_mute_time.c $(FUZZ_MAIN)
tests_fuzz_fuzz_mute_time_LDADD = libalarm.a libmodel.a libbase.a
tests_fuzz_fuzz_mute_time_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/mute_time
