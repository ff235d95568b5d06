# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_escape
FUZZ_TESTS += tests/fuzz/fuzz_escape
tests_fuzz_fuzz_escape_SOURCES = tests/fuzz/fuzz_escape.c tests/unit/report/scrape.c $(FUZZ_MAIN)
tests_fuzz_fuzz_escape_LDADD = libreport.a libmodel.a libbase.a $(JANSSON_LIBS)
tests_fuzz_fuzz_escape_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/escape
