/* SPDX-License-Identifier: Apache-2.0 */
/* The POSIX rule of a time zone as in TZ ("CET-1CEST,M3.5.0,M10.5.0/3"), with RFC 9636's hours from
 * -167 to 167: used after the end of a zone's list of transitions. Private to the zone files. */
#ifndef REPOPROBE_BASE_ZONE_RULE_H
#define REPOPROBE_BASE_ZONE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/zone.h"

enum zone_rule_day {
	ZONE_DAY_JULIAN, /* Jn: 1 to 365, the leap day is not counted */
	ZONE_DAY_OF_YEAR, /* n: 0 to 365 */
	ZONE_DAY_OF_WEEK, /* Mm.w.d: the w-th weekday d of a month, 5 the last one */
};

struct zone_rule_date {
	enum zone_rule_day kind;
	int64_t day;
	int64_t month;
	int64_t week;
	int64_t weekday; /* 0 is Sunday, as in POSIX */
	int64_t time_sec; /* local, by the offset in force before */
};

struct zone_rule {
	int32_t standard_sec; /* east of Greenwich */
	int32_t summer_sec;
	bool has_summer;
	struct zone_rule_date begins; /* of summer time */
	struct zone_rule_date ends;
};

/* Returns 0 or -EINVAL. */
int zone_rule_parse(const char *text, struct zone_rule *ret);

/* utc_sec within ZONE_SECONDS_MAX. */
struct zone_span zone_rule_at(const struct zone_rule *rule, int64_t utc_sec);

#endif
