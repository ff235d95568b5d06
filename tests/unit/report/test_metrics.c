/* SPDX-License-Identifier: Apache-2.0 */
/* /metrics: well-formed whatever the names are, complete from the first scrape, no more series than
 * promised. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "report/report.h"
#include "sample.h"
#include "scrape.h"

#define BODY_MAX (4 << 20)
#define SERIES_PER_PROBE_MAX 210

#define RI "{repository=\"nas1\",probe=\"reverse-incremental\""
#define AF "{repository=\"nas1\",probe=\"active-full\""
#define HB "{repository=\"tape\",probe=\"heartbeat\""

/* The body, checked; freed with buf_done(). */
static struct buf render(const struct snapshot *snapshot, struct scrape *ret)
{
	struct buf b = BUF_INIT(BODY_MAX);

	report_metrics(snapshot, &b);
	assert_int_equal(b.error, 0);
	if (!scrape_check(buf_text(&b), b.len, ret))
		fail_msg("%s", ret->error);
	return b;
}

static void assert_lines(const struct buf *b, const char *const *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!scrape_has_line(buf_text(b), lines[i]))
			fail_msg("missing: %s", lines[i]);
}
#define ASSERT_LINES(b, lines) assert_lines(b, lines, sizeof(lines) / sizeof((lines)[0]))

static void a_known_present_gives_known_samples(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_repository_info{repository=\"nas1\",kind=\"filesystem\",fstype="
		"\"ext4\",path=\"/backup/nas1\"} 1",
		"repoprobe_repository_state{repository=\"nas1\",state=\"warning\"} 1",
		"repoprobe_repository_state{repository=\"nas1\",state=\"ok\"} 0",
		"repoprobe_repository_state{repository=\"tape\",state=\"unknown\"} 1",
		"repoprobe_probe_info" RI ",pattern=\"random:4K\",block_bytes=\"524288\","
		"queue_depth=\"2\",direct=\"true\"} 1",
		"repoprobe_probe_interval_seconds" HB "} 60",
		"repoprobe_probe_runs_total" RI "} 1",
		"repoprobe_probe_status" RI ",status=\"ok\"} 1",
		"repoprobe_probe_status" RI ",status=\"stuck\"} 0",
		"repoprobe_probe_success" RI "} 1",
		"repoprobe_probe_running" RI "} 0",
		"repoprobe_probe_stuck_seconds" RI "} 0",
		"repoprobe_probe_duration_seconds" RI "} 1.623",
		"repoprobe_probe_setup_seconds" RI "} 0.012",
		"repoprobe_probe_last_run_timestamp_seconds" RI "} 1796061601.623",
		"repoprobe_probe_last_success_timestamp_seconds" RI "} 1796061601.623",
		"repoprobe_probe_next_run_timestamp_seconds" HB "} 1796061660",
		"repoprobe_probe_start_delay_seconds" RI "} 0.0015",
		"repoprobe_io_bytes_total" RI ",operation=\"read\"} 20971520",
		"repoprobe_io_active_seconds_total" RI ",operation=\"write\"} 1.25",
		"repoprobe_io_errors_total" RI ",operation=\"write\"} 0",
		"repoprobe_probe_latency_seconds" RI ",operation=\"read\",stat=\"avg\"} 0.00592",
		"repoprobe_probe_latency_seconds" RI ",operation=\"read\",stat=\"min\"} 0.00397",
		"repoprobe_probe_latency_seconds" RI ",operation=\"read\",stat=\"p99.9\"} 0.00787",
		"repoprobe_probe_latency_seconds" RI ",operation=\"write\",stat=\"max\"} 0.0236",
		"repoprobe_probe_throughput_bytes_per_second" AF ",operation=\"write\"} 52428800",
		"repoprobe_repository_size_bytes{repository=\"nas1\"} 2199023255552",
		"repoprobe_repository_free_bytes{repository=\"nas1\"} 858993459200",
		"repoprobe_alarm_firing" AF ",alarm=\"limit\",level=\"warning\"} 1",
		"repoprobe_alarm_firing" AF ",alarm=\"limit\",level=\"critical\"} 0",
		"repoprobe_alarm_firing" RI ",alarm=\"limit\",level=\"warning\"} 0",
		"repoprobe_alarm_firing" AF ",alarm=\"no_data\",level=\"critical\"} 0",
		"repoprobe_alarm_firing" HB ",alarm=\"stall\",level=\"warning\"} 0",
		"repoprobe_notifications_total{channel=\"journal\"} 5",
		"repoprobe_notification_failures_total{channel=\"journal\"} 1",
		"repoprobe_notification_queue_length 4",
		"repoprobe_config_last_reload_successful 1",
		"repoprobe_config_last_reload_success_timestamp_seconds 1796058000",
		"repoprobe_database_size_bytes 123456",
		"repoprobe_database_write_failures_total 2",
		"repoprobe_database_queue_length 3",
		"repoprobe_database_lost_total 7",
		"repoprobe_log_lost_lines_total 11",
		"process_cpu_seconds_total 1.23456789",
		"process_open_fds 21",
		"process_max_fds 1024",
		"process_virtual_memory_bytes 103809024",
		"process_resident_memory_bytes 9437184",
		"process_start_time_seconds 1796058000",
	};
	struct sample *s = sample_new();
	struct scrape scrape;
	struct buf b = render(&s->snapshot, &scrape);

	(void)unused;
	ASSERT_LINES(&b, lines);
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_build_info{version=\"0.1.0\","), 1);
	buf_done(&b);
	sample_free(s);
}

