# SPDX-License-Identifier: Apache-2.0
MODEL_TESTS = \
	%D%/test_alarm_code.c \
	%D%/test_alarm_state.c \
	%D%/test_budget.c \
	%D%/test_checkup.c \
	%D%/test_device.c \
	%D%/test_diskstats.c \
	%D%/test_examination.c \
	%D%/test_facts.c \
	%D%/test_facts_ring.c \
	%D%/test_field.c \
	%D%/test_histogram.c \
	%D%/test_identity.c \
	%D%/test_job.c \
	%D%/test_mountstats.c \
	%D%/test_pressure.c \
	%D%/test_run.c \
	%D%/test_snapshot.c \
	%D%/test_storage_group.c \
	%D%/test_worker_note.c \
	%D%/test_workload.c
UNIT_TESTS += $(MODEL_TESTS)
check_PROGRAMS += tests/unit/model/run
tests_unit_model_run_SOURCES = $(MODEL_TESTS) $(UNIT_MAIN) %D%/sample_examination.h
tests_unit_model_run_LDADD = libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
