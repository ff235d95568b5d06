/* SPDX-License-Identifier: Apache-2.0 */
/* Binary logarithm by repeated squaring, and its inverse by a product of roots of two. */
#include "alarm/octave.h"

#define FRACTION_BITS 10
#define ONE (UINT64_C(1) << 31)
#define OCTAVE_MAX 65535

/* 2^(1/2), 2^(1/4), … in units of 2^-31. */
static const uint64_t roots[FRACTION_BITS] = { UINT64_C(3037000500), UINT64_C(2553802834),
	UINT64_C(2341847524), UINT64_C(2242560872), UINT64_C(2194507417), UINT64_C(2170868212),
	UINT64_C(2159144272), UINT64_C(2153306067), UINT64_C(2150392887), UINT64_C(2148937775) };

int32_t octave_from(uint64_t value)
{
	if (value < 2)
		return 0;
	unsigned exponent = 63U - (unsigned)__builtin_clzll(value);
	uint64_t mantissa = exponent > 31 ? value >> (exponent - 31) : value << (31 - exponent);
	uint32_t bits = exponent;

	/* One bit more than is kept, for rounding. */
	for (unsigned i = 0; i <= FRACTION_BITS; i++) {
		mantissa = mantissa * mantissa >> 31;
		bits <<= 1;
		if (mantissa >= 2 * ONE) {
			mantissa >>= 1;
			bits |= 1;
		}
	}
	bits = (bits + 1) >> 1;
	return bits > OCTAVE_MAX ? OCTAVE_MAX : (int32_t)bits;
}

uint64_t octave_to(int32_t octaves)
{
	if (octaves < 0)
		return 0;
	unsigned exponent = (unsigned)octaves / OCTAVE;
	unsigned fraction = (unsigned)octaves % OCTAVE;
	uint64_t mantissa = ONE;

	if (exponent > 63)
		return UINT64_MAX;
	/* Multiplies by one where the bit is not set: a branch would be mispredicted half of the
	 * time. */
	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		uint64_t mask = UINT64_C(0) - (fraction >> (FRACTION_BITS - 1 - i) & 1);
		uint64_t factor = ONE + ((roots[i] - ONE) & mask);
		mantissa = (mantissa * factor + ONE / 2) >> 31;
	}
	if (exponent > 31)
		return mantissa << (exponent - 31);
	return (mantissa + (ONE >> exponent) / 2) >> (31 - exponent);
}
