/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the reader threads, one at a time, and their answers. */
#include "daemon/normal_query.h"

#include "alarm/alarm.h"
#include "alarm/sample_code.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "core/custom_alarms.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "daemon/question.h"
#include "daemon/record.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_USEC INT64_C(60000000)

/* --- A question and its answer, which a reader thread fills in ------------- */

struct past {
	struct question question;
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	char key[WORKLOAD_SERIES_KEY_MAX + 1];
	bool is_again; /* for the windows alone */
	size_t window; /* custom_alarms_window's */
	struct custom_windows *windows;
	int64_t from_usec;
	struct samples *samples[RUN_OPERATIONS];
	struct saved_baseline *baselines; /* by operation */
};

static void free_past(struct question *q)
{
	struct past *past = (struct past *)q;

	normal_free_samples(past->samples);
	free(past->baselines);
	custom_windows_free(past->windows);
	free(past);
}

static int take_sample(void *data, const struct store_sample *stored)
{
	struct past *past = data;
	struct baseline_sample sample;
	int r = sample_code_read(stored->bytes, stored->len, &sample);

	/* One of another version is a run less to learn from. */
	if (r < 0 ||
		(int64_t)sample.minute * MINUTE_USEC <
			past->baselines[stored->operation].since_usec)
		return 0;
	r = normal_find_samples(past->samples, stored->operation);
	if (r == 0)
		samples_add(past->samples[stored->operation], &sample, stored->latency);
	return r;
}

/* Also where all samples are too old by now: an anchor is for good. */
static int take_baselines(struct past *past)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct saved_baseline *stored = &past->baselines[i];
		if (stored->built_usec == 0)
			continue;
		int r = normal_find_samples(past->samples, (enum run_operation)i);
		if (r < 0)
			return r;
		struct baseline *b = &past->samples[i]->baseline;
		b->anchor = stored->anchor;
		b->anchor_usec = stored->anchor_usec;
		b->valley_nsec = stored->valley_nsec;
	}
	return 0;
}

/* Of runs that were skipped, failed or confirmed another there may be some between. */
#define RUNS_LOOKED_AT 8 /* for each that is wanted */

struct windows_question {
	struct past *past;
	size_t found;
};

static bool is_of_series(const struct run *run, const char *key)
{
	struct buf text = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&run->workload, &text);
	bool is_same = text.error == 0 && strcmp(buf_text(&text), key) == 0;
	buf_done(&text);
	return is_same;
}

static int take_run(void *data, const struct run *run)
{
	struct windows_question *q = data;

	if (!custom_windows_takes(run) || !is_of_series(run, q->past->key))
		return 0;
	int r = custom_windows_add(&q->past->windows, run, q->past->window);
	if (r < 0)
		return r;
	return ++q->found >= q->past->window; /* 1: enough */
}

static int read_windows(struct store_reader *reader, struct past *past, struct error *reterr)
{
	struct windows_question question = { .past = past };
	const struct store_run_filter filter = {
		.repository = past->repository,
		.probe = past->probe,
		.limit = past->window * RUNS_LOOKED_AT,
	};

	if (past->window == 0)
		return 0;
	int r = store_read_runs(reader, &filter, take_run, &question, reterr);
	return r < 0 ? r : 0;
}

/* What is damaged will be so tomorrow: what can be read counts, and the rest is learned anew. */
static bool is_damage(int error)
{
	return error == -EUCLEAN || error == -EBADMSG;
}

static int read_normal(struct store_reader *reader, struct past *past, struct error *reterr)
{
	const struct store_sample_query query = {
		.repository = past->repository,
		.probe = past->probe,
		.key = past->key,
		.from_usec = past->from_usec,
		.max_histograms = SHAPE_RUNS,
	};
	int r = store_read_baselines(reader, &query, past->baselines, reterr);

	if (r >= 0)
		r = store_read_samples(reader, &query, take_sample, past, reterr);
	int taken = r >= 0 || is_damage(r) ? take_baselines(past) : 0;
	if (taken < 0)
		return error_set(reterr, taken, "%s", errno_text(-taken));
	return r == -ENOENT ? 0 : r;
}

static int read_past(struct store_reader *reader, struct question *q, struct error *reterr)
{
	struct past *past = (struct past *)q;
	int r = past->is_again ? 0 : read_normal(reader, past, reterr);

	return r < 0 ? r : read_windows(reader, past, reterr);
}

/* --- On the loop ------------------------------------------------------------ */

/* A rebaseline meanwhile is newer than all that is stored. */
static void forget_before(struct normal *normal, struct past *past)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		if (normal->since_usec[i] > past->baselines[i].since_usec)
			past->samples[i] = samples_free(past->samples[i]);
		else
			normal->since_usec[i] = past->baselines[i].since_usec;
	}
}

static struct present_probe *find_probe(
	struct daemon *d, const struct past *past, struct present_repository **ret_repository)
{
	struct present_repository *repository =
		present_find_repository(d->core.present, past->repository);
	struct present_probe *probe = present_find_probe(repository, past->probe);
	char key[WORKLOAD_SERIES_KEY_MAX + 1];