static void buckets_are_cumulative_with_fixed_labels(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"1e-05\"} 0",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"0.003\"} 0",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"0.005\"} 11",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"0.007\"} 31",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"0.01\"} 40",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"1.0\"} 40",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"100.0\"} 40",
		"repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\",le=\"+Inf\"} 40",
		"repoprobe_io_latency_seconds_sum" RI ",operation=\"read\"} 0.2368",
		"repoprobe_io_latency_seconds_count" RI ",operation=\"read\"} 40",
	};
	struct sample *s = sample_new();
	struct scrape scrape;
	struct buf b = render(&s->snapshot, &scrape);

	(void)unused;
	ASSERT_LINES(&b, lines);
	assert_int_equal(scrape_count(buf_text(&b),
				 "repoprobe_io_latency_seconds_bucket" RI ",operation=\"read\""),
		44);
	buf_done(&b);
	sample_free(s);
}

static void every_series_that_can_count_is_there_before_the_first_run(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_probe_runs_total" HB "} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"error\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"stalled\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"timeout\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"stuck\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"not_mounted\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"wrong_target\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"read_only\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"no_space\"} 0",
		"repoprobe_probe_failures_total" HB ",reason=\"refused\"} 0",
		"repoprobe_probe_skips_total" HB ",reason=\"overlap\"} 0",
		"repoprobe_probe_skips_total" HB ",reason=\"in_use\"} 0",
		"repoprobe_probe_skips_total" HB ",reason=\"busy\"} 0",
		"repoprobe_probe_skips_total" HB ",reason=\"mute\"} 0",
		"repoprobe_probe_skips_total" HB ",reason=\"budget\"} 0",
		"repoprobe_probe_status" HB ",status=\"ok\"} 0",
		"repoprobe_io_latency_seconds_bucket" HB ",operation=\"write\",le=\"+Inf\"} 0",
		"repoprobe_io_latency_seconds_sum" HB ",operation=\"write\"} 0",
		"repoprobe_io_latency_seconds_count" HB ",operation=\"read\"} 0",
		"repoprobe_io_bytes_total" HB ",operation=\"read\"} 0",
		"repoprobe_io_errors_total" HB ",operation=\"write\"} 0",
		"repoprobe_alarm_firing" HB ",alarm=\"limit\",level=\"critical\"} 0",
	};
	static const char *const absent[] = {
		"repoprobe_probe_success" HB,
		"repoprobe_probe_duration_seconds" HB,
		"repoprobe_probe_setup_seconds" HB,
		"repoprobe_probe_setup_seconds" AF, /* no worker has told */
		"repoprobe_probe_last_run_timestamp_seconds" HB,
		"repoprobe_probe_last_success_timestamp_seconds" HB,
		"repoprobe_probe_latency_seconds" HB,
		"repoprobe_probe_throughput_bytes_per_second" HB,
		"repoprobe_repository_size_bytes{repository=\"tape\"",
	};
	struct sample *s = sample_new();
	struct scrape scrape;
	struct buf b = render(&s->snapshot, &scrape);

	(void)unused;
	ASSERT_LINES(&b, lines);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		assert_int_equal(scrape_count(buf_text(&b), absent[i]), 0);
	buf_done(&b);
	sample_free(s);
}

