/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of samples. */
#include "alarm/history.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"
#include "alarm/select.h"

#define MINUTES_PER_HOUR 60
#define USEC_PER_MINUTE INT64_C(60000000)
#define RESTORED_WHOLE 288 /* a day of runs every five minutes */

struct history *history_new(void)
{
	struct history *history = calloc(1, sizeof(*history));

	if (!history)
		return NULL;
	history->samples = malloc(HISTORY_SAMPLES * sizeof(history->samples[0]));
	return history->samples ? history : history_free(history);
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

static bool is_too_near(const struct history *history, const struct baseline_sample *sample)
{
	const struct baseline_sample *last = newest(history);

	return last && sample->minute >= last->minute &&
		sample->minute - last->minute < HISTORY_SPACING_MINUTES;
}

static void keep(struct history *history, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	history->samples[history->next] = *sample;
	history->next = (history->next + 1) % HISTORY_SAMPLES;
	if (history->count < HISTORY_SAMPLES)
		history->count++;
	if (latency && sample->is_learned && is_idle(history, sample))
		shape_add(&history->shape, latency);
}

void history_add(struct history *history, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	if (history->baseline.sample_count < BASELINE_RUNS_MIN || !is_too_near(history, sample))
		keep(history, sample, latency);
}

void history_restore(struct history *history, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	if (history->count < RESTORED_WHOLE || !is_too_near(history, sample))
		keep(history, sample, latency);
}

/* The medians of the hours, one after the other: samples are in the order of time from the oldest
 * on, which is the next to go. */
uint64_t history_best_bytes_per_sec(const struct history *history, int64_t now_usec)
{
	uint16_t values[MINUTES_PER_HOUR];
	int64_t first_minute = (now_usec - BASELINE_USEC) / USEC_PER_MINUTE;
	size_t oldest = history->count < HISTORY_SAMPLES ? 0 : history->next;
	uint32_t hour = 0;
	size_t count = 0;
	uint16_t best = 0;

	for (size_t i = 0; i <= history->count; i++) {
		const struct baseline_sample *s = i < history->count
			? &history->samples[(oldest + i) % HISTORY_SAMPLES]
			: NULL;
		if (count > 0 && (!s || s->minute / MINUTES_PER_HOUR != hour)) {
			uint16_t median = select_median(values, count);
			best = median > best ? median : best;
			count = 0;
		}
		if (!s || s->values[BASELINE_THROUGHPUT] == BASELINE_UNKNOWN ||
			s->minute < first_minute || count == MINUTES_PER_HOUR)
			continue;
		hour = s->minute / MINUTES_PER_HOUR;
		values[count++] = s->values[BASELINE_THROUGHPUT];
	}
	return best > 0 ? octave_to(best) : 0;
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
