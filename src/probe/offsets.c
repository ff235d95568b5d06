/* SPDX-License-Identifier: Apache-2.0 */
/* The sequence of offsets and types of a run. */
#include "probe/offsets.h"

#include <assert.h>

/* True in `percent` of 100 calls on average. */
static bool draw(struct random *random, uint8_t percent)
{
	return random_next(random) % 100 < percent;
}

static uint64_t draw_offset(struct offsets *o)
{
	uint64_t aligned_size =
		(o->size_bytes - o->block_bytes) / o->align_bytes * o->align_bytes + o->align_bytes;

	return random_next(&o->random) / o->align_bytes * o->align_bytes % aligned_size;
}

static uint64_t draw_block(struct offsets *o)
{
	return random_next(&o->random) % (o->size_bytes / o->block_bytes) * o->block_bytes;
}

static uint64_t follow_stream(struct offsets *o)
{
	uint64_t offset = o->next_bytes;

	if (offset + o->block_bytes > o->size_bytes)
		offset = 0;
	o->next_bytes = offset + o->block_bytes;
	return offset;
}

void offsets_init(struct offsets *o, const struct workload *workload, uint64_t size_bytes,
	uint64_t seed, uint32_t thread)
{
	assert(workload->block_size_bytes > 0 && size_bytes >= workload->block_size_bytes);
	*o = (struct offsets){
		.pattern = workload->pattern,
		.size_bytes = size_bytes,
		.block_bytes = workload->block_size_bytes,
		.align_bytes = workload->align_bytes > 0 ? workload->align_bytes
							 : workload->block_size_bytes,
		.write_percent = workload->write_percent,
		.random_percent = workload->random_percent,
	};
	random_init(&o->random, seed);
	o->next_bytes = draw_block(o);
	if (thread > 0) {
		random_init(&o->random, random_mix(seed ^ random_mix(thread)));
		if (workload->pattern == WORKLOAD_MIXED)
			o->next_bytes = draw_block(o);
	}
	if (workload->is_fresh)
		o->next_bytes = 0;
}

uint64_t offsets_next(struct offsets *o, bool *ret_is_write)
{
	bool is_jump = o->pattern == WORKLOAD_RANDOM ||
		(o->pattern == WORKLOAD_MIXED && draw(&o->random, o->random_percent));
	bool keeps_type = o->pattern == WORKLOAD_MIXED && !is_jump && o->has_type;

	if (!keeps_type)
		o->is_write = draw(&o->random, o->write_percent);
	o->has_type = true;
	if (is_jump)
		o->next_bytes = draw_offset(o);
	*ret_is_write = o->is_write;
	return follow_stream(o);
}
