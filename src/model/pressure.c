/* SPDX-License-Identifier: Apache-2.0 */
/* Parses "some avg10=0.00 avg60=1.25 avg300=0.40 total=9583077" and the same with "full". */
#include "model/pressure.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "model/field.h"

#define KEYS 4

/* A percentage with two decimals, to basis points. */
static int read_share(struct field value, uint32_t *ret)
{
	char text[16];
	struct decimal number;
	uint64_t v;

	if (value.len == 0 || value.len >= sizeof(text))
		return -EBADMSG;
	memcpy(text, value.text, value.len);
	text[value.len] = '\0';
	if (decimal_scan(text, &number) != value.len || decimal_scale(&number, 100, &v) < 0 ||
		v > PRESSURE_ALL)
		return -EBADMSG;
	*ret = (uint32_t)v;
	return 0;
}

static int read_word(struct field word, struct pressure_line *line, unsigned *seen)
{
	static const char *const names[KEYS] = { "avg10=", "avg60=", "avg300=", "total=" };
	uint32_t *const shares[KEYS - 1] = {
		&line->average_10s_basis_points,
		&line->average_60s_basis_points,
		&line->average_300s_basis_points,
	};

	for (unsigned i = 0; i < KEYS; i++) {
		if (!field_skip(&word, names[i]))
			continue;
		*seen |= 1U << i;
		return i < KEYS - 1 ? read_share(word, shares[i])
				    : field_read_uint(word, &line->total_usec);
	}
	return 0;
}

static int read_line(struct field rest, struct pressure_line *ret)
{
	struct field word;
	unsigned seen = 0;

	while (field_next_word(&rest, &word)) {
		if (read_word(word, ret, &seen) < 0)
			return -EBADMSG;
	}
	return seen == (1U << KEYS) - 1 ? 0 : -EBADMSG;
}

int pressure_parse(const char *text, struct pressure *ret, struct error *reterr)
{
	struct pressure p = { 0 };
	bool has_some = false;
	bool has_full = false;
	struct field line;
	int r = 0;

	while (r == 0 && field_next_line(&text, &line)) {
		struct field word;
		if (!field_next_word(&line, &word))
			continue;
		if (field_is(word, "some")) {
			has_some = true;
			r = read_line(line, &p.some);
		} else if (field_is(word, "full")) {
			has_full = true;
			r = read_line(line, &p.full);
		}
	}
	if (r < 0 || !has_some || !has_full)
		return error_set(
			reterr, -EBADMSG, "/proc/pressure/io is not what the kernel documents");
	*ret = p;
	return 0;
}
