/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of numbers with units: sizes and durations. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/parse.h"

#define BLANKS " \t"
#define UNIT_MAX_COUNT 40
#define WORD_MAX_BYTES 24
#define SHOWN_MAX_BYTES 60 /* how much of a bad value a sentence shows */

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define PIB (UINT64_C(1) << 50)

#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)

struct unit {
	const char *name;
	uint64_t factor;
};

struct unit_table {
	const struct unit *units;
	size_t count;
};

static const struct unit size_units[] = {
	{ "K", KIB },
	{ "Ki", KIB },
	{ "KiB", KIB },
	{ "k", KIB },
	{ "kB", UINT64_C(1000) },
	{ "KB", UINT64_C(1000) },
	{ "M", MIB },
	{ "Mi", MIB },
	{ "MiB", MIB },
	{ "m", MIB },
	{ "MB", UINT64_C(1000000) },
	{ "G", GIB },
	{ "Gi", GIB },
	{ "GiB", GIB },
	{ "g", GIB },
	{ "GB", UINT64_C(1000000000) },
	{ "T", TIB },
	{ "Ti", TIB },
	{ "TiB", TIB },
	{ "t", TIB },
	{ "TB", UINT64_C(1000000000000) },
	{ "P", PIB },
	{ "Pi", PIB },
	{ "PiB", PIB },
	{ "p", PIB },
	{ "PB", UINT64_C(1000000000000000) },
};

/* "m" is not a unit: it could mean minutes or months. */
static const struct unit duration_units[] = {
	{ "us", 1 }, { "ms", USEC_PER_MSEC }, { "s", USEC_PER_SEC }, { "min", USEC_PER_MIN },
	{ "h", USEC_PER_HOUR }, { "d", USEC_PER_DAY }, { "w", 7 * USEC_PER_DAY },
	{ "y", 31557600 * USEC_PER_SEC }, /* systemd's: 365.25 days */
};

/* Other spellings of the units above. */
static const struct {
	const char *word;
	const char *unit;
} duration_words[] = {
	{ "m", "min" },
	{ "mins", "min" },
	{ "minute", "min" },
	{ "minutes", "min" },
	{ "sec", "s" },
	{ "secs", "s" },
	{ "second", "s" },
	{ "seconds", "s" },
	{ "msec", "ms" },
	{ "msecs", "ms" },
	{ "millisecond", "ms" },
	{ "milliseconds", "ms" },
	{ "usec", "us" },
	{ "usecs", "us" },
	{ "µs", "us" },
	{ "μs", "us" },
	{ "hr", "h" },
	{ "hrs", "h" },
	{ "hour", "h" },
	{ "hours", "h" },
	{ "day", "d" },
	{ "days", "d" },
	{ "week", "w" },
	{ "weeks", "w" },
	{ "year", "y" },
	{ "years", "y" },
};

static const struct unit_table sizes = {
	.units = size_units,
	.count = sizeof(size_units) / sizeof(size_units[0]),
};

static const struct unit_table durations = {
	.units = duration_units,
	.count = sizeof(duration_units) / sizeof(duration_units[0]),
};

static const struct unit *find_unit(const struct unit_table *table, const char *text, size_t len)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *name = table->units[i].name;

		if (strlen(name) == len && memcmp(name, text, len) == 0)
			return &table->units[i];
	}
	return NULL;
}

/* The unit that the word probably means, or NULL. */
static const char *guess_unit(const struct unit_table *table, const char *word)
{
	const char *names[UNIT_MAX_COUNT];

	for (size_t i = 0; i < table->count; i++) {
		names[i] = table->units[i].name;
		if (strcasecmp(names[i], word) == 0)
			return names[i];
	}
	return parse_suggest(word, names, table->count);
}

static int refuse_size(const char *text, size_t number_len, struct error *reterr)
{
	const char *unit = text + number_len + strspn(text + number_len, BLANKS);
	const int len = (int)number_len;
	const char *guess =
		number_len > 0 && number_len < SHOWN_MAX_BYTES ? guess_unit(&sizes, unit) : NULL;

	if (text[0] == '-')
		return error_set(reterr, -EINVAL, "%.60s: a size cannot be negative", text);
	if (number_len > 0 && *unit == '\0')
		return error_set(
			reterr, -EINVAL, "%.60s: write it without blanks: %.*s", text, len, text);
	if (guess && unit > text + number_len)
		return error_set(reterr, -EINVAL, "%.60s: write it without a blank: %.*s%s", text,
			len, text, guess);
	if (guess)
		return error_set(
			reterr, -EINVAL, "%.60s: did you mean %.*s%s?", text, len, text, guess);
	if (number_len > 0 && (strcasecmp(unit, "B") == 0 || strncasecmp(unit, "byte", 4) == 0))
		return error_set(
			reterr, -EINVAL, "%.60s: bytes need no unit: %.*s", text, len, text);
	return error_set(reterr, -EINVAL,
		"%.60s: expected a size such as 4096, 64K or 1.5G (K M G T P are powers of 1024, kB MB GB "
		"TB PB of 1000)",
		*text ? text : "nothing");
}