static void an_operation_that_the_workload_lacks_has_no_series(void **unused)
{
	struct sample *s = sample_new();
	struct scrape scrape;
	struct buf b = render(&s->snapshot, &scrape);

	(void)unused;
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_io_bytes_total" AF), 1);
	assert_int_equal(
		scrape_count(buf_text(&b), "repoprobe_io_bytes_total" AF ",operation=\"read\""), 0);
	assert_null(strstr(buf_text(&b), "operation=\"total\""));
	buf_done(&b);
	sample_free(s);
}

static void a_failed_run_shows_its_status_and_leaves_the_latency_before_it(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_probe_status" AF ",status=\"not_mounted\"} 1",
		"repoprobe_probe_status" AF ",status=\"ok\"} 0",
		"repoprobe_probe_success" AF "} 0",
		"repoprobe_probe_last_run_timestamp_seconds" AF "} 1796061600.003",
		"repoprobe_probe_failures_total" AF ",reason=\"not_mounted\"} 7",
		"repoprobe_probe_stuck_seconds" AF "} 90.5",
	};
	struct sample *s = sample_new();
	struct run *failed = sample_failed_run(RUN_NOT_MOUNTED, 0, "not mounted");
	struct scrape scrape;

	(void)unused;
	/* A few I/Os may have come back before it failed. */
	histogram_add(&failed->operations[RUN_WRITE].latency, 1000000);
	s->probes[1].last_run = failed;
	s->probes[1].failures[RUN_NOT_MOUNTED] = 7;
	s->probes[1].stuck_since_usec = s->snapshot.now_usec - 90500000;
	struct buf b = render(&s->snapshot, &scrape);
	ASSERT_LINES(&b, lines);
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_probe_latency_seconds" AF), 7);
	/* What was counted stays. */
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_io_latency_seconds_bucket" AF), 44);
	buf_done(&b);
	free(failed);
	sample_free(s);
}

static size_t series_of_probes(const struct buf *b)
{
	return scrape_count(buf_text(b), "repoprobe_probe_") +
		scrape_count(buf_text(b), "repoprobe_io_") +
		scrape_count(buf_text(b), "repoprobe_alarm_");
}

static void a_probe_with_two_operations_has_at_most_so_many_series(void **unused)
{
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	s->repositories[0].probe_count = 1;
	s->snapshot.repository_count = 1;
	struct buf b = render(&s->snapshot, &scrape);
	assert_true(scrape_count(buf_text(&b), "repoprobe_io_latency_seconds_bucket" RI) == 88);
	assert_true(series_of_probes(&b) <= SERIES_PER_PROBE_MAX);
	assert_true(scrape.samples <= SERIES_PER_PROBE_MAX); /* even with all of the daemon's */
	buf_done(&b);
	sample_free(s);
}

static void names_of_any_bytes_stay_well_formed(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_repository_info{repository=\"a\\\"b\\\\c\\nd\",kind=\"filesystem\","
		"fstype=\"\",path=\"/b\xef\xbf\xbd\xef\xbf\xbd/\xc3\xa4 ,}=\"} 1",
		"repoprobe_probe_running{repository=\"a\\\"b\\\\c\\nd\",probe=\"}\\n# HELP "
		"\xef\xbf\xbd\"} 0",
	};
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	s->repositories[1].name = "a\"b\\c\nd";
	s->repositories[1].path = "/b\xff\xfe/\xc3\xa4 ,}=";
	s->probes[2].name = "}\n# HELP \xf0\x9f\x92";
	struct buf b = render(&s->snapshot, &scrape);
	ASSERT_LINES(&b, lines);
	buf_done(&b);
	sample_free(s);
}

