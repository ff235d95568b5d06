# SPDX-License-Identifier: Apache-2.0
REPORT_TESTS = \
	%D%/test_doctor.c \
	%D%/test_incident.c \
	%D%/test_incident_explain.c \
	%D%/test_metrics.c \
	%D%/test_openmetrics.c \
	%D%/test_overview.c \
	%D%/test_run_fio_json.c \
	%D%/test_run_json.c \
	%D%/test_run_list.c \
	%D%/test_run_text.c \
	%D%/test_run_xdisk.c
UNIT_TESTS += $(REPORT_TESTS)
check_PROGRAMS += tests/unit/report/run
tests_unit_report_run_SOURCES = $(REPORT_TESTS) $(UNIT_MAIN) %D%/sample.c %D%/sample.h \
	%D%/scrape.c %D%/scrape.h
tests_unit_report_run_LDADD = libreport.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
