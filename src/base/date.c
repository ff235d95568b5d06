/* SPDX-License-Identifier: Apache-2.0 */
/* Howard Hinnant's days_from_civil and civil_from_days: years begin in March, so that the leap day
 * comes last; an era has 400 years. */
#include "base/date.h"

#include <stdbool.h>

#define DAYS_PER_ERA 146097
#define DAYS_TO_1970 719468 /* from the 1st of March of year 0 */
#define WEEKDAY_OF_1970 3 /* a Thursday */

int64_t date_to_days(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t m = month > 2 ? month - 3 : month + 9;
	int64_t day_of_year = (153 * m + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

struct date date_from_days(int64_t days)
{
	int64_t d = days + DAYS_TO_1970;
	int64_t era = (d >= 0 ? d : d - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
	int64_t day_of_era = d - era * DAYS_PER_ERA;
	int64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month = (5 * day_of_year + 2) / 153;

	return (struct date){
		.year = year_of_era + era * 400 + (month >= 10),
		.month = month + (month < 10 ? 3 : -9),
		.day = day_of_year - (153 * month + 2) / 5 + 1,
	};
}

int64_t date_month_days(int64_t year, int64_t month)
{
	static const int64_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap);
}

unsigned date_weekday(int64_t days)
{
	int64_t weekday = (days + WEEKDAY_OF_1970) % 7;

	return (unsigned)(weekday < 0 ? weekday + 7 : weekday);
}
