# SPDX-License-Identifier: Apache-2.0
CONFIG_TESTS = \
	tests/unit/config/test_alarms \
	tests/unit/config/test_bounds \
	tests/unit/config/test_default_conf \
	tests/unit/config/test_expectation \
	tests/unit/config/test_ini \
	tests/unit/config/test_load \
	tests/unit/config/test_places \
	tests/unit/config/test_resolve \
	tests/unit/config/test_schema \
	tests/unit/config/test_show
CONFIG_TEST_LIBS = libconfig.a libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm

check_PROGRAMS += $(CONFIG_TESTS)
UNIT_TESTS += $(CONFIG_TESTS)
EXTRA_DIST += %D%/config_test.h

tests_unit_config_test_alarms_SOURCES = %D%/test_alarms.c
tests_unit_config_test_alarms_CPPFLAGS = $(AM_CPPFLAGS) \
	-DALARMS_MD='"$(abs_top_srcdir)/docs/alarms.md"'
tests_unit_config_test_alarms_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_bounds_SOURCES = %D%/test_bounds.c
tests_unit_config_test_bounds_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_default_conf_SOURCES = %D%/test_default_conf.c
tests_unit_config_test_default_conf_CPPFLAGS = $(AM_CPPFLAGS) \
	-DDEFAULT_CONF='"$(abs_top_srcdir)/etc/repoprobe.conf"'
tests_unit_config_test_default_conf_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_expectation_SOURCES = %D%/test_expectation.c
tests_unit_config_test_expectation_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_ini_SOURCES = %D%/test_ini.c
tests_unit_config_test_ini_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_load_SOURCES = %D%/test_load.c
tests_unit_config_test_load_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_places_SOURCES = %D%/test_places.c
tests_unit_config_test_places_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_resolve_SOURCES = %D%/test_resolve.c
tests_unit_config_test_resolve_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_schema_SOURCES = %D%/test_schema.c
tests_unit_config_test_schema_LDADD = $(CONFIG_TEST_LIBS)
tests_unit_config_test_show_SOURCES = %D%/test_show.c
tests_unit_config_test_show_LDADD = $(CONFIG_TEST_LIBS)
