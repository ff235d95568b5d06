# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_wire
FUZZ_TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c $(FUZZ_MAIN)
tests_fuzz_fuzz_wire_LDADD = libwire.a libmodel.a libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS)
tests_fuzz_fuzz_wire_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/wire
