/* SPDX-License-Identifier: Apache-2.0 */
/* xoshiro256** (Blackman, Vigna 2018) seeded by splitmix64: for offsets, the mix of reads and
 * writes, and written data. Repeatable from a seed; not for secrets. */
#ifndef REPOPROBE_PROBE_RANDOM_H
#define REPOPROBE_PROBE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* The output function of splitmix64: a bijection, so different numbers stay different. */
static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline void random_init(struct random *r, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++) {
		seed += UINT64_C(0x9e3779b97f4a7c15);
		r->state[i] = random_mix(seed);
	}
}

static inline uint64_t random_rotate(uint64_t x, unsigned bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = random_rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = random_rotate(s[3], 45);
	return result;
}

#endif
