# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_pressure
FUZZ_TESTS += tests/fuzz/fuzz_pressure
tests_fuzz_fuzz_pressure_SOURCES = tests/fuzz/fuzz_pressure.c $(FUZZ_MAIN)
tests_fuzz_fuzz_pressure_LDADD = libmodel.a libbase.a
tests_fuzz_fuzz_pressure_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/pressure
