/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's own random numbers, the same everywhere for the same seed: splitmix64 (Steele,
 * Lea, Flood 2014) and what is made of it. */
#ifndef BENCH_ALARMS_CHANCE_H
#define BENCH_ALARMS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};

struct range {
	double low;
	double high;
};

/* A stream for each (seed, a, b), without any relation to that of other values. */
struct chance chance_new(uint64_t seed, uint64_t a, uint64_t b);

uint64_t chance_bits(struct chance *c);
double chance_unit(struct chance *c); /* 0 inclusive to 1 exclusive */
bool chance_one_in(struct chance *c, double probability);
double chance_between(struct chance *c, struct range range);
double chance_log_between(struct chance *c, struct range range); /* uniform in the logarithm */
uint32_t chance_below(struct chance *c, uint32_t bound);
double chance_normal(struct chance *c, double deviation); /* mean 0 */
double chance_exponential(struct chance *c, double mean);

#endif
