# SPDX-License-Identifier: Apache-2.0
STORE_TESTS = \
	%D%/test_bad_rows.c \
	%D%/test_baseline.c \
	%D%/test_batch.c \
	%D%/test_bits.c \
	%D%/test_code.c \
	%D%/test_crash.c \
	%D%/test_mute.c \
	%D%/test_pool.c \
	%D%/test_read_alarm.c \
	%D%/test_read_identity.c \
	%D%/test_read_incident.c \
	%D%/test_read_run.c \
	%D%/test_reader.c \
	%D%/test_rollup.c \
	%D%/test_schema.c \
	%D%/test_series.c \
	%D%/test_sql.c \
	%D%/test_write.c \
	%D%/test_writer.c
UNIT_TESTS += $(STORE_TESTS)
check_PROGRAMS += tests/unit/store/run
tests_unit_store_run_SOURCES = $(STORE_TESTS) $(UNIT_MAIN) %D%/fixture.c %D%/fixture.h
tests_unit_store_run_LDADD = libstore.a libmodel.a libbase.a $(CMOCKA_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
