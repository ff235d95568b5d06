# SPDX-License-Identifier: Apache-2.0
CORE_TESTS = \
	%D%/test_admission.c \
	%D%/test_custom_alarms.c \
	%D%/test_exclusion.c \
	%D%/test_grouping.c \
	%D%/test_outbox.c \
	%D%/test_plan.c \
	%D%/test_plan_calendar.c \
	%D%/test_present.c \
	%D%/test_schedule.c \
	%D%/test_seen.c
UNIT_TESTS += $(CORE_TESTS)
check_PROGRAMS += tests/unit/core/run
tests_unit_core_run_SOURCES = $(CORE_TESTS) $(UNIT_MAIN)
tests_unit_core_run_LDADD = libcore.a libreport.a libconfig.a libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