int parse_size(const char *text, uint64_t *ret_bytes, struct error *reterr)
{
	static const struct unit bytes = { "", 1 };
	struct decimal number = { 0 };
	size_t len = decimal_scan(text, &number);
	const struct unit *unit = &bytes;

	if (len == 0)
		return refuse_size(text, 0, reterr);
	if (text[len] != '\0')
		unit = find_unit(&sizes, text + len, strlen(text + len));
	if (!unit)
		return refuse_size(text, len, reterr);
	if (unit == &bytes && number.has_fraction)
		return error_set(reterr, -EINVAL,
			"%.60s: a fraction needs a unit; did you mean %.60sK, %.60sM or %.60sG?",
			text, text, text, text);
	if (decimal_scale(&number, unit->factor, ret_bytes) < 0)
		return error_set(reterr, -ERANGE, "%.60s: more bytes than 64 bits hold", text);
	return 0;
}

static size_t unit_length(const char *text)
{
	return strcspn(text, "0123456789.-+" BLANKS);
}

/* The unit that the first len bytes of word probably mean, or NULL. */
static const char *guess_duration_unit(const char *word, size_t len)
{
	char copy[WORD_MAX_BYTES];

	if (len >= sizeof(copy))
		return NULL;
	memcpy(copy, word, len);
	copy[len] = '\0';
	for (size_t i = 0; i < sizeof(duration_words) / sizeof(duration_words[0]); i++) {
		if (strcasecmp(duration_words[i].word, copy) == 0)
			return duration_words[i].unit;
	}
	return guess_unit(&durations, copy);
}

/* The part at `part`, whose number is number_len long, has an unknown unit. */
static int refuse_duration(
	const char *text, const char *part, size_t number_len, struct error *reterr)
{
	const char *word = part + number_len;
	const char *unit = word + strspn(word, BLANKS);
	const size_t unit_len = unit_length(unit);
	const int before = (int)(word - text);
	const char *guess = NULL;
	const char *why = "";

	if (text[0] == '-')
		return error_set(reterr, -EINVAL, "%.60s: a duration cannot be negative", text);
	if (number_len > 0 && *word == '\0')
		return error_set(reterr, -EINVAL, "%.60s: a unit is missing; did you mean %.60ss?",
			text, text);
	if (number_len > 0 && before < SHOWN_MAX_BYTES)
		guess = guess_duration_unit(unit, unit_len);
	if (!guess)
		return error_set(reterr, -EINVAL,
			"%.60s: expected a duration such as 250us, 15ms, 30s, 5min, 1h30min or 7d",
			*text ? text : "nothing");
	if (unit > word)
		why = "no blank is allowed before the unit; ";
	else if (unit_len == 1 && *unit == 'm')
		why = "m could be minutes or months; ";
	return error_set(reterr, -EINVAL, "%.60s: %sdid you mean %.*s%s%.60s?", text, why, before,
		text, guess, unit + unit_len);
}

/* Reads one part such as "30min" and adds it. Returns the bytes taken, -EINVAL or -ERANGE. */
static int add_duration_part(
	const char *text, const char *part, uint64_t *total_usec, struct error *reterr)
{
	struct decimal number = { 0 };
	size_t number_len = decimal_scan(part, &number);
	size_t unit_len = unit_length(part + number_len);
	uint64_t usec = 0;

	const struct unit *unit =
		number_len > 0 ? find_unit(&durations, part + number_len, unit_len) : NULL;
	if (!unit)
		return refuse_duration(text, part, number_len, reterr);
	if (decimal_scale(&number, unit->factor, &usec) < 0 ||
		__builtin_add_overflow(*total_usec, usec, total_usec))
		return error_set(reterr, -ERANGE, "%.60s: too long", text);
	return (int)(number_len + unit_len);
}

int parse_duration(const char *text, uint64_t *ret_usec, struct error *reterr)
{
	uint64_t total_usec = 0;
	const char *part = text;

	if (strcmp(text, "0") == 0) {
		*ret_usec = 0;
		return 0;
	}
	do {
		int r = add_duration_part(text, part, &total_usec, reterr);

		if (r < 0)
			return r;
		part += r;
		/* "1h 30min" */
		if (*part == ' ' && part[1] != '\0')
			part++;
	} while (*part);
	*ret_usec = total_usec;
	return 0;
}
