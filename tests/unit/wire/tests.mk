# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/wire/test_wire
UNIT_TESTS += tests/unit/wire/test_wire
tests_unit_wire_test_wire_SOURCES = %D%/test_wire.c
tests_unit_wire_test_wire_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS)
