# SPDX-License-Identifier: Apache-2.0
BASE_TESTS = \
	%D%/test_buf.c \
	%D%/test_calendar.c \
	%D%/test_clock.c \
	%D%/test_compress.c \
	%D%/test_date.c \
	%D%/test_error.c \
	%D%/test_fd.c \
	%D%/test_format.c \
	%D%/test_hash.c \
	%D%/test_json.c \
	%D%/test_log.c \
	%D%/test_parse.c \
	%D%/test_zone.c
UNIT_TESTS += $(BASE_TESTS)
check_PROGRAMS += tests/unit/base/run
tests_unit_base_run_SOURCES = $(BASE_TESTS) $(UNIT_MAIN) %D%/tzif_file.h
tests_unit_base_run_LDADD = libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
