/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of samples. */
#include "alarm/history.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"

struct history *history_new(void)
{
	struct history *history = calloc(1, sizeof(*history));
	struct baseline_sample *samples = malloc(HISTORY_SAMPLES * sizeof(*samples));

	if (!history || !samples) {
		free(samples);
		return history_free(history);
	}
	history->samples = samples;
	return history;
}

struct history *history_free(struct history *history)
{
	if (history)
		free(history->samples);
	free(history);
	return NULL;
}

static bool is_idle(const struct history *history, const struct baseline_sample *sample)
{
	if (sample->others_bytes == BASELINE_UNKNOWN)
		return true;
	return load_classify_rates(octave_to(sample->others_bytes), octave_to(sample->others_ios),
		       &history->baseline.reference) == LOAD_IDLE;
}

static const struct baseline_sample *newest(const struct history *history)
{
	size_t at = history->next > 0 ? history->next - 1 : HISTORY_SAMPLES - 1;

	return history->count > 0 ? &history->samples[at] : NULL;
}

static bool is_too_soon(const struct history *history, const struct baseline_sample *sample)
{
	const struct baseline_sample *last = newest(history);

	return last && sample->minute >= last->minute &&
		sample->minute - last->minute < HISTORY_SPACING_MINUTES;
}

void history_add(struct history *history, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	if (history->baseline.sample_count >= BASELINE_RUNS_MIN && is_too_soon(history, sample))
		return;
	history->samples[history->next] = *sample;
	history->next = (history->next + 1) % HISTORY_SAMPLES;
	if (history->count < HISTORY_SAMPLES)
		history->count++;
	if (sample->is_learned && is_idle(history, sample))
		shape_add(&history->shape, latency);
}

int history_refresh(struct history *history, int64_t now_usec)
{
	if (!baseline_is_due(&history->baseline, history->count, now_usec))
		return 0;
	/* A valley stays: shares below another could not be compared with it. */
	uint64_t valley_nsec = history->baseline.valley_nsec;
	const struct baseline_source source = {
		.samples = history->samples,
		.count = history->count,
		.valley_nsec = valley_nsec > 0 ? valley_nsec : shape_valley_nsec(&history->shape),
		.previous = &history->baseline,
		.now_usec = now_usec,
	};
	int r = baseline_build(&source, &history->baseline);

	return r < 0 ? r : 1;
}

const struct baseline *history_baseline(const struct history *history)
{
	return history->baseline.built_usec != 0 ? &history->baseline : NULL;
}

void history_restart(struct history *history)
{
	history->count = 0;
	history->next = 0;
	memset(&history->shape, 0, sizeof(history->shape));
	memset(&history->baseline, 0, sizeof(history->baseline));
}
