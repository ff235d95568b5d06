# SPDX-License-Identifier: Apache-2.0
STORE_TESTS = \
	tests/unit/store/test_baseline \
	tests/unit/store/test_batch \
	tests/unit/store/test_bits \
	tests/unit/store/test_code \
	tests/unit/store/test_mute \
	tests/unit/store/test_rollup \
	tests/unit/store/test_schema \
	tests/unit/store/test_sql \
	tests/unit/store/test_write \
	tests/unit/store/test_read_alarm \
	tests/unit/store/test_read_identity \
	tests/unit/store/test_read_incident \
	tests/unit/store/test_read_run \
	tests/unit/store/test_reader \
	tests/unit/store/test_series \
	tests/unit/store/test_writer \
	tests/unit/store/test_crash \
	tests/unit/store/test_pool
check_PROGRAMS += $(STORE_TESTS)
UNIT_TESTS += $(STORE_TESTS)

STORE_TEST_LIBS = libstore.a libmodel.a libbase.a $(CMOCKA_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
STORE_TEST_COMMON = %D%/fixture.c %D%/fixture.h

tests_unit_store_test_baseline_SOURCES = %D%/test_baseline.c $(STORE_TEST_COMMON)
tests_unit_store_test_baseline_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_batch_SOURCES = %D%/test_batch.c $(STORE_TEST_COMMON)
tests_unit_store_test_batch_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_bits_SOURCES = %D%/test_bits.c
tests_unit_store_test_bits_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_code_SOURCES = %D%/test_code.c $(STORE_TEST_COMMON)
tests_unit_store_test_code_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_mute_SOURCES = %D%/test_mute.c $(STORE_TEST_COMMON)
tests_unit_store_test_mute_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_rollup_SOURCES = %D%/test_rollup.c $(STORE_TEST_COMMON)
tests_unit_store_test_rollup_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_schema_SOURCES = %D%/test_schema.c $(STORE_TEST_COMMON)
tests_unit_store_test_schema_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_sql_SOURCES = %D%/test_sql.c $(STORE_TEST_COMMON)
tests_unit_store_test_sql_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_write_SOURCES = %D%/test_write.c $(STORE_TEST_COMMON)
tests_unit_store_test_write_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_read_alarm_SOURCES = %D%/test_read_alarm.c $(STORE_TEST_COMMON)
tests_unit_store_test_read_alarm_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_read_identity_SOURCES = %D%/test_read_identity.c $(STORE_TEST_COMMON)
tests_unit_store_test_read_identity_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_read_incident_SOURCES = %D%/test_read_incident.c $(STORE_TEST_COMMON)
tests_unit_store_test_read_incident_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_read_run_SOURCES = %D%/test_read_run.c $(STORE_TEST_COMMON)
tests_unit_store_test_read_run_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_reader_SOURCES = %D%/test_reader.c $(STORE_TEST_COMMON)
tests_unit_store_test_reader_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_series_SOURCES = %D%/test_series.c $(STORE_TEST_COMMON)
tests_unit_store_test_series_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_writer_SOURCES = %D%/test_writer.c $(STORE_TEST_COMMON)
tests_unit_store_test_writer_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_crash_SOURCES = %D%/test_crash.c $(STORE_TEST_COMMON)
tests_unit_store_test_crash_LDADD = $(STORE_TEST_LIBS)
tests_unit_store_test_pool_SOURCES = %D%/test_pool.c $(STORE_TEST_COMMON)
tests_unit_store_test_pool_LDADD = $(STORE_TEST_LIBS)
