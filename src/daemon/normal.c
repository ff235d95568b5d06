/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of the probes in memory; questions to the reader threads and their answers. */
#include "daemon/normal.h"

#include "alarm/alarm.h"
#include "alarm/sample_code.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/log.h"
#include "daemon/custom_alarms.h"
#include "daemon/daemon.h"
#include "store/store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MINUTE_USEC INT64_C(60000000)

/* --- A question and its answer, which a reader thread fills in ------------- */

struct past {
	struct past *next;
	struct normal_reader *reader;
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	char key[STORE_SERIES_KEY_MAX + 1];
	bool is_again; /* for the windows alone */
	size_t window; /* custom_alarms_window's */
	struct custom_windows *windows;
	int64_t from_usec;
	struct samples *samples[RUN_OPERATIONS];
	struct store_baseline *baselines; /* by operation */
	int error;
	struct error sentence;
};

struct normal_reader {
	int fd; /* eventfd */
	sd_event_source *source;
	bool is_out; /* a question is: one at a time, for people ask the same threads */
	pthread_mutex_t lock; /* for the list */
	struct past *answers;
};

static void free_samples(struct samples **samples)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		samples[i] = samples_free(samples[i]);
}

static struct past *past_free(struct past *past)
{
	if (past) {
		free_samples(past->samples);
		free(past->baselines);
		custom_windows_free(past->windows);
	}
	free(past);
	return NULL;
}

static int find_samples(struct samples **samples, enum run_operation operation)
{
	if (!samples[operation])
		samples[operation] = samples_new();
	return samples[operation] ? 0 : -ENOMEM;
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
	r = find_samples(past->samples, stored->operation);
	if (r == 0)
		samples_restore(past->samples[stored->operation], &sample, stored->latency);
	return r;
}

static void take_baselines(struct past *past)
{
	const struct store_baseline *baselines = past->baselines;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct baseline *b = past->samples[i] ? &past->samples[i]->baseline : NULL;
		if (!b || baselines[i].built_usec == 0)
			continue;
		b->anchor = baselines[i].anchor;
		b->anchor_usec = baselines[i].anchor_usec;
		b->valley_nsec = baselines[i].valley_nsec;
	}
}

/* Of runs that were skipped, failed or confirmed another there may be some between. */
#define RUNS_LOOKED_AT 8 /* for each that is wanted */

struct windows_question {
	struct past *past;
	size_t found;
};

static bool is_of_series(const struct run *run, const char *key)
{
	struct buf text = BUF_INIT(STORE_SERIES_KEY_MAX);

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

static int read_windows(struct store_reader *reader, struct past *past)
{
	struct windows_question question = { .past = past };
	const struct store_run_filter filter = {
		.repository = past->repository,
		.probe = past->probe,
		.limit = past->window * RUNS_LOOKED_AT,
	};

	if (past->window == 0)
		return 0;
	int r = store_read_runs(reader, &filter, take_run, &question, &past->sentence);
	return r < 0 ? r : 0;
}

static int read_normal(struct store_reader *reader, struct past *past)
{
	const struct store_sample_query query = {
		.repository = past->repository,
		.probe = past->probe,
		.key = past->key,
		.from_usec = past->from_usec,
		.max_histograms = SHAPE_RUNS,
	};
	past->baselines = calloc(RUN_OPERATIONS, sizeof(*past->baselines));
	int r = past->baselines
		? store_read_baselines(reader, &query, past->baselines, &past->sentence)
		: -ENOMEM;

	if (r >= 0)
		r = store_read_samples(reader, &query, take_sample, past, &past->sentence);
	if (r >= 0)
		take_baselines(past);
	return r == -ENOENT ? 0 : r;
}

static int read_past(struct store_reader *reader, struct past *past)
{
	int r = past->is_again ? 0 : read_normal(reader, past);

	return r < 0 ? r : read_windows(reader, past);
}

/* On a reader thread; reader NULL: the pool closes. */
static void answer(struct store_reader *reader, void *data)
{
	const uint64_t one = 1;
	struct past *past = data;
	struct normal_reader *to = past->reader;

	if (!reader) {
		past_free(past);
		return;
	}
	past->error = read_past(reader, past);
	pthread_mutex_lock(&to->lock);
	past->next = to->answers;
	to->answers = past;
	pthread_mutex_unlock(&to->lock);
	if (write(to->fd, &one, sizeof(one)) < 0)
		return; /* full: then the loop is about to look anyway */
}

/* --- On the loop ------------------------------------------------------------ */

static int write_key(const struct live_probe *probe, char *ret, size_t size)
{
	struct buf key = BUF_INIT(STORE_SERIES_KEY_MAX);

	workload_series_key(&probe->config->workload, &key);
	int r = key.error < 0 ? key.error : (key.len < size ? 0 : -ENAMETOOLONG);
	if (r == 0)
		memcpy(ret, buf_text(&key), key.len + 1);
	buf_done(&key);
	return r;
}

/* What was judged while the past was being read comes after it. */
static void join(struct samples **past, struct samples **since)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct samples *new_one = since[i];
		if (!past[i])
			continue;
		size_t last = past[i]->next > 0 ? past[i]->next - 1 : SAMPLES_KEPT - 1;
		uint32_t until = past[i]->count > 0 ? past[i]->list[last].minute : 0;
		for (size_t k = 0; new_one && k < new_one->count; k++)
			if (new_one->list[k].minute > until)
				samples_restore(past[i], &new_one->list[k], NULL);
		since[i] = samples_free(since[i]);
		since[i] = past[i];
		past[i] = NULL;
	}
}

