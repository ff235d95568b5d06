/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar times as systemd.time(7) writes them ("Mon..Fri 20:00", "*-*-* 18:00 Europe/Berlin",
 * "Sat *-*~07/1 02:30", "*:0/5", "hourly"), and the instants they mean. Pure once parsed.
 *
 * Each local time that is named comes once: one that clocks show twice as summer time ends the
 * first time, one that they leave out as it begins at the end of that gap. Else than systemd: it
 * leaves out the latter; fractions of a second, "@SECONDS" and the names of offsets ("CEST") are
 * not taken; nor is what never comes in the years 1970 to 2199, such as "*-02-30". */
#ifndef REPOPROBE_BASE_CALENDAR_H
#define REPOPROBE_BASE_CALENDAR_H

#include <stdint.h>

struct calendar;
struct error;
struct zone_places;

/* To be freed. Reads the zone that is named, else the local one, now: later changes of their files
 * do not count. Returns 0, -EINVAL (with the position and, where it can be guessed, what was
 * meant), -ENOENT (no such zone), another error of reading the zone, or -ENOMEM. */
int calendar_parse(const char *text, const struct zone_places *places, struct calendar **ret,
	struct error *reterr);
struct calendar *calendar_free(struct calendar *calendar); /* accepts NULL, returns NULL */

/* The first of its instants after that one, a whole second. Returns 0, or -ENOENT when none comes
 * before the year 2200. */
int calendar_next(const struct calendar *calendar, int64_t after_usec, int64_t *ret_usec);

/* The same search in local time, written as zone.h writes it: by a clock that is never set back, as
 * a calendar counts. It shows calendar_shown() at an instant, and each local time first at
 * calendar_instant(). So what lies between two local times is empty where clocks leave both out. */
int64_t calendar_shown(const struct calendar *calendar, int64_t usec);
int calendar_next_local(const struct calendar *calendar, int64_t after_sec, int64_t *ret_sec);
int64_t calendar_instant(const struct calendar *calendar, int64_t local_sec);

/* The same in systemd's normal form: "Mon..Fri *-*-* 20:00:00". Lent. */
const char *calendar_text(const struct calendar *calendar);

/* How often it comes in CALENDAR_COUNT_DAYS, that is 28 years, whatever years it names. */
#define CALENDAR_COUNT_DAYS 10227
uint64_t calendar_count(const struct calendar *calendar);

#endif
