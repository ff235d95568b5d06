/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar times in the syntax of systemd.time(7) ("Mon..Fri 20:00", "*-*-* 18:00 Europe/Berlin",
 * "Sat *-*~07/1 02:30", "*:0/5", "hourly"), and their instants. Pure once parsed. Each matching
 * local time occurs once: one that the clocks show twice when summer time ends occurs the first
 * time, one that they skip when it begins occurs at the end of the gap. Differences from systemd:
 * systemd omits the latter; fractions of a second, "@SECONDS" and names of offsets ("CEST") are not
 * accepted, nor is a time that never occurs in the years 1970 to 2199, such as "*-02-30". */
#ifndef REPOPROBE_BASE_CALENDAR_H
#define REPOPROBE_BASE_CALENDAR_H

#include <stdint.h>

struct calendar;
struct error;
struct zone_places;

/* The caller frees it. The zone given, or the local one, is read now: later changes of its file
 * have no effect. Returns 0, -EINVAL (with the position and, if one can be guessed, a suggestion),
 * -ENOENT (no such zone), another error of reading the zone, or -ENOMEM. */
int calendar_parse(const char *text, const struct zone_places *places, struct calendar **ret,
	struct error *reterr);
struct calendar *calendar_free(struct calendar *calendar); /* accepts NULL, returns NULL */

/* The first of its instants after that one, in whole seconds. Returns 0, or -ENOENT if there is
 * none before the year 2200. */
int calendar_next(const struct calendar *calendar, int64_t after_usec, int64_t *ret_usec);

/* The same search in local time, in the encoding of zone.h: by a clock that is never set back, as a
 * calendar counts. It shows calendar_shown() at an instant, and each local time first at
 * calendar_instant(). So there is nothing between two local times that the clocks both skip. */
int64_t calendar_shown(const struct calendar *calendar, int64_t usec);
int calendar_next_local(const struct calendar *calendar, int64_t after_sec, int64_t *ret_sec);
int64_t calendar_instant(const struct calendar *calendar, int64_t local_sec);

/* The calendar in systemd's normal form: "Mon..Fri *-*-* 20:00:00". Lent. */
const char *calendar_text(const struct calendar *calendar);

/* Occurrences in CALENDAR_COUNT_DAYS (28 years), whatever years it names. */
#define CALENDAR_COUNT_DAYS 10227
uint64_t calendar_count(const struct calendar *calendar);

#endif
