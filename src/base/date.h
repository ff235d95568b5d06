/* SPDX-License-Identifier: Apache-2.0 */
/* Days and dates of the Gregorian calendar, without clocks and time zones. Days count from
 * 1970-01-01, which is day 0. */
#ifndef REPOPROBE_BASE_DATE_H
#define REPOPROBE_BASE_DATE_H

#include <stdint.h>

#define DATE_SECONDS_PER_DAY INT64_C(86400)

struct date {
	int64_t year;
	int64_t month; /* 1 to 12 */
	int64_t day; /* 1 to 31 */
};

/* The day may be beyond the end of its month: it then counts on into the next ones. */
int64_t date_to_days(int64_t year, int64_t month, int64_t day);
struct date date_from_days(int64_t days);

int64_t date_month_days(int64_t year, int64_t month); /* 28 to 31 */

/* 0 is Monday, 6 Sunday. */
unsigned date_weekday(int64_t days);

/* The day that contains a second since 1970 (rounded down, also before 1970). */
static inline int64_t date_days_of_seconds(int64_t seconds)
{
	return seconds / DATE_SECONDS_PER_DAY - (seconds % DATE_SECONDS_PER_DAY < 0);
}

#endif
