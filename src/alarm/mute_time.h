/* SPDX-License-Identifier: Apache-2.0 */
/* When a mute is active, in the user's notation. Pure once parsed. Three forms, each with an
 * optional time zone at its end (default: the local one):
 *   "Mon..Fri 21:30-06:00 Europe/Berlin"      from a time on a calendar day to the next such time,
 *                                             across midnight if that is earlier
 *   "Sat 02:00 for 6h"                        this long from each of a calendar's instants
 *   "2026-12-24 18:00 to 2026-12-27 06:00"    once
 * Both ends of the first and third form are local clock times, so a night of 21:30-06:00 is an
 * hour shorter or longer when summer time begins or ends. calendar.h defines when they occur: an
 * interval that the clocks skip entirely is not active that day, and one that they show twice is
 * active the first time. */
#ifndef REPOPROBE_ALARM_MUTE_TIME_H
#define REPOPROBE_ALARM_MUTE_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct mute_time;
struct zone_places;

/* The caller frees it. Returns 0; -EINVAL with a sentence that says what was expected and suggests
 * a correction; another error of calendar_parse. */
int mute_time_parse(const char *text, const struct zone_places *places, struct mute_time **ret,
	struct error *reterr);
struct mute_time *mute_time_free(struct mute_time *m); /* accepts NULL, returns NULL */

/* Whether it is active at an instant (microseconds since 1970). If so, *ret_from_usec and
 * *ret_until_usec (exclusive) are the interval around it, INT64_MAX for one without end in the
 * years up to 2199. Neither is written when it is not active. */
bool mute_time_holds(const struct mute_time *m, int64_t now_usec, int64_t *ret_from_usec,
	int64_t *ret_until_usec);

/* The text it was parsed from. Lent. */
const char *mute_time_text(const struct mute_time *m);

#endif
