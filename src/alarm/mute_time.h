/* SPDX-License-Identifier: Apache-2.0 */
/* When a mute holds, as a user writes it. Pure once parsed. Three forms, each with an optional time
 * zone at its end (the local one without):
 *   "Mon..Fri 21:30-06:00 Europe/Berlin"      from a calendar day's time to the next such time of
 *                                             the clock, across midnight where that is earlier
 *   "Sat 02:00 for 6h"                        from each of a calendar's instants, so long
 *   "2026-12-24 18:00 to 2026-12-27 06:00"    once
 * Ends of the first and third form are times of the clock, so that a night of 21:30-06:00 is an
 * hour shorter or longer when summer time begins or ends. They come when calendar.h says so: a
 * stretch that clocks leave out in whole does not hold that day, and one that they show twice holds
 * the first time. */
#ifndef REPOPROBE_ALARM_MUTE_TIME_H
#define REPOPROBE_ALARM_MUTE_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct mute_time;
struct zone_places;

/* To be freed. Returns 0; -EINVAL with a sentence that says what was expected and what was probably
 * meant; another error of calendar_parse. */
int mute_time_parse(const char *text, const struct zone_places *places, struct mute_time **ret,
	struct error *reterr);
struct mute_time *mute_time_free(struct mute_time *m); /* accepts NULL, returns NULL */

/* Does it hold at an instant (microseconds since 1970)? Then *ret_from_usec and *ret_until_usec
 * (excluded) are the stretch around it, INT64_MAX for one without end in the years up to 2199.
 * Neither is written when it does not. */
bool mute_time_holds(const struct mute_time *m, int64_t now_usec, int64_t *ret_from_usec,
	int64_t *ret_until_usec);

/* As it was given. Lent. */
const char *mute_time_text(const struct mute_time *m);

#endif
