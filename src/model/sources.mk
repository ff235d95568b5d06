# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libmodel.a
libmodel_a_SOURCES = \
	%D%/alarm_code.c %D%/alarm_code.h \
	%D%/alarm_state.c %D%/alarm_state.h \
	%D%/batch.c %D%/batch.h \
	%D%/budget.c %D%/budget.h \
	%D%/checkup.c %D%/checkup.h \
	%D%/device.c %D%/device.h \
	%D%/device_json.c \
	%D%/diskstats.c %D%/diskstats.h \
	%D%/examination.c %D%/examination.h \
	%D%/facts.c %D%/facts.h \
	%D%/facts_ring.c \
	%D%/field.c %D%/field.h \
	%D%/histogram.c %D%/histogram.h \
	%D%/histogram_code.c \
	%D%/identity.c %D%/identity.h \
	%D%/incident.h \
	%D%/job.c %D%/job.h \
	%D%/names.h \
	%D%/message.h \
	%D%/mountstats.c %D%/mountstats.h \
	%D%/mute.c %D%/mute.h \
	%D%/preset.c \
	%D%/pressure.c %D%/pressure.h \
	%D%/rule.h \
	%D%/run.c %D%/run.h \
	%D%/run_iops.c \
	%D%/run_point.h \
	%D%/snapshot.c %D%/snapshot.h \
	%D%/snapshot_alarm.c %D%/snapshot_alarm.h \
	%D%/storage_group.c %D%/storage_group.h \
	%D%/worker_note.c %D%/worker_note.h \
	%D%/workload.c %D%/workload.h \
	%D%/workload_form.h \
	%D%/workload_json.c \
	%D%/workload_number.c \
	%D%/workload_option.c \
	%D%/workload_word.c
