# SPDX-License-Identifier: Apache-2.0
# The real programs on real disks: needs root for most of it; see ./test.sh for the packages.
EXTRA_DIST += %D%/conftest.py \
	%D%/fail_nth.c \
	%D%/test_alarms.py \
	%D%/test_bad_directories.py \
	%D%/test_bad_rows.py \
	%D%/test_bounded.py \
	%D%/test_busy_database.py \
	%D%/test_calendar.py \
	%D%/test_check.py \
	%D%/test_config.py \
	%D%/test_custom_alarms.py \
	%D%/test_doctor.py \
	%D%/test_engine.py \
	%D%/test_export.py \
	%D%/test_facts.py \
	%D%/test_file_systems.py \
	%D%/test_first_result.py \
	%D%/test_formats.py \
	%D%/test_groups.py \
	%D%/test_hang.py \
	%D%/test_harmless.py \
	%D%/test_history.py \
	%D%/test_http.py \
	%D%/test_incidents.py \
	%D%/test_kill.py \
	%D%/test_lost_files.py \
	%D%/test_metrics.py \
	%D%/test_migration.py \
	%D%/test_own_trouble.py \
	%D%/test_parallel_runs.py \
	%D%/test_permissions.py \
	%D%/test_quickstart.py \
	%D%/test_replay.py \
	%D%/test_restart.py \
	%D%/test_rollup.py \
	%D%/test_run_cli.py \
	%D%/test_schedule.py \
	%D%/test_short_memory.py \
	%D%/test_slow_repository.py \
	%D%/test_store_faults.py \
	%D%/test_systemd.py \
	%D%/test_trust.py \
	%D%/without_uring.py

check_PROGRAMS += tests/integration/calendar_slots
tests_integration_calendar_slots_SOURCES = %D%/calendar_slots.c
tests_integration_calendar_slots_LDADD = libbase.a

# The daemon of a later version: with a migration more.
check_PROGRAMS += tests/integration/later_repoprobed
tests_integration_later_repoprobed_SOURCES = src/daemon/main.c tests/unit/migration/later_schema.c
tests_integration_later_repoprobed_LDADD = $(repoprobed_LDADD)

check-integration: all $(check_PROGRAMS)
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -m pytest -p no:cacheprovider -q -rs \
		$(top_srcdir)/tests/integration

.PHONY: check-integration
