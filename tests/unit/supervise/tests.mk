# SPDX-License-Identifier: Apache-2.0
# Starts the worker that was built.
SUPERVISE_TESTS = \
	%D%/test_life.c \
	%D%/test_notes.c \
	%D%/test_process.c \
	%D%/test_reading.c
UNIT_TESTS += $(SUPERVISE_TESTS)
check_PROGRAMS += tests/unit/supervise/run
tests_unit_supervise_run_SOURCES = $(SUPERVISE_TESTS) $(UNIT_MAIN)
EXTRA_tests_unit_supervise_run_DEPENDENCIES = repoprobe-worker$(EXEEXT)
tests_unit_supervise_run_LDADD = libsupervise.a libwire.a libmodel.a libbase.a $(CMOCKA_LIBS)
