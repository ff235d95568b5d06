/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers by seed. */
#include "chance.h"

#include <math.h>

uint64_t chance_bits(struct chance *c)
{
	c->state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = c->state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct chance chance_new(uint64_t seed, uint64_t a, uint64_t b)
{
	struct chance c = { .state = seed };

	c.state = chance_bits(&c) ^ a;
	c.state = chance_bits(&c) ^ b;
	c.state = chance_bits(&c);
	return c;
}

double chance_unit(struct chance *c)
{
	return (double)(chance_bits(c) >> 11) * 0x1p-53;
}

bool chance_one_in(struct chance *c, double probability)
{
	return chance_unit(c) < probability;
}

double chance_between(struct chance *c, struct range range)
{
	return range.low + (range.high - range.low) * chance_unit(c);
}

double chance_log_between(struct chance *c, struct range range)
{
	return range.low * pow(range.high / range.low, chance_unit(c));
}

uint32_t chance_below(struct chance *c, uint32_t bound)
{
	return (uint32_t)(((chance_bits(c) >> 32) * bound) >> 32);
}

double chance_normal(struct chance *c, double deviation)
{
	/* Box and Muller's; one of the pair is enough here. */
	double radius = sqrt(-2.0 * log(1.0 - chance_unit(c)));

	return deviation * radius * cos(6.283185307179586 * chance_unit(c));
}

double chance_exponential(struct chance *c, double mean)
{
	return -mean * log(1.0 - chance_unit(c));
}
