/* SPDX-License-Identifier: Apache-2.0 */
/* Exact decimal numbers with an optional fraction, the basis of sizes, durations and instants. */
#ifndef REPOPROBE_BASE_DECIMAL_H
#define REPOPROBE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
	uint64_t whole; /* UINT64_MAX when is_too_big */
	uint64_t fraction; /* in units of 10^-18; further digits are ignored */
	bool has_fraction;
	bool is_too_big;
};

/* Reads "12" or "12.5" at the start of text. Returns the bytes taken, 0 when there is no number. */
size_t decimal_scan(const char *text, struct decimal *ret);

/* d times unit (at most 10^18), rounded to the nearest. Returns 0 or -ERANGE. */
int decimal_scale(const struct decimal *d, uint64_t unit, uint64_t *ret);

#endif
