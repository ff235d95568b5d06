/* SPDX-License-Identifier: Apache-2.0 */
/* The present state as one JSON document: a verdict in words first, then each repository with its
 * probes. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "report/context.h"
#include "report/incident.h"
#include "report/report.h"
#include "report/run_json.h"

#define SENTENCE_MAX 4096

/* --- Verdict ------------------------------------------------------------ */

/* The condition of a repository for the verdict, worst first. */
enum condition {
	CONDITION_FAILS, /* warning or critical for a reason other than latency */
	CONDITION_SLOW,
	CONDITION_UNMEASURED, /* because of a problem of the daemon itself */
	CONDITION_UNKNOWN,
	CONDITION_PAUSED,
	CONDITION_WELL,
};
#define CONDITIONS 6

static const struct {
	const char *one;
	const char *many;
} condition_texts[CONDITIONS] = {
	[CONDITION_FAILS] = { "is in trouble", "are in trouble" },
	[CONDITION_SLOW] = { "is slow", "are slow" },
	[CONDITION_UNMEASURED] = { "cannot be measured", "cannot be measured" },
	[CONDITION_UNKNOWN] = { "has no result yet", "have no result yet" },
	[CONDITION_PAUSED] = { "is paused", "are paused" },
	[CONDITION_WELL] = { "is healthy", "are healthy" },
};

/* Slow if the alarm alone explains the state; failing newest runs take precedence. */
static bool is_slow(const struct snapshot_repository *repository)
{
	if (!repository->alarm || repository->alarm->incident_id == 0)
		return false;
	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct snapshot_probe *probe = &repository->probes[i];
		if (probe->stuck_since_usec != 0)
			return false;
		if (probe->last_run && !run_status_has_numbers(probe->last_run->status) &&
			probe->last_run->status != RUN_SKIPPED)
			return false;
	}
	return true;
}

static bool has_own_trouble(const struct snapshot_repository *repository)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (repository->probes[i].own_trouble)
			return true;
	return false;
}

static enum condition condition_of(const struct snapshot_repository *repository)
{
	switch (repository->state) {
	case REPOSITORY_OK:
		return CONDITION_WELL;
	case REPOSITORY_WARNING:
	case REPOSITORY_CRITICAL:
		return is_slow(repository) ? CONDITION_SLOW : CONDITION_FAILS;
	case REPOSITORY_UNKNOWN:
		return has_own_trouble(repository) ? CONDITION_UNMEASURED : CONDITION_UNKNOWN;
	case REPOSITORY_PAUSED:
		return CONDITION_PAUSED;
	}
	return CONDITION_UNKNOWN;
}

static const char *condition_text(enum condition condition, size_t count)
{
	return count == 1 ? condition_texts[condition].one : condition_texts[condition].many;
}

/* "1 of 3 repositories is in trouble, 1 is slow" */
static void add_counts(const size_t *counts, size_t total, struct buf *b)
{
	bool is_first = true;

	for (size_t i = 0; i < CONDITION_WELL; i++) {
		if (counts[i] == 0)
			continue;
		if (is_first)
			buf_printf(b, "%zu of %zu repositories ", counts[i], total);
		else
			buf_printf(b, ", %zu ", counts[i]);
		buf_add_text(b, condition_text((enum condition)i, counts[i]));
		is_first = false;
	}
}

static void add_verdict(const struct snapshot *snapshot, struct buf *b)
{
	size_t total = snapshot->repository_count;
	size_t counts[CONDITIONS] = { 0 };

	for (size_t i = 0; i < total; i++)
		counts[condition_of(&snapshot->repositories[i])]++;
	if (total == 0) {
		buf_add_text(b, "no repository is configured");
		return;
	}
	for (size_t i = 0; i < CONDITIONS; i++) {
		if (counts[i] != total)
			continue;
		if (total == 1)
			buf_add_text(b, "the repository ");
		else
			buf_printf(b, "all %zu repositories ", total);
		buf_add_text(b, condition_text((enum condition)i, total));
		return;
	}
	add_counts(counts, total, b);
}

