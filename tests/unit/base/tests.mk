# SPDX-License-Identifier: Apache-2.0
BASE_TESTS = \
	tests/unit/base/test_buf \
	tests/unit/base/test_calendar \
	tests/unit/base/test_clock \
	tests/unit/base/test_compress \
	tests/unit/base/test_date \
	tests/unit/base/test_error \
	tests/unit/base/test_fd \
	tests/unit/base/test_format \
	tests/unit/base/test_hash \
	tests/unit/base/test_json \
	tests/unit/base/test_log \
	tests/unit/base/test_parse \
	tests/unit/base/test_zone
check_PROGRAMS += $(BASE_TESTS)
UNIT_TESTS += $(BASE_TESTS)

BASE_TEST_LIBS = libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
tests_unit_base_test_buf_SOURCES = %D%/test_buf.c
tests_unit_base_test_buf_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_calendar_SOURCES = %D%/test_calendar.c
tests_unit_base_test_calendar_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_clock_SOURCES = %D%/test_clock.c
tests_unit_base_test_clock_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_compress_SOURCES = %D%/test_compress.c
tests_unit_base_test_compress_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_date_SOURCES = %D%/test_date.c
tests_unit_base_test_date_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_error_SOURCES = %D%/test_error.c
tests_unit_base_test_error_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_fd_SOURCES = %D%/test_fd.c
tests_unit_base_test_fd_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_format_SOURCES = %D%/test_format.c
tests_unit_base_test_format_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_hash_SOURCES = %D%/test_hash.c
tests_unit_base_test_hash_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_json_SOURCES = %D%/test_json.c
tests_unit_base_test_json_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_log_SOURCES = %D%/test_log.c
tests_unit_base_test_log_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_parse_SOURCES = %D%/test_parse.c
tests_unit_base_test_parse_LDADD = $(BASE_TEST_LIBS)
tests_unit_base_test_zone_SOURCES = %D%/test_zone.c %D%/tzif_file.h
tests_unit_base_test_zone_LDADD = $(BASE_TEST_LIBS)
