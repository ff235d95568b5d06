# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/wire/test_wire
UNIT_TESTS += tests/unit/wire/test_wire
tests_unit_wire_test_wire_SOURCES = %D%/test_wire.c
tests_unit_wire_test_wire_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS)

check_PROGRAMS += tests/unit/wire/test_examination
UNIT_TESTS += tests/unit/wire/test_examination
tests_unit_wire_test_examination_SOURCES = %D%/test_examination.c
tests_unit_wire_test_examination_LDADD = libwire.a libmodel.a libbase.a $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(ZLIB_LIBS)
