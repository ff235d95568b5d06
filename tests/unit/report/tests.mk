# SPDX-License-Identifier: Apache-2.0
REPORT_TEST_LIBS = libreport.a libmodel.a libbase.a $(CMOCKA_LIBS) $(JANSSON_LIBS)
REPORT_TEST_SAMPLE = %D%/sample.c %D%/sample.h

check_PROGRAMS += tests/unit/report/test_run_text
UNIT_TESTS += tests/unit/report/test_run_text
tests_unit_report_test_run_text_SOURCES = %D%/test_run_text.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_run_text_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_run_list
UNIT_TESTS += tests/unit/report/test_run_list
tests_unit_report_test_run_list_SOURCES = %D%/test_run_list.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_run_list_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_run_json
UNIT_TESTS += tests/unit/report/test_run_json
tests_unit_report_test_run_json_SOURCES = %D%/test_run_json.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_run_json_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_incident
UNIT_TESTS += tests/unit/report/test_incident
tests_unit_report_test_incident_SOURCES = %D%/test_incident.c
tests_unit_report_test_incident_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_incident_explain
UNIT_TESTS += tests/unit/report/test_incident_explain
tests_unit_report_test_incident_explain_SOURCES = %D%/test_incident_explain.c
tests_unit_report_test_incident_explain_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_overview
UNIT_TESTS += tests/unit/report/test_overview
tests_unit_report_test_overview_SOURCES = %D%/test_overview.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_overview_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_metrics
UNIT_TESTS += tests/unit/report/test_metrics
tests_unit_report_test_metrics_SOURCES = %D%/test_metrics.c %D%/scrape.c %D%/scrape.h \
	$(REPORT_TEST_SAMPLE)
tests_unit_report_test_metrics_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_run_xdisk
UNIT_TESTS += tests/unit/report/test_run_xdisk
tests_unit_report_test_run_xdisk_SOURCES = %D%/test_run_xdisk.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_run_xdisk_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_run_fio_json
UNIT_TESTS += tests/unit/report/test_run_fio_json
tests_unit_report_test_run_fio_json_SOURCES = %D%/test_run_fio_json.c $(REPORT_TEST_SAMPLE)
tests_unit_report_test_run_fio_json_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_doctor
UNIT_TESTS += tests/unit/report/test_doctor
tests_unit_report_test_doctor_SOURCES = %D%/test_doctor.c
tests_unit_report_test_doctor_LDADD = $(REPORT_TEST_LIBS)

check_PROGRAMS += tests/unit/report/test_openmetrics
UNIT_TESTS += tests/unit/report/test_openmetrics
tests_unit_report_test_openmetrics_SOURCES = %D%/test_openmetrics.c
tests_unit_report_test_openmetrics_LDADD = $(REPORT_TEST_LIBS)
