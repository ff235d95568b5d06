/* SPDX-License-Identifier: Apache-2.0 */
/* Hourly medians, their median, and checks in a row. */
#include "alarm/drift.h"

#include <string.h>

#include "alarm/octave.h"
#include "alarm/select.h"

#define USEC_PER_HOUR INT64_C(3600000000)
#define BAD_OCTAVES OCTAVE_1_3
#define GOOD_OCTAVES OCTAVE_1_2
#define CHECKS 3 /* in a row */
#define WINDOW_HOURS 12 /* examined: longer than a patrol read or a night's backup */
#define HOURS_MIN 8
#define GOOD_HOURS 3 /* most of these must be good as well: slow to fire, so slow to clear */
#define ZERO 32768 /* makes the values unsigned */

static int16_t clamp(int32_t value)
{
	if (value > INT16_MAX)
		return INT16_MAX;
	if (value < INT16_MIN)
		return INT16_MIN;
	return (int16_t)value;
}

static int32_t median(const int16_t *values, size_t count)
{
	uint16_t shifted[ALARM_DRIFT_HOURS];

	for (size_t i = 0; i < count; i++)
		shifted[i] = (uint16_t)(values[i] + ZERO);
	return (int32_t)select_median(shifted, count) - ZERO;
}

static enum drift_verdict check(struct alarm_drift *drift)
{
	size_t hours = drift->hour_count < WINDOW_HOURS ? drift->hour_count : WINDOW_HOURS;

	if (hours < HOURS_MIN)
		return DRIFT_NONE;
	if (median(drift->hours, hours) < BAD_OCTAVES)
		drift->bad_hours = 0;
	else if (drift->bad_hours < CHECKS)
		drift->bad_hours++;
	return drift->bad_hours >= CHECKS ? DRIFT_FOUND : DRIFT_NONE;
}

static enum drift_verdict conclude_hour(struct alarm_drift *drift)
{
	if (drift->value_count == 0)
		return DRIFT_NOT_CHECKED;
	memmove(&drift->hours[1], &drift->hours[0],
		(ALARM_DRIFT_HOURS - 1) * sizeof(drift->hours[0]));
	drift->hours[0] = clamp(median(drift->values, drift->value_count));
	if (drift->hour_count < ALARM_DRIFT_HOURS)
		drift->hour_count++;
	drift->value_count = 0;
	return check(drift);
}

enum drift_verdict drift_add(struct alarm_drift *drift, int32_t anchor_ratio, int64_t now_usec)
{
	int64_t hour = now_usec / USEC_PER_HOUR;
	enum drift_verdict verdict = DRIFT_NOT_CHECKED;

	if (hour != drift->hour)
		verdict = conclude_hour(drift);
	drift->hour = hour;
	if (drift->value_count < ALARM_DRIFT_VALUES)
		drift->values[drift->value_count++] = clamp(anchor_ratio);
	return verdict;
}

bool drift_is_good(const struct alarm_drift *drift, int32_t anchor_ratio)
{
	size_t hours = drift->hour_count < GOOD_HOURS ? drift->hour_count : GOOD_HOURS;

	return anchor_ratio <= GOOD_OCTAVES &&
		(hours == 0 || median(drift->hours, hours) <= GOOD_OCTAVES);
}

void drift_forget(struct alarm_drift *drift, int64_t since_usec, int64_t now_usec)
{
	int64_t span_hours = now_usec / USEC_PER_HOUR - since_usec / USEC_PER_HOUR;
	size_t dropped = drift->hour_count;

	if (span_hours >= 0 && span_hours < drift->hour_count)
		dropped = (size_t)span_hours;
	memmove(&drift->hours[0], &drift->hours[dropped],
		(drift->hour_count - dropped) * sizeof(drift->hours[0]));
	drift->hour_count = (uint8_t)(drift->hour_count - dropped);
	memset(&drift->hours[drift->hour_count], 0,
		(ALARM_DRIFT_HOURS - drift->hour_count) * sizeof(drift->hours[0]));
	memset(drift->values, 0, sizeof(drift->values));
	drift->value_count = 0;
	drift->bad_hours = 0;
}
