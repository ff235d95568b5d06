# SPDX-License-Identifier: Apache-2.0
CLI_TEST_LIBS = libcli.a libsupervise.a libwire.a libstore.a libreport.a libconfig.a libalarm.a \
	libmodel.a libbase.a $(CMOCKA_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm

check_PROGRAMS += tests/unit/cli/test_options tests/unit/cli/test_run_options \
	tests/unit/cli/test_control tests/unit/cli/test_table tests/unit/cli/test_status \
	tests/unit/cli/test_commands
tests_unit_cli_test_options_SOURCES = %D%/test_options.c
tests_unit_cli_test_options_LDADD = $(CLI_TEST_LIBS)
tests_unit_cli_test_run_options_SOURCES = %D%/test_run_options.c
tests_unit_cli_test_run_options_LDADD = $(CLI_TEST_LIBS)
tests_unit_cli_test_control_SOURCES = %D%/test_control.c
tests_unit_cli_test_control_LDADD = $(CLI_TEST_LIBS)
tests_unit_cli_test_table_SOURCES = %D%/test_table.c
tests_unit_cli_test_table_LDADD = $(CLI_TEST_LIBS)
tests_unit_cli_test_status_SOURCES = %D%/test_status.c
tests_unit_cli_test_status_LDADD = $(CLI_TEST_LIBS)
tests_unit_cli_test_commands_SOURCES = %D%/test_commands.c
tests_unit_cli_test_commands_LDADD = $(CLI_TEST_LIBS)

UNIT_TESTS += tests/unit/cli/test_options tests/unit/cli/test_run_options \
	tests/unit/cli/test_control tests/unit/cli/test_table tests/unit/cli/test_status \
	tests/unit/cli/test_commands

check_PROGRAMS += tests/unit/cli/test_check
UNIT_TESTS += tests/unit/cli/test_check
tests_unit_cli_test_check_SOURCES = %D%/test_check.c
tests_unit_cli_test_check_LDADD = $(CLI_TEST_LIBS)

check_PROGRAMS += tests/unit/cli/test_replay
UNIT_TESTS += tests/unit/cli/test_replay
tests_unit_cli_test_replay_SOURCES = %D%/test_replay.c
tests_unit_cli_test_replay_LDADD = $(CLI_TEST_LIBS)

check_PROGRAMS += tests/unit/cli/test_daemon_state
UNIT_TESTS += tests/unit/cli/test_daemon_state
tests_unit_cli_test_daemon_state_SOURCES = %D%/test_daemon_state.c
tests_unit_cli_test_daemon_state_LDADD = $(CLI_TEST_LIBS)
