# SPDX-License-Identifier: Apache-2.0
ALARM_TESTS = \
	%D%/test_alarm.c \
	%D%/test_baseline.c \
	%D%/test_condition.c \
	%D%/test_custom.c \
	%D%/test_custom_rules.c \
	%D%/test_limit.c \
	%D%/test_mute_time.c \
	%D%/test_numbers.c \
	%D%/test_rules.c \
	%D%/test_run_rules.c \
	%D%/test_sample_code.c \
	%D%/test_stalls.c
UNIT_TESTS += $(ALARM_TESTS)
check_PROGRAMS += tests/unit/alarm/run
tests_unit_alarm_run_SOURCES = $(ALARM_TESTS) $(UNIT_MAIN) %D%/fixture.c %D%/fixture.h
tests_unit_alarm_run_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