static void take_past(struct daemon *d, struct past *past)
{
	struct live_repository *repository = live_find_repository(d->live, past->repository);
	struct live_probe *probe = live_find_probe(repository, past->probe);
	int64_t now_usec = clock_realtime_usec(&d->clock);

	if (past->error < 0) {
		log_warning("%s/%s: what was normal before cannot be read (%s); it is learned anew",
			past->repository, past->probe,
			past->sentence.text[0] ? past->sentence.text : errno_text(-past->error));
		return;
	}
	char key[STORE_SERIES_KEY_MAX + 1];
	if (!probe || write_key(probe, key, sizeof(key)) < 0 || strcmp(key, past->key) != 0)
		return; /* what is measured changed meanwhile */
	custom_windows_join(&probe->windows, &past->windows,
		custom_alarms_window(d->config, past->repository, past->probe));
	if (past->is_again)
		return;
	join(past->samples, probe->normal.samples);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (probe->normal.since_usec[i] == 0)
			probe->normal.since_usec[i] = past->baselines[i].since_usec;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (probe->normal.samples[i])
			(void)samples_refresh(probe->normal.samples[i],
				now_usec); /* without memory at the next run */
}

static int on_answers(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct daemon *d = data;
	struct normal_reader *reader = d->normal_reader;
	uint64_t count;

	(void)source;
	(void)revents;
	if (read(fd, &count, sizeof(count)) < 0)
		return 0; /* nothing is there */
	pthread_mutex_lock(&reader->lock);
	struct past *answers = reader->answers;
	reader->answers = NULL;
	pthread_mutex_unlock(&reader->lock);
	while (answers) {
		struct past *past = answers;
		answers = past->next;
		reader->is_out = false;
		take_past(d, past);
		past_free(past);
	}
	normal_ask(d);
	daemon_changed(d);
	return 0;
}

int normal_start(struct daemon *d, struct error *reterr)
{
	struct normal_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return error_set(reterr, -ENOMEM, "no memory");
	pthread_mutex_init(&reader->lock, NULL); /* cannot fail on Linux */
	d->normal_reader = reader;
	reader->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int r = reader->fd < 0
		? -errno
		: sd_event_add_io(d->event, &reader->source, reader->fd, EPOLLIN, on_answers, d);
	if (r < 0)
		return error_set(reterr, r, "event loop: %s", errno_text(-r));
	normal_ask(d);
	return 0;
}

void normal_stop(struct daemon *d)
{
	struct normal_reader *reader = d->normal_reader;

	if (!reader)
		return;
	while (reader->answers) {
		struct past *past = reader->answers;
		reader->answers = past->next;
		past_free(past);
	}
	(void)sd_event_source_disable_unref(reader->source);
	fd_close(reader->fd);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
	d->normal_reader = NULL;
}

