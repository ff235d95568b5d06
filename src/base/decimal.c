/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers with an optional fraction, exact. */
#include "base/decimal.h"

#include <errno.h>

#define FRACTION_ONE UINT64_C(1000000000000000000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t scan_whole(const char *text, struct decimal *d)
{
	size_t len = 0;

	for (; is_digit(text[len]); len++) {
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
			__builtin_add_overflow(d->whole, (uint64_t)(text[len] - '0'), &d->whole))
			d->is_too_big = true;
	}
	if (d->is_too_big)
		d->whole = UINT64_MAX;
	return len;
}

static size_t scan_fraction(const char *text, struct decimal *d)
{
	uint64_t unit = FRACTION_ONE;
	size_t len = 0;

	for (; is_digit(text[len]); len++) {
		unit /= 10;
		d->fraction += unit * (uint64_t)(text[len] - '0');
	}
	d->has_fraction = true;
	return len;
}

size_t decimal_scan(const char *text, struct decimal *ret)
{
	struct decimal d = { 0 };
	size_t len = scan_whole(text, &d);

	if (len == 0)
		return 0;
	if (text[len] == '.' && is_digit(text[len + 1]))
		len += 1 + scan_fraction(text + len + 1, &d);
	*ret = d;
	return len;
}

int decimal_scale(const struct decimal *d, uint64_t unit, uint64_t *ret)
{
	unsigned __int128 fraction = (unsigned __int128)d->fraction * unit + FRACTION_ONE / 2;
	unsigned __int128 v = (unsigned __int128)d->whole * unit + fraction / FRACTION_ONE;

	if (d->is_too_big || v > UINT64_MAX)
		return -ERANGE;
	*ret = (uint64_t)v;
	return 0;
}
