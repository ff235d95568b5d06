/* SPDX-License-Identifier: Apache-2.0 */
/* Samples by (hour of week, week), and medians over them. The hour of the day is learned from good
 * runs alone. The hour of the week is learned from all runs, because an event such as a patrol read
 * every Saturday night looks like trouble until it is known to recur; recurrence is required
 * instead: the median week must have it. */
#include "alarm/season.h"

#include <stdlib.h>

#include "alarm/select.h"

#define CELLS ((size_t)BASELINE_HOURS_OF_WEEK * SEASON_WEEKS)
#define DAYS_A_WEEK 7
#define HOUR_RUNS_MIN 36 /* of an hour of the day */
#define WEEK_RUNS_MIN 6 /* of an hour of one week, with its neighbours */
#define WEEKS_MIN 2

struct item {
	uint16_t value;
	uint16_t cell;
	bool is_learned;
};

struct season_builder {
	size_t max;
	size_t count;
	struct item *items; /* in the order they were added */
	uint16_t *values; /* by cell */
	bool *learned; /* parallel to values */
	uint16_t *scratch;
	uint32_t first[CELLS + 1]; /* of each cell, in values */
};

struct season_builder *season_free(struct season_builder *builder)
{
	if (!builder)
		return NULL;
	free(builder->items);
	free(builder->values);
	free(builder->learned);
	free(builder->scratch);
	free(builder);
	return NULL;
}

struct season_builder *season_new(size_t samples_max)
{
	struct season_builder *builder = calloc(1, sizeof(*builder));
	size_t max = samples_max > 0 ? samples_max : 1;

	if (!builder)
		return NULL;
	builder->max = max;
	builder->items = malloc(max * sizeof(builder->items[0]));
	builder->values = malloc(max * sizeof(builder->values[0]));
	builder->learned = malloc(max * sizeof(builder->learned[0]));
	builder->scratch = malloc(max * sizeof(builder->scratch[0]));
	if (!builder->items || !builder->values || !builder->learned || !builder->scratch)
		return season_free(builder);
	return builder;
}

void season_add(struct season_builder *builder, const struct baseline_sample *sample, unsigned week)
{
	uint16_t value = sample->values[BASELINE_AVERAGE];

	if (week >= SEASON_WEEKS || sample->hour_of_week >= BASELINE_HOURS_OF_WEEK ||
		value == BASELINE_UNKNOWN || builder->count >= builder->max)
		return;
	builder->items[builder->count++] = (struct item){
		.value = value,
		.cell = (uint16_t)(sample->hour_of_week * SEASON_WEEKS + week),
		.is_learned = sample->is_learned,
	};
}

static void sort_by_cell(struct season_builder *builder)
{
	uint32_t next[CELLS];

	for (size_t i = 0; i < builder->count; i++)
		builder->first[builder->items[i].cell + 1]++;
	for (size_t i = 0; i < CELLS; i++) {
		builder->first[i + 1] += builder->first[i];
		next[i] = builder->first[i];
	}
	for (size_t i = 0; i < builder->count; i++) {
		uint32_t place = next[builder->items[i].cell]++;
		builder->values[place] = builder->items[i].value;
		builder->learned[place] = builder->items[i].is_learned;
	}
}

/* Adds a cell's values to the scratch. */
static size_t gather(struct season_builder *builder, unsigned hour, unsigned week,
	bool is_learned_only, size_t count)
{
	size_t cell = (size_t)(hour % BASELINE_HOURS_OF_WEEK) * SEASON_WEEKS + week;

	for (uint32_t i = builder->first[cell]; i < builder->first[cell + 1]; i++)
		if (builder->learned[i] || !is_learned_only)
			builder->scratch[count++] = builder->values[i];
	return count;
}

static int32_t median_of_day_hour(struct season_builder *builder, unsigned hour)
{
	size_t count = 0;

	for (unsigned day = 0; day < DAYS_A_WEEK; day++)
		for (unsigned week = 0; week < SEASON_WEEKS; week++)
			count = gather(
				builder, day * BASELINE_HOURS_OF_DAY + hour, week, true, count);
	return count >= HOUR_RUNS_MIN ? select_median(builder->scratch, count) : 0;
}

/* The lower median of the weeks' medians: with two weeks, both must have been slow. */
static int32_t median_of_week_hour(struct season_builder *builder, unsigned hour)
{
	uint16_t medians[SEASON_WEEKS];
	size_t weeks = 0;

	for (unsigned week = 0; week < SEASON_WEEKS; week++) {
		size_t count = 0;
		for (unsigned side = 0; side < 3; side++)
			count = gather(builder, hour + BASELINE_HOURS_OF_WEEK - 1 + side, week,
				false, count);
		if (count >= WEEK_RUNS_MIN)
			medians[weeks++] = select_median(builder->scratch, count);
	}
	return weeks >= WEEKS_MIN ? select_median(medians, weeks) : 0;
}

void season_conclude(struct season_builder *builder, struct baseline *ret)
{
	sort_by_cell(builder);
	for (unsigned hour = 0; hour < BASELINE_HOURS_OF_DAY; hour++)
		ret->hours_of_day[hour] = median_of_day_hour(builder, hour);
	for (unsigned hour = 0; hour < BASELINE_HOURS_OF_WEEK; hour++)
		ret->hours_of_week[hour] = median_of_week_hour(builder, hour);
}
