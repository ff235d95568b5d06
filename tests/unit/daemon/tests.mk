# SPDX-License-Identifier: Apache-2.0
# The present holds what is normal, which asks the store: whatever tests it links nearly all.
DAEMON_TEST_LIBS = $(repoprobed_LDADD) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/daemon/test_admission \
	tests/unit/daemon/test_control_peers \
	tests/unit/daemon/test_exclusion tests/unit/daemon/test_live tests/unit/daemon/test_options \
	tests/unit/daemon/test_live_calendar tests/unit/daemon/test_live_plan \
	tests/unit/daemon/test_mutes \
	tests/unit/daemon/test_normal \
	tests/unit/daemon/test_pipeline \
	tests/unit/daemon/test_sampler \
	tests/unit/daemon/test_schedule tests/unit/daemon/test_seen
UNIT_TESTS += tests/unit/daemon/test_admission \
	tests/unit/daemon/test_control_peers \
	tests/unit/daemon/test_exclusion tests/unit/daemon/test_live tests/unit/daemon/test_options \
	tests/unit/daemon/test_live_calendar tests/unit/daemon/test_live_plan \
	tests/unit/daemon/test_mutes \
	tests/unit/daemon/test_normal \
	tests/unit/daemon/test_pipeline \
	tests/unit/daemon/test_sampler \
	tests/unit/daemon/test_schedule tests/unit/daemon/test_seen

tests_unit_daemon_test_admission_SOURCES = %D%/test_admission.c
tests_unit_daemon_test_admission_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_control_peers_SOURCES = %D%/test_control_peers.c
tests_unit_daemon_test_control_peers_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_exclusion_SOURCES = %D%/test_exclusion.c
tests_unit_daemon_test_exclusion_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_live_SOURCES = %D%/test_live.c
tests_unit_daemon_test_live_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_live_calendar_SOURCES = %D%/test_live_calendar.c
tests_unit_daemon_test_live_calendar_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_mutes_SOURCES = %D%/test_mutes.c
tests_unit_daemon_test_mutes_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_live_plan_SOURCES = %D%/test_live_plan.c
tests_unit_daemon_test_live_plan_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_normal_SOURCES = %D%/test_normal.c
tests_unit_daemon_test_normal_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_test_pipeline_SOURCES = %D%/test_pipeline.c
tests_unit_daemon_test_pipeline_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_options_SOURCES = %D%/test_options.c
tests_unit_daemon_test_options_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_seen_SOURCES = %D%/test_seen.c
tests_unit_daemon_test_seen_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_schedule_SOURCES = %D%/test_schedule.c
tests_unit_daemon_test_schedule_LDADD = $(DAEMON_TEST_LIBS)

tests_unit_daemon_test_sampler_SOURCES = %D%/test_sampler.c
tests_unit_daemon_test_sampler_LDADD = $(DAEMON_TEST_LIBS)

check_PROGRAMS += tests/unit/daemon/test_stuck
UNIT_TESTS += tests/unit/daemon/test_stuck
tests_unit_daemon_test_stuck_SOURCES = %D%/test_stuck.c
tests_unit_daemon_test_stuck_LDADD = $(DAEMON_TEST_LIBS)

check_PROGRAMS += tests/unit/daemon/test_outbox
UNIT_TESTS += tests/unit/daemon/test_outbox
tests_unit_daemon_test_outbox_SOURCES = %D%/test_outbox.c
tests_unit_daemon_test_outbox_LDADD = $(DAEMON_TEST_LIBS)

check_PROGRAMS += tests/unit/daemon/test_grouping
UNIT_TESTS += tests/unit/daemon/test_grouping
tests_unit_daemon_test_grouping_SOURCES = %D%/test_grouping.c
tests_unit_daemon_test_grouping_LDADD = $(DAEMON_TEST_LIBS)

check_PROGRAMS += tests/unit/daemon/test_custom_alarms
UNIT_TESTS += tests/unit/daemon/test_custom_alarms
tests_unit_daemon_test_custom_alarms_SOURCES = %D%/test_custom_alarms.c
tests_unit_daemon_test_custom_alarms_LDADD = $(DAEMON_TEST_LIBS)

check_PROGRAMS += tests/unit/daemon/test_launch
UNIT_TESTS += tests/unit/daemon/test_launch
tests_unit_daemon_test_launch_SOURCES = %D%/test_launch.c
tests_unit_daemon_test_launch_LDADD = $(DAEMON_TEST_LIBS)
