# SPDX-License-Identifier: Apache-2.0
# The present holds what is normal, which asks the store: whatever tests it links nearly all.
DAEMON_TESTS = \
	%D%/test_admission.c \
	%D%/test_control_peers.c \
	%D%/test_custom_alarms.c \
	%D%/test_exclusion.c \
	%D%/test_grouping.c \
	%D%/test_launch.c \
	%D%/test_live.c \
	%D%/test_live_calendar.c \
	%D%/test_live_plan.c \
	%D%/test_normal.c \
	%D%/test_options.c \
	%D%/test_outbox.c \
	%D%/test_pipeline.c \
	%D%/test_sampler.c \
	%D%/test_schedule.c \
	%D%/test_seen.c \
	%D%/test_stuck.c \
	%D%/test_tend.c
UNIT_TESTS += $(DAEMON_TESTS)
check_PROGRAMS += tests/unit/daemon/run
tests_unit_daemon_run_SOURCES = $(DAEMON_TESTS) $(UNIT_MAIN)
tests_unit_daemon_run_LDADD = $(repoprobed_LDADD) $(CMOCKA_LIBS)
