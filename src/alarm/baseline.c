/* SPDX-License-Identifier: Apache-2.0 */
/* Medians by load class, their spread, and the season. */
#include "alarm/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"
#include "alarm/season.h"
#include "alarm/select.h"
#include "base/clock.h"

#define USEC_PER_MINUTE INT64_C(60000000)
#define USEC_PER_SECOND INT64_C(1000000)
#define SECONDS_PER_HOUR 3600
#define EPOCH_HOUR INT64_C(72) /* in hours of the week: 1970 began on a Thursday */
#define USEC_PER_DAY INT64_C(86400000000)
#define REBUILD_USEC USEC_PER_DAY
#define GROWING_RUNS 288 /* up to this many samples, each doubling triggers a build */
#define UNKNOWN_GROWTH 8 /* until idle runs have a normal: build after each eighth more */
#define ANCHOR_USEC (14 * USEC_PER_DAY)
#define SPREAD_MIN 103 /* e^0.07 */
#define SPREAD_MIN_FAST 100 /* one percent of the I/Os */
#define MAD_TO_SPREAD(mad) ((mad)*1518 / 1024) /* 1.4826, for a normal distribution */

/* Samples that count, with their class. */
struct sorted {
	const struct baseline_sample **samples;
	uint8_t *classes;
	uint8_t *steps; /* of others' work */
	size_t count;
	uint16_t *scratch; /* of the same size as values */
};

static int64_t usec_of(const struct baseline_sample *sample)
{
	return (int64_t)sample->minute * USEC_PER_MINUTE;
}

static struct sorted *sorted_free(struct sorted *s)
{
	free(s->samples);
	free(s->classes);
	free(s->steps);
	free(s->scratch);
	return NULL;
}

static int sorted_init(struct sorted *s, const struct baseline_source *source)
{
	size_t size = source->count > 0 ? source->count : 1;

	*s = (struct sorted){
		.samples = malloc(size * sizeof(struct baseline_sample *)),
		.classes = malloc(size),
		.steps = malloc(size),
		.scratch = malloc(size * sizeof(uint16_t)),
	};
	if (!s->samples || !s->classes || !s->steps || !s->scratch)
		return -ENOMEM;
	for (size_t i = 0; i < source->count; i++) {
		const struct baseline_sample *sample = &source->samples[i];
		if (usec_of(sample) > source->now_usec - BASELINE_USEC)
			s->samples[s->count++] = sample;
	}
	return 0;
}

/* A percentile of this sample field; 0 without samples. */
static uint64_t rate_at(
	struct sorted *s, unsigned percent, uint16_t (*get)(const struct baseline_sample *))
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		uint16_t value = get(s->samples[i]);
		if (value != BASELINE_UNKNOWN)
			s->scratch[count++] = value;
	}
	return count > 0 ? octave_to(select_percentile(s->scratch, count, percent)) : 0;
}

static uint16_t own_bytes(const struct baseline_sample *sample)
{
	return sample->values[BASELINE_THROUGHPUT];
}

static uint16_t own_ios(const struct baseline_sample *sample)
{
	return sample->values[BASELINE_IOPS];
}

static uint16_t others_bytes(const struct baseline_sample *sample)
{
	return sample->others_bytes;
}

static uint16_t others_ios(const struct baseline_sample *sample)
{
	return sample->others_ios;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void find_reference(struct sorted *s, struct load_reference *ret)
{
	ret->bytes_per_sec = larger(rate_at(s, 95, others_bytes), rate_at(s, 50, own_bytes));
	ret->ios_per_sec = larger(rate_at(s, 95, others_ios), rate_at(s, 50, own_ios));
}

static unsigned step_of_rates(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference)
{
	unsigned step =
		load_work_percent(bytes_per_sec, ios_per_sec, reference) * BASELINE_STEPS / 100;

	return step < BASELINE_STEPS ? step : BASELINE_STEPS - 1;
}

static unsigned step_of(
	const struct baseline_sample *sample, const struct load_reference *reference)
{
	if (sample->others_bytes == BASELINE_UNKNOWN)
		return 0;
	return step_of_rates(
		octave_to(sample->others_bytes), octave_to(sample->others_ios), reference);
}

/* Runs without counters are judged as idle, and so they are learned as idle. */
static void classify(struct sorted *s, const struct load_reference *reference)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct baseline_sample *sample = s->samples[i];
		s->classes[i] = LOAD_IDLE;
		s->steps[i] = 0;
		if (sample->others_bytes == BASELINE_UNKNOWN)
			continue;
		uint64_t bytes = octave_to(sample->others_bytes);
		uint64_t ios = octave_to(sample->others_ios);
		s->classes[i] = (uint8_t)load_classify_rates(bytes, ios, reference);
		s->steps[i] = (uint8_t)step_of_rates(bytes, ios, reference);
	}
}