/* --- Repositories ------------------------------------------------------- */

static void add_limit(struct json_t *object, const char *key, uint64_t nsec)
{
	if (nsec > 0)
		json_add_seconds(object, key, nsec);
	else
		json_add_null(object, key);
}

static void add_instant_or_null(struct json_t *object, const char *key, int64_t usec)
{
	if (usec != 0)
		json_add_instant(object, key, usec);
	else
		json_add_null(object, key);
}

static struct json_t *new_last_run(const struct run *run)
{
	struct json_t *object = json_new_object();

	run_json_add_id(object, run);
	run_json_add_outcome(object, run);
	json_add_seconds(object, "duration_seconds", run->duration_nsec);
	run_json_add_setup(object, run);
	json_add_text(object, "setup_step_text",
		run->setup_step == RUN_SETUP_NONE ? NULL : run_setup_step_text(run->setup_step));
	run_json_add_operations(object, run);
	return object;
}

static struct json_t *new_probe(const struct snapshot_probe *probe)
{
	struct buf description = BUF_INIT(SENTENCE_MAX);
	struct json_t *object = json_new_object();

	workload_describe(probe->workload, &description);
	json_add_text(object, "name", probe->name);
	json_add_text(object, "description", buf_text(&description));
	json_add(object, "workload", workload_to_json(probe->workload));
	json_add_seconds(object, "interval_seconds", probe->interval_usec * NSEC_PER_USEC);
	if (probe->schedule)
		json_add_text(object, "schedule", probe->schedule);
	else
		json_add_null(object, "schedule");
	add_limit(object, "limit_seconds", probe->limit.limit_nsec);
	add_limit(object, "limit_critical_seconds", probe->limit.limit_critical_nsec);
	json_add_text(object, "limit_reason", probe->limit_reason);
	json_add_boolean(object, "is_running", probe->is_running);
	add_instant_or_null(object, "stuck_since", probe->stuck_since_usec);
	add_instant_or_null(object, "next_run", probe->next_run_usec);
	add_instant_or_null(object, "last_success", probe->last_success_usec);
	if (probe->last_run)
		json_add(object, "last_run", new_last_run(probe->last_run));
	else
		json_add_null(object, "last_run");
	buf_done(&description);
	return object;
}

static struct json_t *new_firing_series(const struct alarm_series *series)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "probe", series->probe);
	json_add_text(object, "operation", run_operation_name(series->operation));
	json_add_text(object, "level", alarm_level_name(series->level));
	json_add_text(object, "alarm", alarm_reason_name(series->reason));
	json_add_instant(object, "since", series->since_usec);
	json_add_seconds(object, "avg_seconds", series->value_nsec);
	json_add_seconds(object, "limit_seconds", series->limit_nsec);
	add_limit(object, "normal_seconds", series->normal_nsec);
	json_add_text(object, "load", load_class_name(series->load));
	return object;
}

/* Appends the alarms that fire about a probe's runs as a whole. */
static void append_firing_runs(struct json_t *runs, const struct alarm_probe *probe)
{
	for (size_t i = 0; i < ALARM_RUN_RULES; i++) {
		const struct alarm_rule_state *rule = &probe->rules[i];
		if (rule->level == ALARM_NONE)
			continue;
		struct json_t *object = json_new_object();
		json_add_text(object, "probe", probe->probe);
		json_add_text(object, "level", alarm_level_name(rule->level));
		json_add_text(object, "alarm",
			alarm_reason_name(alarm_run_rule_reason((enum alarm_run_rule)i)));
		json_add_instant(object, "since", rule->since_usec);
		json_append(runs, object);
	}
}

static void append_firing_alarm(struct json_t *alarms, const struct alarm_custom *custom)
{
	if (custom->rule.level == ALARM_NONE)
		return;
	struct json_t *object = json_new_object();

	json_add_text(object, "probe", custom->probe);
	json_add_text(object, "operation", run_operation_name(custom->operation));
	json_add_text(object, "level", alarm_level_name(custom->rule.level));
	json_add_text(object, "alarm", custom->name);
	json_add_instant(object, "since", custom->rule.since_usec);
	json_append(alarms, object);
}

