/* SPDX-License-Identifier: Apache-2.0 */
/* Hourly and weekly patterns in the idle runs of a series. */
#ifndef REPOPROBE_ALARM_SEASON_H
#define REPOPROBE_ALARM_SEASON_H

#include <stddef.h>

#include "alarm/baseline.h"

#define SEASON_WEEKS 4

struct season_builder;

struct season_builder *season_new(size_t samples_max); /* NULL when memory is short */
struct season_builder *season_free(struct season_builder *builder);

/* week: 0 for the newest seven days, 1 for the seven before …; older samples are ignored. */
void season_add(
	struct season_builder *builder, const struct baseline_sample *sample, unsigned week);

/* Fills in hours_of_day and hours_of_week. */
void season_conclude(struct season_builder *builder, struct baseline *ret);

#endif
