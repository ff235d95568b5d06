# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/alarm/test_alarm
UNIT_TESTS += tests/unit/alarm/test_alarm
tests_unit_alarm_test_alarm_SOURCES = %D%/test_alarm.c
tests_unit_alarm_test_alarm_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_condition
UNIT_TESTS += tests/unit/alarm/test_condition
tests_unit_alarm_test_condition_SOURCES = %D%/test_condition.c
tests_unit_alarm_test_condition_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/alarm/test_numbers
UNIT_TESTS += tests/unit/alarm/test_numbers
tests_unit_alarm_test_numbers_SOURCES = %D%/test_numbers.c
tests_unit_alarm_test_numbers_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_baseline
UNIT_TESTS += tests/unit/alarm/test_baseline
tests_unit_alarm_test_baseline_SOURCES = %D%/test_baseline.c
tests_unit_alarm_test_baseline_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_rules
UNIT_TESTS += tests/unit/alarm/test_rules
tests_unit_alarm_test_rules_SOURCES = %D%/test_rules.c %D%/fixture.c %D%/fixture.h
tests_unit_alarm_test_rules_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_limit
UNIT_TESTS += tests/unit/alarm/test_limit
tests_unit_alarm_test_limit_SOURCES = %D%/test_limit.c
tests_unit_alarm_test_limit_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_custom
UNIT_TESTS += tests/unit/alarm/test_custom
tests_unit_alarm_test_custom_SOURCES = %D%/test_custom.c
tests_unit_alarm_test_custom_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_custom_rules
UNIT_TESTS += tests/unit/alarm/test_custom_rules
tests_unit_alarm_test_custom_rules_SOURCES = %D%/test_custom_rules.c %D%/fixture.c %D%/fixture.h
tests_unit_alarm_test_custom_rules_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_run_rules
UNIT_TESTS += tests/unit/alarm/test_run_rules
tests_unit_alarm_test_run_rules_SOURCES = %D%/test_run_rules.c %D%/fixture.c %D%/fixture.h
tests_unit_alarm_test_run_rules_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_mute_time
UNIT_TESTS += tests/unit/alarm/test_mute_time
tests_unit_alarm_test_mute_time_SOURCES = %D%/test_mute_time.c
tests_unit_alarm_test_mute_time_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/alarm/test_sample_code
UNIT_TESTS += tests/unit/alarm/test_sample_code
tests_unit_alarm_test_sample_code_SOURCES = %D%/test_sample_code.c
tests_unit_alarm_test_sample_code_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)