/* The names of all firing alarms. */
static struct json_t *new_reasons(const struct alarm_state *alarm)
{
	struct json_t *reasons = json_new_array();

	for (size_t i = 0; i < ALARM_REASONS; i++)
		if (alarm_state_level(alarm, NULL, (enum alarm_reason)i) != ALARM_NONE)
			json_append_text(reasons, alarm_reason_name((enum alarm_reason)i));
	for (size_t i = 0; i < alarm->custom_count; i++)
		if (!alarm_custom_is_again(alarm, NULL, i) &&
			alarm_custom_level(alarm, NULL, alarm->customs[i].name) != ALARM_NONE)
			json_append_text(reasons, alarm->customs[i].name);
	return reasons;
}

static struct json_t *new_incident(
	const struct snapshot *snapshot, const struct snapshot_repository *repository)
{
	const struct alarm_state *alarm = repository->alarm;
	struct incident_group group;
	struct json_t *object = json_new_object();
	struct json_t *series = json_new_array();
	struct json_t *runs = json_new_array();
	struct json_t *alarms = json_new_array();

	for (size_t i = 0; i < alarm->series_count; i++)
		if (alarm->series[i].level != ALARM_NONE)
			json_append(series, new_firing_series(&alarm->series[i]));
	for (size_t i = 0; i < alarm->probe_count; i++)
		append_firing_runs(runs, &alarm->probes[i]);
	for (size_t i = 0; i < alarm->custom_count; i++)
		append_firing_alarm(alarms, &alarm->customs[i]);
	json_add_integer(object, "id", alarm->incident_id);
	json_add_text(object, "level", alarm_level_name(alarm->incident_level));
	json_add_instant(object, "opened", alarm->incident_opened_usec);
	json_add_boolean(object, "acknowledged", alarm->is_acknowledged);
	incident_group_now(snapshot, repository, &group);
	incident_add_group(object, &group);
	json_add(object, "reasons", new_reasons(alarm));
	json_add(object, "series", series);
	json_add(object, "runs", runs);
	json_add(object, "alarms", alarms);
	return object;
}

void report_add_mute(struct json_t *object, const struct snapshot_mute *mute)
{
	bool has_reason = mute->reason && mute->reason[0] != '\0';

	if (mute->mode == MUTE_NONE) {
		json_add_null(object, "mute");
		return;
	}
	struct json_t *value = json_new_object();
	json_add_text(value, "mode", mute_mode_name(mute->mode));
	json_add_instant(value, "until", mute->until_usec);
	json_add_text(value, "reason", has_reason ? mute->reason : NULL);
	json_add(object, "mute", value);
}

static struct json_t *new_target(const struct identity *identity, const struct facts *facts)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "fs_type", identity->fs_type);
	json_add_text(object, "source", identity->source);
	json_add_text(object, "mount_point", identity->mount_point);
	run_json_add_count(object, "size_bytes", identity->size_bytes);
	run_json_add_count(object, "free_bytes", identity->free_bytes);
	context_add_device(object, identity);
	context_add_facts(object, facts);
	return object;
}

static struct json_t *new_repository(
	const struct snapshot *snapshot, const struct snapshot_repository *repository)
{
	struct json_t *object = json_new_object();
	struct json_t *probes = json_new_array();

	for (size_t i = 0; i < repository->probe_count; i++)
		json_append(probes, new_probe(&repository->probes[i]));
	json_add_text(object, "name", repository->name);
	json_add_text(object, "path", repository->path);
	json_add_text(object, "state", repository_state_name(repository->state));
	json_add_text(object, "reason", repository->reason);
	if (repository->alarm && repository->alarm->incident_id != 0)
		json_add(object, "incident", new_incident(snapshot, repository));
	else
		json_add_null(object, "incident");
	report_add_mute(object, &repository->mute);
	if (repository->identity)
		json_add(object, "target", new_target(repository->identity, repository->facts));
	else
		json_add_null(object, "target");
	json_add(object, "probes", probes);
	return object;
}