static bool is_usable(
	const struct baseline_sample *sample, enum baseline_metric metric, uint16_t valley)
{
	if (!sample->is_learned || sample->values[metric] == BASELINE_UNKNOWN)
		return false;
	return metric != BASELINE_FAST || (valley != 0 && sample->valley == valley);
}

/* A value minus what is usual at its hour, shifted so that it stays positive. */
#define RESIDUAL_ZERO 32768

static uint16_t residual(int32_t value, int32_t of)
{
	int32_t r = value - of + RESIDUAL_ZERO;

	if (r < 0)
		return 0;
	return r > UINT16_MAX ? UINT16_MAX : (uint16_t)r;
}

/* The value to expect of a sample at its hour or load. */
static int32_t usual_at(const struct sorted *s, size_t i, const struct baseline *b, int32_t median)
{
	unsigned hour = s->samples[i]->hour_of_week % BASELINE_HOURS_OF_DAY;
	int32_t usual = s->classes[i] == LOAD_IDLE ? b->hours_of_day[hour] : b->steps[s->steps[i]];

	return usual != 0 ? usual : median;
}

static int32_t spread_of(uint16_t *values, size_t count)
{
	int32_t middle = select_median(values, count);

	for (size_t i = 0; i < count; i++)
		values[i] = (uint16_t)abs(values[i] - middle);
	return MAD_TO_SPREAD(select_median(values, count));
}

/* The spread of the average is taken about what is usual at its hour or load, every other spread
 * about the median. */
static void measure_normal(struct sorted *s, const struct baseline *b, enum baseline_metric metric,
	enum load_class load, struct baseline_normal *ret)
{
	bool is_average = metric == BASELINE_AVERAGE;
	int32_t floor = metric == BASELINE_FAST ? SPREAD_MIN_FAST : SPREAD_MIN;
	uint16_t valley = (uint16_t)octave_from(b->valley_nsec);
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->classes[i] == load && is_usable(s->samples[i], metric, valley))
			s->scratch[count++] = s->samples[i]->values[metric];
	*ret = (struct baseline_normal){ .count = (uint32_t)count };
	if (count < BASELINE_RUNS_MIN)
		return;
	ret->median = select_median(s->scratch, count);
	ret->low = select_percentile(s->scratch, count, 5);
	ret->high = select_percentile(s->scratch, count, 95);
	if (is_average) {
		count = 0;
		for (size_t i = 0; i < s->count; i++)
			if (s->classes[i] == load && is_usable(s->samples[i], metric, valley))
				s->scratch[count++] = residual(s->samples[i]->values[metric],
					usual_at(s, i, b, ret->median));
	}
	ret->spread = spread_of(s->scratch, count);
	if (ret->spread < floor)
		ret->spread = floor;
}

static int find_season(struct sorted *s, const struct baseline_source *source, struct baseline *b)
{
	struct season_builder *builder = season_new(s->count);

	if (!builder)
		return -ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		const struct baseline_sample *sample = s->samples[i];
		int64_t age_usec = source->now_usec - usec_of(sample);
		if (s->classes[i] == LOAD_IDLE && age_usec >= 0)
			season_add(builder, sample, (unsigned)(age_usec / (7 * USEC_PER_DAY)));
	}
	season_conclude(builder, b);
	season_free(builder);
	return 0;
}

static void find_steps(struct sorted *s, struct baseline *b)
{
	for (size_t step = 0; step < BASELINE_STEPS; step++) {
		size_t count = 0;
		for (size_t i = 0; i < s->count; i++)
			if (s->steps[i] == step && s->classes[i] != LOAD_IDLE &&
				is_usable(s->samples[i], BASELINE_AVERAGE, 0))
				s->scratch[count++] = s->samples[i]->values[BASELINE_AVERAGE];
		if (count >= BASELINE_RUNS_MIN)
			b->steps[step] = select_median(s->scratch, count);
	}
}

/* The anchor is what was normal after two weeks. It is lowered automatically when the last two
 * weeks were faster, and raised only by hand, because it exists to detect a slow rise. */
