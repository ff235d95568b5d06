# SPDX-License-Identifier: Apache-2.0
DAEMON_TESTS = \
	%D%/test_control_peers.c \
	%D%/test_launch.c \
	%D%/test_normal_query.c \
	%D%/test_options.c \
	%D%/test_pipeline.c \
	%D%/test_sampler.c \
	%D%/test_stuck.c \
	%D%/test_tend.c
UNIT_TESTS += $(DAEMON_TESTS)
check_PROGRAMS += tests/unit/daemon/run
tests_unit_daemon_run_SOURCES = $(DAEMON_TESTS) $(UNIT_MAIN)
tests_unit_daemon_run_LDADD = $(repoprobed_LDADD) $(CMOCKA_LIBS)
