# SPDX-License-Identifier: Apache-2.0
# With the migrations of a later version (later_schema.c) in place of the product's.
MIGRATION_TESTS = \
	%D%/test_migration.c
UNIT_TESTS += $(MIGRATION_TESTS)
check_PROGRAMS += tests/unit/migration/run
tests_unit_migration_run_SOURCES = $(MIGRATION_TESTS) $(UNIT_MAIN) %D%/later_schema.c \
	tests/unit/store/fixture.c tests/unit/store/fixture.h
tests_unit_migration_run_LDADD = libstore.a libmodel.a libbase.a $(CMOCKA_LIBS) $(SQLITE_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
