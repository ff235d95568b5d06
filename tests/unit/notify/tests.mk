# SPDX-License-Identifier: Apache-2.0
NOTIFY_TESTS = \
	%D%/test_journal.c \
	%D%/test_notify.c
UNIT_TESTS += $(NOTIFY_TESTS)
check_PROGRAMS += tests/unit/notify/run
tests_unit_notify_run_SOURCES = $(NOTIFY_TESTS) $(UNIT_MAIN)
tests_unit_notify_run_LDADD = libnotify.a libmodel.a libbase.a $(CMOCKA_LIBS) $(SYSTEMD_LIBS) \
	$(JANSSON_LIBS)
