# SPDX-License-Identifier: Apache-2.0
PROBE_TEST_LIBS = libprobe.a libmodel.a libbase.a $(CMOCKA_LIBS) $(URING_LIBS) $(ZLIB_LIBS)

EXTRA_DIST += %D%/fake_io.h %D%/temporary.h

check_PROGRAMS += tests/unit/probe/test_engine
UNIT_TESTS += tests/unit/probe/test_engine
tests_unit_probe_test_engine_SOURCES = %D%/test_engine.c %D%/engine_bench.c %D%/engine_bench.h
tests_unit_probe_test_engine_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_engine_faults
UNIT_TESTS += tests/unit/probe/test_engine_faults
tests_unit_probe_test_engine_faults_SOURCES = %D%/test_engine_faults.c %D%/engine_bench.c \
	%D%/engine_bench.h
tests_unit_probe_test_engine_faults_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_examine
UNIT_TESTS += tests/unit/probe/test_examine
tests_unit_probe_test_examine_SOURCES = %D%/test_examine.c
tests_unit_probe_test_examine_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_fault
UNIT_TESTS += tests/unit/probe/test_fault
tests_unit_probe_test_fault_SOURCES = %D%/test_fault.c
tests_unit_probe_test_fault_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_guard
UNIT_TESTS += tests/unit/probe/test_guard
tests_unit_probe_test_guard_SOURCES = %D%/test_guard.c
tests_unit_probe_test_guard_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_guard_call
UNIT_TESTS += tests/unit/probe/test_guard_call
tests_unit_probe_test_guard_call_SOURCES = %D%/test_guard_call.c
tests_unit_probe_test_guard_call_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_harmless
UNIT_TESTS += tests/unit/probe/test_harmless
tests_unit_probe_test_harmless_SOURCES = %D%/test_harmless.c
tests_unit_probe_test_harmless_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_holdings
UNIT_TESTS += tests/unit/probe/test_holdings
tests_unit_probe_test_holdings_SOURCES = %D%/test_holdings.c
tests_unit_probe_test_holdings_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_header
UNIT_TESTS += tests/unit/probe/test_header
tests_unit_probe_test_header_SOURCES = %D%/test_header.c
tests_unit_probe_test_header_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_layout
UNIT_TESTS += tests/unit/probe/test_layout
tests_unit_probe_test_layout_SOURCES = %D%/test_layout.c
tests_unit_probe_test_layout_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_offsets
UNIT_TESTS += tests/unit/probe/test_offsets
tests_unit_probe_test_offsets_SOURCES = %D%/test_offsets.c
tests_unit_probe_test_offsets_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_payload
UNIT_TESTS += tests/unit/probe/test_payload
tests_unit_probe_test_payload_SOURCES = %D%/test_payload.c
tests_unit_probe_test_payload_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_place
UNIT_TESTS += tests/unit/probe/test_place
tests_unit_probe_test_place_SOURCES = %D%/test_place.c
tests_unit_probe_test_place_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_deadline
UNIT_TESTS += tests/unit/probe/test_deadline
tests_unit_probe_test_deadline_SOURCES = %D%/test_deadline.c
tests_unit_probe_test_deadline_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_probe
UNIT_TESTS += tests/unit/probe/test_probe
tests_unit_probe_test_probe_SOURCES = %D%/test_probe.c
tests_unit_probe_test_probe_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_target
UNIT_TESTS += tests/unit/probe/test_target
tests_unit_probe_test_target_SOURCES = %D%/test_target.c
tests_unit_probe_test_target_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_device
UNIT_TESTS += tests/unit/probe/test_device
tests_unit_probe_test_device_SOURCES = %D%/test_device.c %D%/sysfs_tree.c %D%/sysfs_tree.h
tests_unit_probe_test_device_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_io
UNIT_TESTS += tests/unit/probe/test_io
tests_unit_probe_test_io_SOURCES = %D%/test_io.c
tests_unit_probe_test_io_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_pace
UNIT_TESTS += tests/unit/probe/test_pace
tests_unit_probe_test_pace_SOURCES = %D%/test_pace.c
tests_unit_probe_test_pace_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_tally
UNIT_TESTS += tests/unit/probe/test_tally
tests_unit_probe_test_tally_SOURCES = %D%/test_tally.c
tests_unit_probe_test_tally_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_alignment
UNIT_TESTS += tests/unit/probe/test_alignment
tests_unit_probe_test_alignment_SOURCES = %D%/test_alignment.c
tests_unit_probe_test_alignment_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_cache
UNIT_TESTS += tests/unit/probe/test_cache
tests_unit_probe_test_cache_SOURCES = %D%/test_cache.c
tests_unit_probe_test_cache_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_compression
UNIT_TESTS += tests/unit/probe/test_compression
tests_unit_probe_test_compression_SOURCES = %D%/test_compression.c
tests_unit_probe_test_compression_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_extent
UNIT_TESTS += tests/unit/probe/test_extent
tests_unit_probe_test_extent_SOURCES = %D%/test_extent.c
tests_unit_probe_test_extent_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_fs_uuid
UNIT_TESTS += tests/unit/probe/test_fs_uuid
tests_unit_probe_test_fs_uuid_SOURCES = %D%/test_fs_uuid.c
tests_unit_probe_test_fs_uuid_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_split
UNIT_TESTS += tests/unit/probe/test_split
tests_unit_probe_test_split_SOURCES = %D%/test_split.c %D%/sysfs_tree.c %D%/sysfs_tree.h
tests_unit_probe_test_split_LDADD = $(PROBE_TEST_LIBS)

check_PROGRAMS += tests/unit/probe/test_prepare
UNIT_TESTS += tests/unit/probe/test_prepare
tests_unit_probe_test_prepare_SOURCES = %D%/test_prepare.c
tests_unit_probe_test_prepare_LDADD = $(PROBE_TEST_LIBS)
