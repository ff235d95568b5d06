# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_alarm_code
FUZZ_TESTS += tests/fuzz/fuzz_alarm_code
tests_fuzz_fuzz_alarm_code_SOURCES = tests/fuzz/fuzz_alarm_code.c $(FUZZ_MAIN)
tests_fuzz_fuzz_alarm_code_LDADD = libmodel.a libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
tests_fuzz_fuzz_alarm_code_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/alarm_code
