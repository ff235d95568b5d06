# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/alarm/test_alarm
UNIT_TESTS += tests/unit/alarm/test_alarm
tests_unit_alarm_test_alarm_SOURCES = %D%/test_alarm.c
tests_unit_alarm_test_alarm_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/alarm/test_condition
UNIT_TESTS += tests/unit/alarm/test_condition
tests_unit_alarm_test_condition_SOURCES = %D%/test_condition.c
tests_unit_alarm_test_condition_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/alarm/test_mute_time
UNIT_TESTS += tests/unit/alarm/test_mute_time
tests_unit_alarm_test_mute_time_SOURCES = %D%/test_mute_time.c
tests_unit_alarm_test_mute_time_LDADD = libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS)
