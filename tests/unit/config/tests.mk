# SPDX-License-Identifier: Apache-2.0
CONFIG_TESTS = \
	%D%/test_alarms.c \
	%D%/test_bounds.c \
	%D%/test_default_conf.c \
	%D%/test_expectation.c \
	%D%/test_ini.c \
	%D%/test_load.c \
	%D%/test_mutes.c \
	%D%/test_places.c \
	%D%/test_resolve.c \
	%D%/test_schema.c \
	%D%/test_show.c
UNIT_TESTS += $(CONFIG_TESTS)
check_PROGRAMS += tests/unit/config/run
tests_unit_config_run_SOURCES = $(CONFIG_TESTS) $(UNIT_MAIN) %D%/config_test.h
tests_unit_config_run_CPPFLAGS = $(AM_CPPFLAGS) \
	-DALARMS_MD='"$(abs_top_srcdir)/docs/alarms.md"' \
	-DDEFAULT_CONF='"$(abs_top_srcdir)/etc/repoprobe.conf"'
tests_unit_config_run_LDADD = libconfig.a libalarm.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
