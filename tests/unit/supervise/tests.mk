# SPDX-License-Identifier: Apache-2.0
SUPERVISE_TEST_LIBS = libsupervise.a libwire.a libmodel.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/supervise/test_life
UNIT_TESTS += tests/unit/supervise/test_life
tests_unit_supervise_test_life_SOURCES = %D%/test_life.c
tests_unit_supervise_test_life_LDADD = $(SUPERVISE_TEST_LIBS)

check_PROGRAMS += tests/unit/supervise/test_reading
UNIT_TESTS += tests/unit/supervise/test_reading
tests_unit_supervise_test_reading_SOURCES = %D%/test_reading.c
tests_unit_supervise_test_reading_LDADD = $(SUPERVISE_TEST_LIBS)

# Starts the worker that was built.
check_PROGRAMS += tests/unit/supervise/test_process
UNIT_TESTS += tests/unit/supervise/test_process
tests_unit_supervise_test_process_SOURCES = %D%/test_process.c
tests_unit_supervise_test_process_LDADD = $(SUPERVISE_TEST_LIBS)
EXTRA_tests_unit_supervise_test_process_DEPENDENCIES = repoprobe-worker$(EXEEXT)

check_PROGRAMS += tests/unit/supervise/test_notes
UNIT_TESTS += tests/unit/supervise/test_notes
tests_unit_supervise_test_notes_SOURCES = %D%/test_notes.c
tests_unit_supervise_test_notes_LDADD = $(SUPERVISE_TEST_LIBS)
EXTRA_tests_unit_supervise_test_notes_DEPENDENCIES = repoprobe-worker$(EXEEXT)
