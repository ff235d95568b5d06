/* SPDX-License-Identifier: Apache-2.0 */
/* A ring buffer of samples. */
#include "alarm/samples.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"
#include "alarm/select.h"

#define MINUTES_PER_HOUR 60
#define USEC_PER_MINUTE INT64_C(60000000)
#define KEPT_WHOLE 288 /* a day of runs every five minutes */

struct samples *samples_new(void)
{
	struct samples *samples = calloc(1, sizeof(*samples));

	if (!samples)
		return NULL;
	samples->list = malloc(SAMPLES_KEPT * sizeof(samples->list[0]));
	return samples->list ? samples : samples_free(samples);
}

struct samples *samples_free(struct samples *samples)
{
	if (samples)
		free(samples->list);
	free(samples);
	return NULL;
}

static bool is_idle(const struct samples *samples, const struct baseline_sample *sample)
{
	if (sample->others_bytes == BASELINE_UNKNOWN)
		return true;
	return load_classify_rates(octave_to(sample->others_bytes), octave_to(sample->others_ios),
		       &samples->baseline.reference) == LOAD_IDLE;
}

static const struct baseline_sample *newest(const struct samples *samples)
{
	size_t at = samples->next > 0 ? samples->next - 1 : SAMPLES_KEPT - 1;

	return samples->count > 0 ? &samples->list[at] : NULL;
}

static bool is_too_near(const struct samples *samples, const struct baseline_sample *sample)
{
	const struct baseline_sample *last = newest(samples);

	return last && sample->minute >= last->minute &&
		sample->minute - last->minute < SAMPLES_SPACING_MINUTES;
}

static void keep(struct samples *samples, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	samples->list[samples->next] = *sample;
	samples->next = (samples->next + 1) % SAMPLES_KEPT;
	if (samples->count < SAMPLES_KEPT)
		samples->count++;
	if (latency && sample->is_learned && is_idle(samples, sample))
		shape_add(&samples->shape, latency);
}

void samples_add(struct samples *samples, const struct baseline_sample *sample,
	const struct histogram *latency)
{
	if (samples->count < KEPT_WHOLE || !is_too_near(samples, sample))
		keep(samples, sample, latency);
}

/* The medians of consecutive hours: samples are in time order, beginning with the oldest, which is
 * the next to be overwritten. */
uint64_t samples_best_bytes_per_sec(const struct samples *samples, int64_t now_usec)
{
	uint16_t values[MINUTES_PER_HOUR];
	int64_t first_minute = (now_usec - BASELINE_USEC) / USEC_PER_MINUTE;
	size_t oldest = samples->count < SAMPLES_KEPT ? 0 : samples->next;
	uint32_t hour = 0;
	size_t count = 0;
	uint16_t best = 0;

	for (size_t i = 0; i <= samples->count; i++) {
		const struct baseline_sample *s =
			i < samples->count ? &samples->list[(oldest + i) % SAMPLES_KEPT] : NULL;
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

int samples_refresh(struct samples *samples, int64_t now_usec)
{
	if (!baseline_is_due(&samples->baseline, samples->count, now_usec))
		return 0;
	/* The valley is kept: shares counted with another could not be compared. */
	uint64_t valley_nsec = samples->baseline.valley_nsec;
	const struct baseline_source source = {
		.samples = samples->list,
		.count = samples->count,
		.valley_nsec = valley_nsec > 0 ? valley_nsec : shape_valley_nsec(&samples->shape),
		.previous = &samples->baseline,
		.now_usec = now_usec,
	};
	int r = baseline_build(&source, &samples->baseline);

	return r < 0 ? r : 1;
}

const struct baseline *samples_baseline(const struct samples *samples)
{
	return samples->baseline.built_usec != 0 ? &samples->baseline : NULL;
}

void samples_restart(struct samples *samples)
{
	samples->count = 0;
	samples->next = 0;
	memset(&samples->shape, 0, sizeof(samples->shape));
	memset(&samples->baseline, 0, sizeof(samples->baseline));
}