/* --- Banners: problems of the daemon itself ----------------------------- */

static void append_banner(
	struct json_t *banners, const char *about, const char *what, const char *why)
{
	struct buf text = BUF_INIT(SENTENCE_MAX);
	struct json_t *object = json_new_object();

	buf_add_text(&text, what);
	buf_add_text(&text, why);
	json_add_text(object, "about", about);
	/* A reason that is too long must not suppress the banner. */
	json_add_text(object, "text", text.error == 0 ? buf_text(&text) : what);
	json_append(banners, object);
	buf_done(&text);
}

static void append_lost(struct json_t *banners, uint64_t lost)
{
	struct buf text = BUF_INIT(SENTENCE_MAX);

	if (lost == 0)
		return;
	buf_printf(&text, "%" PRIu64 " %s to the history since the start of the daemon", lost,
		lost == 1 ? "result was lost" : "results were lost");
	append_banner(banners, "database", buf_text(&text), "");
	buf_done(&text);
}

static void append_twins(struct json_t *banners, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->repository_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct snapshot_repository *a = &snapshot->repositories[k];
			const struct snapshot_repository *b = &snapshot->repositories[i];
			struct buf text = BUF_INIT(SENTENCE_MAX);

			if (!a->identity || !b->identity ||
				!identity_is_same_directory(a->identity, b->identity))
				continue;
			buf_printf(&text, "repositories %s and %s are one directory: ", a->name,
				b->name);
			append_banner(banners, "configuration", buf_text(&text),
				"remove one from the configuration");
			buf_done(&text);
		}
}

static void append_bad_rows(struct json_t *banners, uint64_t bad_rows)
{
	struct buf text = BUF_INIT(SENTENCE_MAX);

	if (bad_rows == 0)
		return;
	buf_printf(&text,
		"%" PRIu64 " %s of the history skipped for a value out of range; the log and "
		"`repoprobe database check` name each",
		bad_rows, bad_rows == 1 ? "row was" : "rows were");
	append_banner(banners, "database", buf_text(&text), "");
	buf_done(&text);
}

static struct json_t *new_banners(const struct snapshot *snapshot)
{
	struct json_t *banners = json_new_array();

	if (!snapshot->is_reload_ok)
		append_banner(banners, "configuration",
			"the configuration was not reloaded, the earlier one stays in force: ",
			snapshot->reload_error ? snapshot->reload_error : "unknown error");
	if (snapshot->database_error)
		append_banner(banners, "database",
			"the history cannot be written, results wait in memory: ",
			snapshot->database_error);
	append_lost(banners, snapshot->database_lost);
	append_bad_rows(banners, snapshot->database_bad_rows);
	if (snapshot->database_notice)
		append_banner(banners, "database", snapshot->database_notice, "");
	append_twins(banners, snapshot);
	return banners;
}

void report_overview(const struct snapshot *snapshot, struct buf *b)
{
	struct buf verdict = BUF_INIT(SENTENCE_MAX);
	struct json_t *object = json_new_object();
	struct json_t *repositories = json_new_array();

	add_verdict(snapshot, &verdict);
	for (size_t i = 0; i < snapshot->repository_count; i++)
		json_append(repositories, new_repository(snapshot, &snapshot->repositories[i]));
	json_add_text(object, "verdict", buf_text(&verdict));
	json_add(object, "repositories", repositories);
	json_add(object, "banners", new_banners(snapshot));
	run_json_add_count(object, "revision", snapshot->revision);
	json_add_text(object, "version", snapshot->version);
	json_add_instant(object, "now", snapshot->now_usec);
	json_add_instant(object, "started", snapshot->started_usec);
	buf_done(&verdict);
	int r = json_dump(object, false, b);
	if (r < 0 && b->error == 0)
		b->error = r;
}
