# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/wire/test_wire_job
UNIT_TESTS += tests/unit/wire/test_wire_job
tests_unit_wire_test_wire_job_SOURCES = %D%/test_wire_job.c %D%/fixture.c %D%/fixture.h
tests_unit_wire_test_wire_job_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/unit/wire/test_wire_result
UNIT_TESTS += tests/unit/wire/test_wire_result
tests_unit_wire_test_wire_result_SOURCES = %D%/test_wire_result.c %D%/fixture.c %D%/fixture.h
tests_unit_wire_test_wire_result_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/unit/wire/test_examination
UNIT_TESTS += tests/unit/wire/test_examination
tests_unit_wire_test_examination_SOURCES = %D%/test_examination.c
tests_unit_wire_test_examination_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS)
