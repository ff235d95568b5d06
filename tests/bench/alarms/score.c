/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents against labels. */
#include "score.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CAUSE_STEP MINUTE

/* --- Lists ------------------------------------------------------------------- */

int incident_list_add(struct incident_list *list, int64_t time, const char *reason)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
		struct incident *grown = realloc(list->incidents, capacity * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		list->incidents = grown;
		list->capacity = capacity;
	}
	struct incident *incident = &list->incidents[list->count++];
	size_t len = strnlen(reason, sizeof(incident->reason) - 1);

	*incident = (struct incident){ .begin = time, .end = time };
	memcpy(incident->reason, reason, len);
	return 0;
}

void incident_list_end(struct incident_list *list, int64_t time)
{
	if (list->count > 0)
		list->incidents[list->count - 1].end = time;
}

void incident_list_merge(struct incident_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct incident *next = &list->incidents[i];
		if (kept > 0 && next->begin - list->incidents[kept - 1].end <= SCORE_MERGE)
			list->incidents[kept - 1].end = next->end;
		else
			list->incidents[kept++] = *next;
	}
	list->count = kept;
}

void incident_list_done(struct incident_list *list)
{
	free(list->incidents);
	*list = (struct incident_list){ .count = 0 };
}

/* --- False incidents --------------------------------------------------------- */

const char *score_cause_name(enum cause cause)
{
	static const char *const names[] = {
		[CAUSE_HIDDEN] = "hidden load",
		[CAUSE_BUSY] = "visible busy",
		[CAUSE_PATROL] = "patrol",
		[CAUSE_SPIKE] = "spike",
		[CAUSE_NOISE] = "noise",
	};
	return names[cause];
}

static enum cause find_cause(const struct repository *r, int64_t from, int64_t to)
{
	bool has[CAUSES] = { false };

	for (int64_t time = from; time <= to; time += CAUSE_STEP) {
		struct moment m = repository_moment(r, time);
		has[CAUSE_HIDDEN] |= m.hidden > 0;
		has[CAUSE_BUSY] |= m.visible > 0;
		has[CAUSE_PATROL] |= m.has_patrol;
		has[CAUSE_SPIKE] |= m.has_spike;
	}
	for (size_t i = 0; i < CAUSE_NOISE; i++)
		if (has[i])
			return (enum cause)i;
	return CAUSE_NOISE;
}

static bool overlaps(const struct incident *incident, const struct episode *e)
{
	return incident->begin < e->end + SCORE_GRACE && incident->end >= e->begin;
}

int score_false_cause(const struct repository *r, const struct incident *incident)
{
	if (incident->begin < SIMULATION_BEGIN + SIMULATION_LEARNING)
		return -1;
	for (size_t i = 0; i < r->episode_count; i++)
		if (overlaps(incident, &r->episodes[i]))
			return -1;
	enum cause cause = find_cause(r, incident->begin - 15 * MINUTE, incident->begin);
	if (cause == CAUSE_NOISE)
		cause = find_cause(r, incident->begin - HOUR, incident->begin);
	return (int)cause;
}

/* --- Episodes ---------------------------------------------------------------- */

static struct episode_score score_episode(const struct incident_list *list, const struct episode *e)
{
	struct episode_score score = { .type = e->type };
	bool is_told = false;

	for (size_t i = 0; i < list->count; i++) {
		const struct incident *incident = &list->incidents[i];
		if (!overlaps(incident, e))
			continue;
		score.incidents++;
		/* One that was over before the onset, or began after the end, has told nothing. */
		if (is_told || incident->begin >= e->end || incident->end < e->onset)
			continue;
		is_told = true;
		if (incident->begin > e->onset)
			score.delay_minutes = (double)(incident->begin - e->onset) / (double)MINUTE;
	}
	if (!is_told)
		score.incidents = 0;
	return score;
}

void score_repository(
	const struct repository *r, const struct incident_list *list, struct score *ret)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct incident *incident = &list->incidents[i];
		int cause = score_false_cause(r, incident);
		if (cause < 0)
			continue;
		ret->false_count[cause]++;
		ret->false_hours += (double)(incident->end - incident->begin) / (double)HOUR;
	}
	for (size_t i = 0; i < r->episode_count; i++)
		ret->episodes[ret->episode_count++] = score_episode(list, &r->episodes[i]);
}
