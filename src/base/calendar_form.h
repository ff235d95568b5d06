/* SPDX-License-Identifier: Apache-2.0 */
/* The parsed parts of a calendar time, before they are converted to sets. Private to the calendar
 * files. */
#ifndef REPOPROBE_BASE_CALENDAR_FORM_H
#define REPOPROBE_BASE_CALENDAR_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zone.h"

struct buf;
struct error;

enum calendar_unit {
	CALENDAR_YEAR,
	CALENDAR_MONTH,
	CALENDAR_DAY,
	CALENDAR_HOUR,
	CALENDAR_MINUTE,
	CALENDAR_SECOND,
};
#define CALENDAR_UNITS 6
#define CALENDAR_YEAR_MIN 1970
#define CALENDAR_YEAR_MAX 2199
#define CALENDAR_WEEKDAYS_ALL 0x7fU
#define CALENDAR_VALUES_MAX 60 /* per unit */

struct calendar_value {
	int start;
	int stop; /* -1: none */
	int repeat; /* 0: none */
	size_t position; /* in the text, from 1, for messages */
};

struct calendar_chain {
	size_t count; /* 0: every value */
	struct calendar_value values[CALENDAR_VALUES_MAX];
};

struct calendar_form {
	unsigned weekdays; /* 1 << 0: Monday */
	bool is_from_end; /* days are counted from the end of the month, 1 the last one */
	struct calendar_chain chains[CALENDAR_UNITS];
	char zone[ZONE_NAME_MAX + 1]; /* "": local */
};

extern const char *const calendar_weekday_names[7]; /* "Monday" first */

/* Parses the text; values are not checked. Returns 0 or -EINVAL. */
int calendar_form_read(const char *text, struct calendar_form *ret, struct error *reterr);

/* Checks every value, then sorts them and removes duplicates. Returns 0 or -EINVAL. */
int calendar_form_settle(struct calendar_form *form, const char *text, struct error *reterr);

/* In systemd's normal form. */
void calendar_form_print(const struct calendar_form *form, struct buf *b);

/* "TEXT: at position 5: …". Returns -EINVAL. */
int calendar_refuse(struct error *reterr, const char *text, size_t position, const char *format,
	...) __attribute__((format(printf, 4, 5)));

#endif
