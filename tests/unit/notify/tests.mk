# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/notify/test_notify
UNIT_TESTS += tests/unit/notify/test_notify
tests_unit_notify_test_notify_SOURCES = %D%/test_notify.c
tests_unit_notify_test_notify_LDADD = libnotify.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(SYSTEMD_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/unit/notify/test_journal
UNIT_TESTS += tests/unit/notify/test_journal
tests_unit_notify_test_journal_SOURCES = %D%/test_journal.c
tests_unit_notify_test_journal_LDADD = libnotify.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(SYSTEMD_LIBS) $(JANSSON_LIBS)