static void set_anchor(struct sorted *s, const struct baseline_source *source, struct baseline *b)
{
	const struct baseline *previous = source->previous;
	size_t count = 0;

	if (previous && previous->anchor != 0) {
		b->anchor = previous->anchor;
		b->anchor_usec = previous->anchor_usec;
	}
	if (b->sample_count == 0 || source->now_usec - b->oldest_usec < ANCHOR_USEC)
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->classes[i] == LOAD_IDLE && is_usable(s->samples[i], BASELINE_AVERAGE, 0) &&
			usec_of(s->samples[i]) > source->now_usec - ANCHOR_USEC)
			s->scratch[count++] = s->samples[i]->values[BASELINE_AVERAGE];
	if (count < BASELINE_RUNS_MIN)
		return;
	int32_t median = select_median(s->scratch, count);
	if (b->anchor == 0 || median < b->anchor) {
		b->anchor = median;
		b->anchor_usec = source->now_usec;
	}
}

static void count_samples(struct sorted *s, struct baseline *b)
{
	b->sample_count = (uint32_t)s->count;
	for (size_t i = 0; i < s->count; i++)
		if (i == 0 || usec_of(s->samples[i]) < b->oldest_usec)
			b->oldest_usec = usec_of(s->samples[i]);
}

int baseline_build(const struct baseline_source *source, struct baseline *ret)
{
	struct baseline b = { .built_usec = source->now_usec, .valley_nsec = source->valley_nsec };
	struct sorted s;
	int r = sorted_init(&s, source);

	if (r < 0)
		goto out;
	count_samples(&s, &b);
	find_reference(&s, &b.reference);
	classify(&s, &b.reference);
	r = find_season(&s, source, &b);
	if (r < 0)
		goto out;
	find_steps(&s, &b);
	for (size_t metric = 0; metric < BASELINE_METRICS; metric++)
		for (size_t load = 0; load < LOAD_CLASSES; load++)
			measure_normal(&s, &b, (enum baseline_metric)metric, (enum load_class)load,
				&b.normals[metric][load]);
	set_anchor(&s, source, &b);
	*ret = b;
out:
	sorted_free(&s);
	return r;
}

bool baseline_is_due(const struct baseline *previous, size_t samples, int64_t now_usec)
{
	if (samples < BASELINE_RUNS_MIN)
		return false;
	if (!previous || previous->built_usec == 0)
		return true;
	if (now_usec < previous->built_usec || now_usec - previous->built_usec >= REBUILD_USEC)
		return true;
	if (previous->sample_count >= GROWING_RUNS)
		return false;
	size_t growth = previous->sample_count;
	if (!baseline_has(previous, BASELINE_AVERAGE, LOAD_IDLE))
		growth /= UNKNOWN_GROWTH; /* allows for a few runs that were not learned from */
	return samples >= previous->sample_count + growth;
}

static enum load_class learned_as(enum load_class load)
{
	return load == LOAD_UNKNOWN ? LOAD_IDLE : load;
}

bool baseline_has(const struct baseline *b, enum baseline_metric metric, enum load_class load)
{
	return b && b->normals[metric][learned_as(load)].count >= BASELINE_RUNS_MIN;
}

int32_t baseline_reference(
	const struct baseline *b, enum load_class load, const struct baseline_sample *sample)
{
	int32_t reference = b->normals[BASELINE_AVERAGE][learned_as(load)].median;

	if (learned_as(load) != LOAD_IDLE) {
		int32_t usual = b->steps[step_of(sample, &b->reference)];
		return usual != 0 ? usual : reference;
	}
	int32_t day = b->hours_of_day[sample->hour_of_week % BASELINE_HOURS_OF_DAY];
	int32_t week = b->hours_of_week[sample->hour_of_week % BASELINE_HOURS_OF_WEEK];
	if (day > reference)
		reference = day;
	return week > reference ? week : reference;
}

unsigned baseline_hour_of_week(int64_t usec, int32_t local_offset_sec)
{
	int64_t seconds = usec / USEC_PER_SECOND - (usec % USEC_PER_SECOND < 0) + local_offset_sec;
	int64_t hour = seconds / SECONDS_PER_HOUR - (seconds % SECONDS_PER_HOUR < 0);
	int64_t of_week = (hour + EPOCH_HOUR) % BASELINE_HOURS_OF_WEEK;

	return (unsigned)(of_week < 0 ? of_week + BASELINE_HOURS_OF_WEEK : of_week);
}