static int ask(struct daemon *d, const struct live_repository *repository, struct live_probe *probe,
	size_t window)
{
	struct past *past = calloc(1, sizeof(*past));

	if (!past)
		return -ENOMEM;
	past->reader = d->normal_reader;
	past->is_again = probe->normal.is_asked;
	past->window = window;
	past->from_usec = clock_realtime_usec(&d->clock) - BASELINE_USEC;
	(void)strncat(past->repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(past->probe, probe->config->name, RUN_NAME_MAX);
	int r = write_key(probe, past->key, sizeof(past->key));
	if (r == 0)
		r = store_pool_ask(d->pool, answer, past);
	if (r < 0)
		past_free(past);
	return r;
}

void normal_ask(struct daemon *d)
{
	for (size_t i = 0; i < d->live->repository_count; i++) {
		struct live_repository *repository = &d->live->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct live_probe *probe = &repository->probes[k];
			size_t window = custom_alarms_window(
				d->config, repository->config->name, probe->config->name);
			if (probe->normal.is_asked && window <= probe->normal.asked_window) {
				probe->normal.asked_window = window; /* no more is kept */
				continue;
			}
			if (d->normal_reader->is_out || ask(d, repository, probe, window) < 0)
				return; /* after the answer, or with the next tending */
			d->normal_reader->is_out = true;
			probe->normal.is_asked = true;
			probe->normal.asked_window = window;
		}
	}
}

/* --- Learning --------------------------------------------------------------- */

void normal_done(struct normal *normal)
{
	free_samples(normal->samples);
}

static int keep_baseline(const struct live_repository *repository, const struct live_probe *probe,
	enum run_operation operation, const struct baseline *baseline, struct store_batch *batch)
{
	struct store_baseline *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	(void)strncat(kept->repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(kept->probe, probe->config->name, RUN_NAME_MAX);
	kept->operation = operation;
	kept->built_usec = baseline->built_usec;
	kept->anchor = baseline->anchor;
	kept->anchor_usec = baseline->anchor_usec;
	kept->valley_nsec = baseline->valley_nsec;
	kept->since_usec = probe->normal.since_usec[operation];
	int r = write_key(probe, kept->key, sizeof(kept->key));
	if (r == 0)
		r = store_batch_add_baseline(batch, kept);
	free(kept);
	return r;
}

int normal_learn(const struct live_repository *repository, struct live_probe *probe,
	const struct run *run, const struct alarm_outcome *outcome, int64_t now_usec,
	struct store_batch *batch)
{
	uint8_t code[SAMPLE_CODE_BYTES];

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		enum run_operation operation = (enum run_operation)i;
		if (!outcome->has_sample[i])
			continue;
		sample_code(&outcome->samples[i], code);
		int r = store_batch_add_sample(batch, run->id, operation, code, sizeof(code));
		if (r == 0)
			r = find_samples(probe->normal.samples, operation);
		if (r < 0)
			return r;
		struct samples *samples = probe->normal.samples[i];
		samples_add(samples, &outcome->samples[i], &run->operations[i].latency);
		r = samples_refresh(samples, now_usec);
		if (r > 0)
			r = keep_baseline(repository, probe, operation, &samples->baseline, batch);
		if (r < 0)
			return r;
	}
	return 0;
}

const struct baseline *normal_baseline(const struct normal *normal, enum run_operation operation)
{
	const struct samples *samples = normal->samples[operation];

	return samples ? samples_baseline(samples) : NULL;
}

uint64_t normal_best_bytes_per_sec(const struct normal *normal, int64_t now_usec, size_t *ret_runs)
{
	uint64_t best = 0;
	size_t runs = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct samples *samples = normal->samples[i];
		if (!samples)
			continue;
		best += samples_best_bytes_per_sec(samples, now_usec);
		runs = samples->count > runs ? samples->count : runs;
	}
	*ret_runs = runs;
	return best;
}

int normal_restart(const struct live_repository *repository, struct live_probe *probe,
	int64_t now_usec, struct store_batch *batch)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < RUN_OPERATIONS; i++) {
		struct samples *samples = probe->normal.samples[i];
		if (!samples)
			continue;
		probe->normal.since_usec[i] = now_usec;
		samples_restart(samples);
		r = keep_baseline(
			repository, probe, (enum run_operation)i, &samples->baseline, batch);
	}
	return r;
}
