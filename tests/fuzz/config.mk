# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_config
FUZZ_TESTS += tests/fuzz/fuzz_config
tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c $(FUZZ_MAIN)
tests_fuzz_fuzz_config_LDADD = libconfig.a libalarm.a libmodel.a libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
tests_fuzz_fuzz_config_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/config