static void without_repositories_only_the_daemon_remains(void **unused)
{
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	s->snapshot.repository_count = 0;
	struct buf b = render(&s->snapshot, &scrape); /* an empty family fails in there */
	assert_int_equal(scrape_count(buf_text(&b), "# HELP repoprobe_probe_"), 0);
	assert_true(scrape.samples == scrape.families);
	buf_done(&b);
	sample_free(s);
}

static void each_reason_fires_by_itself(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_alarm_firing" AF ",alarm=\"limit\",level=\"warning\"} 1",
		"repoprobe_alarm_firing" AF ",alarm=\"tail\",level=\"warning\"} 1",
		"repoprobe_alarm_firing" AF ",alarm=\"stall\",level=\"warning\"} 0",
		"repoprobe_alarm_firing" AF ",alarm=\"stall\",level=\"critical\"} 1",
		"repoprobe_alarm_firing" RI ",alarm=\"stall\",level=\"critical\"} 0",
		"repoprobe_alarm_firing" RI ",alarm=\"hang\",level=\"critical\"} 1",
		"repoprobe_alarm_firing" AF ",alarm=\"hang\",level=\"critical\"} 0",
	};
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	s->alarm.series[1].rules[ALARM_RULE_CACHE].level = ALARM_WARNING;
	s->alarm.series[1].rules[ALARM_RULE_STALL].level = ALARM_CRITICAL;
	s->alarm.probe_count = 1;
	s->alarm.probes[0] = (struct alarm_probe){ .probe = "reverse-incremental" };
	s->alarm.probes[0].rules[ALARM_RUN_HANG].level = ALARM_CRITICAL;
	struct buf b = render(&s->snapshot, &scrape);
	ASSERT_LINES(&b, lines);
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_alarm_firing" AF), 26);
	buf_done(&b);
	sample_free(s);
}

static void add_custom(struct sample *s, const char *name, const char *probe,
	enum run_operation operation, enum alarm_level level)
{
	struct alarm_custom *c = &s->alarm.customs[s->alarm.custom_count++];

	*c = (struct alarm_custom){ .operation = operation, .rule = { .level = level } };
	memcpy(c->name, name, strlen(name));
	memcpy(c->probe, probe, strlen(probe));
}

static void alarms_that_people_name_are_there_under_their_names(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_alarm_firing" RI ",alarm=\"slow-tail\",level=\"warning\"} 0",
		"repoprobe_alarm_firing" RI ",alarm=\"slow-tail\",level=\"critical\"} 1",
		"repoprobe_alarm_firing" AF ",alarm=\"a \\\"b\\\\\",level=\"warning\"} 0",
		"repoprobe_alarm_firing" AF ",alarm=\"custom\",level=\"warning\"} 1",
		/* One that is called as a reason is: no series twice. */
		"repoprobe_alarm_firing" RI ",alarm=\"stall\",level=\"critical\"} 1",
	};
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	add_custom(s, "slow-tail", "reverse-incremental", RUN_READ, ALARM_NONE);
	add_custom(s, "slow-tail", "reverse-incremental", RUN_WRITE, ALARM_CRITICAL);
	add_custom(s, "stall", "reverse-incremental", RUN_WRITE, ALARM_CRITICAL);
	add_custom(s, "a \"b\\", "active-full", RUN_WRITE, ALARM_NONE);
	add_custom(s, "custom", "active-full", RUN_WRITE, ALARM_WARNING);
	struct buf b = render(&s->snapshot, &scrape);
	ASSERT_LINES(&b, lines);
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_alarm_firing" RI), 28);
	buf_done(&b);
	sample_free(s);
}

