# SPDX-License-Identifier: Apache-2.0
CLI_TESTS = \
	%D%/test_check.c \
	%D%/test_commands.c \
	%D%/test_control.c \
	%D%/test_daemon_state.c \
	%D%/test_options.c \
	%D%/test_replay.c \
	%D%/test_run_options.c \
	%D%/test_status.c \
	%D%/test_table.c
UNIT_TESTS += $(CLI_TESTS)
check_PROGRAMS += tests/unit/cli/run
tests_unit_cli_run_SOURCES = $(CLI_TESTS) $(UNIT_MAIN)
tests_unit_cli_run_LDADD = libcli.a libsupervise.a libwire.a libstore.a libreport.a libconfig.a libalarm.a \
	libmodel.a libbase.a $(CMOCKA_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
