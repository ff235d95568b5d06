# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	%D%/context.c %D%/context.h \
	%D%/doctor.c %D%/doctor.h \
	%D%/doctor_json.c \
	%D%/doctor_place.c \
	%D%/doctor_use.c \
	%D%/exposition.c %D%/exposition.h \
	%D%/format.c %D%/format.h \
	%D%/incident.c %D%/incident.h \
	%D%/incident_explain.c \
	%D%/incident_json.c \
	%D%/message.c %D%/message.h \
	%D%/metrics.c \
	%D%/metrics_probe.c %D%/metrics_probe.h \
	%D%/openmetrics.c %D%/openmetrics.h \
	%D%/overview.c \
	%D%/overview_group.c \
	%D%/report.h \
	%D%/run_csv.c \
	%D%/run_fio_json.c \
	%D%/run_fio_options.c %D%/run_fio_options.h \
	%D%/run_json.c %D%/run_json.h \
	%D%/run_list.c \
	%D%/run_text.c \
	%D%/run_xdisk.c \
	%D%/text.c %D%/text.h
