/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and baselines of the probes in memory, and what of them is kept. */
#include "core/normal.h"

#include "alarm/alarm.h"
#include "alarm/sample_code.h"
#include "base/buf.h"
#include "core/present.h"
#include "model/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void normal_free_samples(struct samples **samples)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		samples[i] = samples_free(samples[i]);
}

int normal_find_samples(struct samples **samples, enum run_operation operation)
{
	if (!samples[operation])
		samples[operation] = samples_new();
	return samples[operation] ? 0 : -ENOMEM;
}

int normal_series_key(const struct present_probe *probe, char *ret, size_t size)
{
	struct buf key = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&probe->config->workload, &key);
	int r = key.error < 0 ? key.error : (key.len < size ? 0 : -ENAMETOOLONG);
	if (r == 0)
		memcpy(ret, buf_text(&key), key.len + 1);
	buf_done(&key);
	return r;
}

static int keep_baseline(const struct present_repository *repository,
	const struct present_probe *probe, enum run_operation operation,
	const struct baseline *baseline, struct batch *batch)
{
	struct saved_baseline *kept = calloc(1, sizeof(*kept));

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
	int r = normal_series_key(probe, kept->key, sizeof(kept->key));
	if (r == 0)
		r = batch_add_baseline(batch, kept);
	free(kept);
	return r;
}

/* What was judged before the past was read comes after it. */
void normal_join(struct samples **past, struct samples **since)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct samples *new_one = since[i];
		if (!past[i])
			continue;
		size_t last = past[i]->next > 0 ? past[i]->next - 1 : SAMPLES_KEPT - 1;
		uint32_t until = past[i]->count > 0 ? past[i]->list[last].minute : 0;
		for (size_t k = 0; new_one && k < new_one->count; k++)
			if (new_one->list[k].minute > until)
				samples_add(past[i], &new_one->list[k], NULL);
		since[i] = samples_free(since[i]);
		since[i] = past[i];
		past[i] = NULL;
	}
}

int normal_keep(const struct present_repository *repository, const struct present_probe *probe,
	struct batch *batch)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < RUN_OPERATIONS; i++) {
		const struct samples *samples = probe->normal.samples[i];
		if (samples && samples->baseline.built_usec != 0)
			r = keep_baseline(repository, probe, (enum run_operation)i,
				&samples->baseline, batch);
	}
	return r;
}

void normal_done(struct normal *normal)
{
	normal_free_samples(normal->samples);
}

int normal_learn(const struct present_repository *repository, struct present_probe *probe,
	const struct run *run, const struct alarm_outcome *outcome, int64_t now_usec,
	struct batch *batch)
{
	uint8_t code[SAMPLE_CODE_BYTES];

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		enum run_operation operation = (enum run_operation)i;
		if (!outcome->has_sample[i])
			continue;
		sample_code(&outcome->samples[i], code);
		int r = batch_add_sample(batch, run->id, operation, code, sizeof(code));
		if (r == 0)
			r = normal_find_samples(probe->normal.samples, operation);
		if (r < 0)
			return r;
		struct samples *samples = probe->normal.samples[i];
		samples_add(samples, &outcome->samples[i], &run->operations[i].latency);
		r = samples_refresh(samples, now_usec);
		/* What is stored stays until it was read: the anchor comes from there. */
		if (r > 0 && !probe->normal.is_read)
			probe->normal.is_unkept = true;
		else if (r > 0)
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

int normal_restart(const struct present_repository *repository, struct present_probe *probe,
	int64_t now_usec, struct batch *batch)
{
	static const struct baseline nothing;
	int r = 0;

	for (size_t i = 0; r == 0 && i < RUN_OPERATIONS; i++) {
		struct samples *samples = probe->normal.samples[i];
		if (!samples && probe->normal.is_read)
			continue; /* there never was anything */
		probe->normal.since_usec[i] = now_usec;
		if (samples)
			samples_restart(samples);
		r = keep_baseline(repository, probe, (enum run_operation)i, &nothing, batch);
	}
	return r;
}
