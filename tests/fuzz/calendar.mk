# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_calendar tests/fuzz/fuzz_tzif
FUZZ_TESTS += tests/fuzz/fuzz_calendar tests/fuzz/fuzz_tzif
tests_fuzz_fuzz_calendar_SOURCES = tests/fuzz/fuzz_calendar.c $(FUZZ_MAIN)
tests_fuzz_fuzz_calendar_LDADD = libbase.a
tests_fuzz_fuzz_calendar_LDFLAGS = $(FUZZ_LINK_FLAGS)
tests_fuzz_fuzz_tzif_SOURCES = tests/fuzz/fuzz_tzif.c $(FUZZ_MAIN)
tests_fuzz_fuzz_tzif_LDADD = libbase.a
tests_fuzz_fuzz_tzif_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/calendar tests/fuzz/corpus/tzif
