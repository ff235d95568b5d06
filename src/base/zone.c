/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of a zone over time, and conversion between local time and instants. */
#include "base/zone.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/zone_data.h"

struct zone *zone_free(struct zone *zone)
{
	if (!zone)
		return NULL;
	free(zone->transitions);
	free(zone);
	return NULL;
}

int zone_from_rule(const char *text, struct zone **ret, struct error *reterr)
{
	struct zone *zone = calloc(1, sizeof(*zone));

	if (!zone)
		return -ENOMEM;
	zone->has_rule = true;
	if (zone_rule_parse(text, &zone->rule) < 0) {
		zone_free(zone);
		return error_set(reterr, -EINVAL,
			"%.60s: expected a time zone such as Europe/Berlin or CET-1CEST", text);
	}
	*ret = zone;
	return 0;
}

/* The number of transitions at or before an instant. */
static size_t count_before(const struct zone *zone, int64_t utc_sec)
{
	size_t low = 0;
	size_t high = zone->transition_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (zone->transitions[middle].at_sec <= utc_sec)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct zone_span zone_at(const struct zone *zone, int64_t utc_sec)
{
	size_t passed = count_before(zone, utc_sec);
	bool is_last = passed == zone->transition_count;

	if (is_last && zone->has_rule)
		return zone_rule_at(&zone->rule, utc_sec);
	return (struct zone_span){
		.offset_sec = passed > 0 ? zone->transitions[passed - 1].offset_sec
					 : zone->first_offset_sec,
		.until_sec = is_last ? INT64_MAX : zone->transitions[passed].at_sec,
	};
}

/* Before local_sec - ZONE_OFFSET_MAX no clock shows local_sec yet. */
int64_t zone_first_instant(const struct zone *zone, int64_t local_sec)
{
	int64_t from_sec = local_sec - ZONE_OFFSET_MAX;

	for (;;) {
		struct zone_span span = zone_at(zone, from_sec);
		int64_t at_sec = local_sec - span.offset_sec;

		if (at_sec < from_sec)
			at_sec = from_sec;
		if (at_sec < span.until_sec)
			return at_sec;
		from_sec = span.until_sec;
	}
}

/* Local times shown more than two such offsets ago are earlier than the present one. */
int64_t zone_latest_shown(const struct zone *zone, int64_t utc_sec)
{
	int64_t from_sec = utc_sec - 2 * ZONE_OFFSET_MAX;
	int64_t latest_sec = INT64_MIN;

	for (;;) {
		struct zone_span span = zone_at(zone, from_sec);
		bool is_past = span.until_sec <= utc_sec;
		int64_t shown_sec = (is_past ? span.until_sec - 1 : utc_sec) + span.offset_sec;

		if (shown_sec > latest_sec)
			latest_sec = shown_sec;
		if (!is_past)
			return latest_sec;
		from_sec = span.until_sec;
	}
}
