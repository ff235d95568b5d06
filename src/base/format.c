/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text: exact for files, rounded for display. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/parse.h"

#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)
#define USEC_PER_YEAR (31557600 * USEC_PER_SEC) /* systemd's: 365.25 days */

void format_size(struct buf *b, uint64_t bytes)
{
	static const char suffixes[] = "KMGTP";
	size_t count = 0;

	while (bytes > 0 && bytes % 1024 == 0 && suffixes[count]) {
		bytes /= 1024;
		count++;
	}
	buf_printf(b, "%" PRIu64, bytes);
	if (count > 0)
		buf_add_char(b, suffixes[count - 1]);
}

/* value / unit with at most six decimals and no trailing zeros; unit is a power of ten. */
static void add_decimal(struct buf *b, uint64_t value, uint64_t unit)
{
	uint64_t fraction = value % unit;

	buf_printf(b, "%" PRIu64, value / unit);
	if (fraction == 0)
		return;
	buf_add_char(b, '.');
	for (; fraction > 0; fraction %= unit) {
		unit /= 10;
		buf_add_char(b, (char)('0' + fraction / unit));
	}
}

void format_duration(struct buf *b, uint64_t usec)
{
	static const struct {
		uint64_t usec;
		const char *suffix;
	} units[] = {
		{ USEC_PER_DAY, "d" },
		{ USEC_PER_HOUR, "h" },
		{ USEC_PER_MIN, "min" },
	};

	if (usec > 0 && usec % USEC_PER_YEAR == 0) {
		buf_printf(b, "%" PRIu64 "y", usec / USEC_PER_YEAR);
		return;
	}
	uint64_t rest = usec;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (rest >= units[i].usec)
			buf_printf(b, "%" PRIu64 "%s", rest / units[i].usec, units[i].suffix);
		rest %= units[i].usec;
	}
	if (rest == 0 && usec > 0)
		return;
	if (rest == 0 || rest >= USEC_PER_SEC) {
		add_decimal(b, rest, USEC_PER_SEC);
		buf_add_text(b, "s");
	} else if (rest >= USEC_PER_MSEC) {
		add_decimal(b, rest, USEC_PER_MSEC);
		buf_add_text(b, "ms");
	} else {
		buf_printf(b, "%" PRIu64 "us", rest);
	}
}

static void add_date(struct buf *b, int64_t days_since_1970)
{
	struct date date = date_from_days(days_since_1970);

	buf_printf(b, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, date.year, date.month, date.day);
}

void format_instant(struct buf *b, int64_t usec)
{
	const int64_t usec_per_day = (int64_t)USEC_PER_DAY;
	int64_t day = usec / usec_per_day;
	int64_t rest = usec % usec_per_day;

	if (rest < 0) {
		day--;
		rest += usec_per_day;
	}
	int64_t seconds = rest / (int64_t)USEC_PER_SEC;
	add_date(b, day);
	buf_printf(b, "T%02" PRId64 ":%02" PRId64 ":%02" PRId64 ".%06" PRId64 "Z", seconds / 3600,
		seconds / 60 % 60, seconds % 60, rest % (int64_t)USEC_PER_SEC);
}

/* A unit for display: a number below 100 gets one decimal, unless it is zero. */
struct scale {
	uint64_t unit;
	const char *name;
};

static void add_rounded(struct buf *b, uint64_t value, const struct scale *scales, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t unit = scales[i].unit;
		uint64_t whole = value / unit + (value % unit >= unit - unit / 2);
		/* Below 100 units, ten times the value cannot overflow. */
		uint64_t tenths = whole < 101 ? (value * 10 + unit / 2) / unit : whole * 10;

		if (i + 1 < count && whole >= scales[i + 1].unit / unit)
			continue;
		if (tenths < 1000 && tenths % 10 > 0)
			buf_printf(b, "%" PRIu64 ".%" PRIu64 " ", tenths / 10, tenths % 10);
		else
			buf_printf(b, "%" PRIu64 " ", tenths < 1000 ? tenths / 10 : whole);
		buf_add_text(b, scales[i].name);
		return;
	}
}

void format_size_rounded(struct buf *b, uint64_t bytes)
{
	static const struct scale scales[] = {
		{ 1, "B" },
		{ UINT64_C(1) << 10, "KiB" },
		{ UINT64_C(1) << 20, "MiB" },
		{ UINT64_C(1) << 30, "GiB" },
		{ UINT64_C(1) << 40, "TiB" },
		{ UINT64_C(1) << 50, "PiB" },
	};

	add_rounded(b, bytes, scales, sizeof(scales) / sizeof(scales[0]));
}

void format_latency(struct buf *b, uint64_t nsec)
{
	static const struct scale scales[] = {
		{ 1, "ns" },
		{ NSEC_PER_USEC, "us" },
		{ NSEC_PER_MSEC, "ms" },
		{ NSEC_PER_SEC, "s" },
	};

	add_rounded(b, nsec, scales, sizeof(scales) / sizeof(scales[0]));
}

void format_work(struct buf *b, uint64_t bytes, uint64_t nsec)
{
	format_size_rounded(b, bytes);
	buf_add_text(b, " in ");
	format_latency(b, nsec);
	if (nsec == 0)
		return;
	unsigned __int128 rate = (unsigned __int128)bytes * NSEC_PER_SEC / nsec;
	buf_add_text(b, ", ");
	format_size_rounded(b, rate < UINT64_MAX ? (uint64_t)rate : UINT64_MAX);
	buf_add_text(b, "/s");
}
