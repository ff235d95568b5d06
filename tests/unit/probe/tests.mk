# SPDX-License-Identifier: Apache-2.0
PROBE_TESTS = \
	%D%/test_alignment.c \
	%D%/test_bypass.c \
	%D%/test_cache.c \
	%D%/test_clear.c \
	%D%/test_compression.c \
	%D%/test_deadline.c \
	%D%/test_device.c \
	%D%/test_engine.c \
	%D%/test_engine_faults.c \
	%D%/test_examine.c \
	%D%/test_extent.c \
	%D%/test_fault.c \
	%D%/test_fs_uuid.c \
	%D%/test_growth.c \
	%D%/test_guard.c \
	%D%/test_guard_call.c \
	%D%/test_harmless.c \
	%D%/test_header.c \
	%D%/test_holdings.c \
	%D%/test_io.c \
	%D%/test_layout.c \
	%D%/test_offsets.c \
	%D%/test_pace.c \
	%D%/test_payload.c \
	%D%/test_place.c \
	%D%/test_prepare.c \
	%D%/test_probe.c \
	%D%/test_split.c \
	%D%/test_tally.c \
	%D%/test_target.c
UNIT_TESTS += $(PROBE_TESTS)
check_PROGRAMS += tests/unit/probe/run
tests_unit_probe_run_SOURCES = $(PROBE_TESTS) $(UNIT_MAIN) %D%/engine_bench.c \
	%D%/engine_bench.h %D%/fake_io.h %D%/sysfs_tree.c %D%/sysfs_tree.h %D%/temporary.h
PROBE_TEST_LIBS = libprobe.a libmodel.a libbase.a $(CMOCKA_LIBS) $(URING_LIBS) $(ZLIB_LIBS)
tests_unit_probe_run_LDADD = $(PROBE_TEST_LIBS)