	if (!probe || normal_series_key(probe, key, sizeof(key)) < 0 || strcmp(key, past->key) != 0)
		return NULL; /* what is measured changed meanwhile */
	*ret_repository = repository;
	return probe;
}

/* Once it is known what was stored, what was learned until then may be. */
static void keep_unkept(
	struct daemon *d, const struct present_repository *repository, struct present_probe *probe)
{
	struct batch *batch = batch_new();
	int r = batch ? normal_keep(repository, probe, batch) : -ENOMEM;

	if (r < 0) {
		batch_free(batch); /* the next build is kept */
		return;
	}
	pipeline_submit(d, batch);
}

static void take_normal(struct daemon *d, const struct present_repository *repository,
	struct present_probe *probe, struct past *past)
{
	int64_t now_usec = clock_realtime_usec(&d->clock);
	struct normal *normal = &probe->normal;

	forget_before(normal, past);
	normal_join(past->samples, normal->samples);
	normal->is_read = true;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (normal->samples[i])
			(void)samples_refresh(
				normal->samples[i], now_usec); /* without memory at the next run */
	if (normal->is_unkept)
		keep_unkept(d, repository, probe);
	normal->is_unkept = false;
}

static void note_failure(struct daemon *d, struct present_probe *probe, const struct past *past)
{
	const struct question *q = &past->question;
	const char *why = q->sentence.text[0] != '\0' ? q->sentence.text : errno_text(-q->error);

	if (is_damage(q->error)) {
		log_warning("%s/%s: some of what was normal before cannot be read (%s); it is "
			    "learned again",
			past->repository, past->probe, why);
		return;
	}
	if (probe->normal.failures++ == 0)
		log_warning("%s/%s: what was normal before cannot be read (%s); it is asked for "
			    "again, and what is learned meanwhile is not kept",
			past->repository, past->probe, why);
	probe->normal.retry_nsec =
		clock_monotonic_nsec(&d->clock) + question_pause_nsec(probe->normal.failures);
}

static void take_past(struct daemon *d, struct question *q)
{
	struct past *past = (struct past *)q;
	struct present_repository *repository = NULL;
	struct present_probe *probe = find_probe(d, past, &repository);

	d->is_normal_asked = false;
	if (probe && q->error < 0)
		note_failure(d, probe, past);
	if (probe && (q->error >= 0 || is_damage(q->error))) {
		probe->normal.failures = 0;
		probe->normal.read_window = past->window;
		custom_windows_join(&probe->windows, &past->windows,
			custom_alarms_window(d->core.config, past->repository, past->probe));
		if (!past->is_again)
			take_normal(d, repository, probe, past);
	}
	normal_query_ask(d);
	record_release(d);
	daemon_changed(d);
}

static int ask(struct daemon *d, const struct present_repository *repository,
	struct present_probe *probe, size_t window)
{
	struct past *past = calloc(1, sizeof(*past));

	if (!past)
		return -ENOMEM;
	past->question =
		(struct question){ .read = read_past, .take = take_past, .free = free_past };
	past->is_again = probe->normal.is_read;
	past->window = window;
	past->from_usec = clock_realtime_usec(&d->clock) - BASELINE_USEC;
	past->baselines = calloc(RUN_OPERATIONS, sizeof(*past->baselines));
	(void)strncat(past->repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(past->probe, probe->config->name, RUN_NAME_MAX);
	int r = past->baselines ? normal_series_key(probe, past->key, sizeof(past->key)) : -ENOMEM;
	if (r == 0)
		r = question_ask(d, &past->question);
	if (r < 0)
		free_past(&past->question);
	return r;
}

static bool is_read(struct normal *normal, size_t window)
{
	if (!normal->is_read || window > normal->read_window)
		return false;
	normal->read_window = window; /* no more is kept */
	return true;
}

void normal_query_ask(struct daemon *d)
{
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	uint64_t next_nsec = UINT64_MAX;

	if (!d->record.is_open || d->is_normal_asked)
		return;
	for (size_t i = 0; i < d->core.present->repository_count; i++) {
		struct present_repository *repository = &d->core.present->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct present_probe *probe = &repository->probes[k];
			size_t window = custom_alarms_window(
				d->core.config, repository->config->name, probe->config->name);
			if (is_read(&probe->normal, window))
				continue;
			if (probe->normal.retry_nsec > now_nsec) {
				if (probe->normal.retry_nsec < next_nsec)
					next_nsec = probe->normal.retry_nsec;
				continue;
			}
			d->is_normal_asked = ask(d, repository, probe, window) == 0;
			if (!d->is_normal_asked) /* else after the answer */
				question_look_later(d, question_pause_nsec(1));
			return;
		}
	}
	if (next_nsec != UINT64_MAX)
		question_look_later(d, next_nsec - now_nsec);
}

bool normal_query_is_done(const struct daemon *d)
{
	for (size_t i = 0; i < d->core.present->repository_count; i++)
		for (size_t k = 0; k < d->core.present->repositories[i].probe_count; k++) {
			const struct normal *n = &d->core.present->repositories[i].probes[k].normal;
			if (!n->is_read && n->failures == 0)
				return false;
		}
	return true;
}
