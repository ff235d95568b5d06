/* SPDX-License-Identifier: Apache-2.0 */
/* Names, paths and reasons of any bytes: metrics, JSON and the text for terminals must stay
 * well-formed. The input is up to eight texts, a zero byte after each. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "report/report.h"
#include "report/scrape.h"

#define BODY_MAX (16 << 20)

enum text {
	TEXT_REPOSITORY,
	TEXT_PROBE,
	TEXT_PATH,
	TEXT_REASON,
	TEXT_SOURCE,
	TEXT_MOUNT_POINT,
	TEXT_RELOAD_ERROR,
	TEXT_DATABASE_ERROR,
};
#define TEXTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void copy(char *dst, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(dst, text, len);
	dst[len] = '\0';
}

static struct run *new_run(const char *const *texts)
{
	struct run *run = run_new(texts[TEXT_REPOSITORY], texts[TEXT_PROBE]);

	require(run != NULL);
	run->id = 1;
	run->workload = workload_preset_default()->workload;
	run->measured_nsec = NSEC_PER_SEC;
	copy(run->reason, sizeof(run->reason), texts[TEXT_REASON]);
	copy(run->identity.fs_type, sizeof(run->identity.fs_type), texts[TEXT_SOURCE]);
	copy(run->identity.source, sizeof(run->identity.source), texts[TEXT_SOURCE]);
	copy(run->identity.mount_point, sizeof(run->identity.mount_point), texts[TEXT_MOUNT_POINT]);
	run->operations[RUN_WRITE].ios = 1;
	run->operations[RUN_WRITE].bytes = 4096;
	histogram_add(&run->operations[RUN_WRITE].latency, NSEC_PER_MSEC);
	return run;
}

static struct alarm_state *new_alarm(const char *const *texts)
{
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));

	require(alarm != NULL);
	alarm->incident_id = 1;
	alarm->incident_level = ALARM_WARNING;
	alarm->series_count = 1;
	alarm->series[0].level = ALARM_WARNING;
	alarm->series[0].operation = RUN_WRITE;
	copy(alarm->series[0].probe, sizeof(alarm->series[0].probe), texts[TEXT_PROBE]);
	return alarm;
}

static void check_json(const struct buf *b)
{
	struct json_t *value = NULL;

	require(b->error == 0);
	require(json_parse(buf_text(b), b->len, &value, NULL) == 0);
	json_free(value);
}

/* Only line breaks of our own, no other control characters, and UTF-8. */
static void check_text(const struct buf *b, size_t max_lines)
{
	size_t lines = 0;

	require(b->error == 0 && parse_is_utf8(buf_text(b)));
	for (size_t i = 0; i < b->len; i++) {
		unsigned char c = (unsigned char)b->data[i];
		lines += c == '\n';
		require(c == '\n' || (c >= 0x20 && c != 0x7f));
	}
	require(lines <= max_lines);
}

static void check_snapshot(const struct snapshot *snapshot)
{
	static struct scrape scrape;
	struct buf b = BUF_INIT(BODY_MAX);

	report_metrics(snapshot, &b);
	require(b.error == 0 && scrape_check(buf_text(&b), b.len, &scrape));
	buf_clear(&b);
	report_overview(snapshot, &b);
	check_json(&b);
	buf_done(&b);
}

static void check_run(struct run *run)
{
	struct buf b = BUF_INIT(BODY_MAX);

	require(json_dump(report_run_json(run), true, &b) == 0);
	check_json(&b);
	buf_clear(&b);
	report_run_list_line(run, &b);
	check_text(&b, 1);
	buf_clear(&b);
	run->status = RUN_ERROR;
	report_run_text(run, &b);
	check_text(&b, 16);
	buf_done(&b);
}

static void check_sentence(const struct run *run)
{
	struct buf b = BUF_INIT(BODY_MAX);
	struct incident_event event = { .change = INCIDENT_WORSE, .level = ALARM_WARNING };

	memcpy(event.repository, run->repository, sizeof(event.repository));
	memcpy(event.probe, run->probe, sizeof(event.probe));
	report_incident_sentence(&event, &b);
	check_text(&b, 0);
	buf_done(&b);
}

static void check_texts(const char *const *texts)
{
	struct run *run = new_run(texts);
	struct alarm_state *alarm = new_alarm(texts);
	const struct snapshot_probe probe = {
		.name = texts[TEXT_PROBE],
		.workload = &run->workload,
		.last_run = run,
	};
	const struct snapshot_repository repository = {
		.name = texts[TEXT_REPOSITORY],
		.path = texts[TEXT_PATH],
		.reason = texts[TEXT_REASON],
		.state = REPOSITORY_WARNING,
		.alarm = alarm,
		.identity = &run->identity,
		.probe_count = 1,
		.probes = &probe,
	};
	const struct snapshot snapshot = {
		.version = "0",
		.repository_count = 1,
		.repositories = &repository,
		.reload_error = texts[TEXT_RELOAD_ERROR],
		.database_error = texts[TEXT_DATABASE_ERROR],
	};

	check_snapshot(&snapshot);
	check_run(run);
	check_sentence(run);
	free(alarm);
	free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *texts[TEXTS];
	char *copy_of_all = malloc(size + 1);
	size_t at = 0;

	require(copy_of_all != NULL);
	memcpy(copy_of_all, data, size);
	copy_of_all[size] = '\0';
	for (size_t i = 0; i < TEXTS; i++) {
		texts[i] = copy_of_all + at;
		at += strlen(texts[i]);
		at += at < size; /* the zero byte, unless it is the last one */
	}
	check_texts(texts);
	free(copy_of_all);
	return 0;
}
