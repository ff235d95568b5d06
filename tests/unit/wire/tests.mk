# SPDX-License-Identifier: Apache-2.0
WIRE_TESTS = \
	%D%/test_examination.c \
	%D%/test_wire_job.c \
	%D%/test_wire_result.c
UNIT_TESTS += $(WIRE_TESTS)
check_PROGRAMS += tests/unit/wire/run
tests_unit_wire_run_SOURCES = $(WIRE_TESTS) $(UNIT_MAIN) %D%/fixture.c %D%/fixture.h
tests_unit_wire_run_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
