# SPDX-License-Identifier: Apache-2.0
MODEL_TESTS = \
	tests/unit/model/test_device \
	tests/unit/model/test_diskstats \
	tests/unit/model/test_facts \
	tests/unit/model/test_facts_ring \
	tests/unit/model/test_field \
	tests/unit/model/test_mountstats \
	tests/unit/model/test_pressure \
	tests/unit/model/test_alarm_code \
	tests/unit/model/test_alarm_state \
	tests/unit/model/test_budget \
	tests/unit/model/test_checkup \
	tests/unit/model/test_examination \
	tests/unit/model/test_histogram \
	tests/unit/model/test_identity \
	tests/unit/model/test_job \
	tests/unit/model/test_run \
	tests/unit/model/test_snapshot \
	tests/unit/model/test_storage_group \
	tests/unit/model/test_worker_note \
	tests/unit/model/test_workload
MODEL_TEST_LIBS = libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm

EXTRA_DIST += %D%/sample_examination.h

check_PROGRAMS += $(MODEL_TESTS)
UNIT_TESTS += $(MODEL_TESTS)

tests_unit_model_test_alarm_code_SOURCES = %D%/test_alarm_code.c
tests_unit_model_test_alarm_code_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_alarm_state_SOURCES = %D%/test_alarm_state.c
tests_unit_model_test_alarm_state_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_budget_SOURCES = %D%/test_budget.c
tests_unit_model_test_budget_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_checkup_SOURCES = %D%/test_checkup.c
tests_unit_model_test_checkup_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_examination_SOURCES = %D%/test_examination.c
tests_unit_model_test_examination_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_histogram_SOURCES = %D%/test_histogram.c
tests_unit_model_test_histogram_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_identity_SOURCES = %D%/test_identity.c
tests_unit_model_test_identity_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_job_SOURCES = %D%/test_job.c
tests_unit_model_test_job_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_run_SOURCES = %D%/test_run.c
tests_unit_model_test_run_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_snapshot_SOURCES = %D%/test_snapshot.c
tests_unit_model_test_snapshot_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_storage_group_SOURCES = %D%/test_storage_group.c
tests_unit_model_test_storage_group_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_worker_note_SOURCES = %D%/test_worker_note.c
tests_unit_model_test_worker_note_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_workload_SOURCES = %D%/test_workload.c
tests_unit_model_test_workload_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_device_SOURCES = %D%/test_device.c
tests_unit_model_test_device_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_diskstats_SOURCES = %D%/test_diskstats.c
tests_unit_model_test_diskstats_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_facts_SOURCES = %D%/test_facts.c
tests_unit_model_test_facts_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_facts_ring_SOURCES = %D%/test_facts_ring.c
tests_unit_model_test_facts_ring_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_field_SOURCES = %D%/test_field.c
tests_unit_model_test_field_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_mountstats_SOURCES = %D%/test_mountstats.c
tests_unit_model_test_mountstats_LDADD = $(MODEL_TEST_LIBS)
tests_unit_model_test_pressure_SOURCES = %D%/test_pressure.c
tests_unit_model_test_pressure_LDADD = $(MODEL_TEST_LIBS)