static void many_alarms_do_not_make_more_series_than_promised(void **unused)
{
	struct sample *s = sample_new();
	struct scrape scrape;
	char name[16];

	(void)unused;
	s->repositories[0].probe_count = 1;
	s->snapshot.repository_count = 1;
	for (int i = 0; i < ALARM_CUSTOMS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "alarm-%d", i / 2);
		add_custom(s, name, "reverse-incremental", (enum run_operation)(i % 2), ALARM_NONE);
	}
	struct buf b = render(&s->snapshot, &scrape);
	assert_int_equal(scrape_count(buf_text(&b), "repoprobe_alarm_firing" RI), 26 + 32);
	assert_true(series_of_probes(&b) <= SERIES_PER_PROBE_MAX);
	buf_done(&b);
	sample_free(s);
}

static void a_failed_reload_shows(void **unused)
{
	static const char *const lines[] = {
		"repoprobe_config_last_reload_successful 0",
		"repoprobe_config_last_reload_success_timestamp_seconds 1796058000",
	};
	struct sample *s = sample_new();
	struct scrape scrape;

	(void)unused;
	s->snapshot.is_reload_ok = false;
	struct buf b = render(&s->snapshot, &scrape);
	ASSERT_LINES(&b, lines);
	buf_done(&b);
	sample_free(s);
}

/* The reader above must be able to refuse. */
static void the_strict_reader_refuses(void **unused)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "a 1\n", "line 1: sample before HELP and TYPE" },
		{ "# HELP a x\n# TYPE a gauge\na 1", "line 3: no line feed at the end" },
		{ "# HELP a x\n# TYPE a gauge\na 1 1796061600000\n",
			"line 3: not a plain number, or something after it" },
		{ "# HELP a x\n# TYPE a gauge\na{b=\"\\x\"} 1\n", "line 3: unknown escape" },
		{ "# HELP a x\n# TYPE a gauge\na{b=\"\n\"} 1\n",
			"line 3: label value without end" },
		{ "# HELP a x\n# TYPE a gauge\na 1\na 1\n", "line 4: series twice" },
		{ "# HELP a x\n# TYPE a gauge\n", "line 2: the last family is empty" },
		{ "# HELP a x\n# TYPE a gauge\n# HELP b x\n# TYPE b gauge\nb 1\n",
			"line 3: the family before is empty" },
		{ "# HELP a x\n# TYPE a gauge\na 1\n# HELP a x\n", "line 4: family twice" },
		{ "# HELP a x\n# TYPE a gauge\nb 1\n", "line 3: sample of another family" },
		{ "# HELP a x\n# TYPE a histogram\na_bucket{c=\"\",le=\"1e-05\"} 2\n"
		  "a_bucket{c=\"\",le=\"+Inf\"} 1\n",
			"line 4: bucket with less than the one before" },
		{ "# HELP a x\n# TYPE a gauge\na{b=\"\xff\"} 1\n", "line 0: not UTF-8 text" },
	};
	struct scrape scrape;

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(scrape_check(cases[i].text, strlen(cases[i].text), &scrape));
		assert_string_equal(scrape.error, cases[i].error);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_present_gives_known_samples),
		cmocka_unit_test(buckets_are_cumulative_with_fixed_labels),
		cmocka_unit_test(every_series_that_can_count_is_there_before_the_first_run),
		cmocka_unit_test(an_operation_that_the_workload_lacks_has_no_series),
		cmocka_unit_test(a_failed_run_shows_its_status_and_leaves_the_latency_before_it),
		cmocka_unit_test(a_probe_with_two_operations_has_at_most_so_many_series),
		cmocka_unit_test(names_of_any_bytes_stay_well_formed),
		cmocka_unit_test(without_repositories_only_the_daemon_remains),
		cmocka_unit_test(a_failed_reload_shows),
		cmocka_unit_test(each_reason_fires_by_itself),
		cmocka_unit_test(alarms_that_people_name_are_there_under_their_names),
		cmocka_unit_test(many_alarms_do_not_make_more_series_than_promised),
		cmocka_unit_test(the_strict_reader_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
