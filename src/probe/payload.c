/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and their content. */
#include "probe/payload.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/random.h"

#define STEP_BYTES (UINT32_C(32) << 10) /* filled per step: about 4 us */
#define SPARE_BYTES (UINT32_C(8) << 20) /* of buffers beyond the queue depth */
#define STAMP_BYTES sizeof(uint64_t)
#define PAGE_BYTES 4096

/* Whole words of content, then zeroes. The first word is a bijection of the unit's number. */
static void fill_unit(uint8_t *dst, size_t bytes, size_t random_bytes, uint64_t stamp)
{
	struct random random;
	uint64_t word = stamp;

	random_init(&random, stamp);
	for (size_t at = 0; at < random_bytes; at += sizeof(word)) {
		memcpy(dst + at, &word, sizeof(word));
		word = random_next(&random);
	}
	if (random_bytes < bytes)
		memset(dst + random_bytes, 0, bytes - random_bytes);
}

struct recipe {
	uint8_t zero_percent;
	size_t stamp_bytes; /* stay random at any percentage */
};

static void fill(uint8_t *dst, size_t bytes, struct recipe recipe, uint64_t seed, uint64_t first)
{
	for (size_t at = 0; at < bytes; at += PAYLOAD_UNIT_BYTES) {
		size_t unit_bytes = bytes - at;
		if (unit_bytes > PAYLOAD_UNIT_BYTES)
			unit_bytes = PAYLOAD_UNIT_BYTES;
		size_t random_bytes = (unit_bytes - unit_bytes * recipe.zero_percent / 100) /
			sizeof(uint64_t) * sizeof(uint64_t);
		if (random_bytes < recipe.stamp_bytes)
			random_bytes = recipe.stamp_bytes;
		fill_unit(dst + at, unit_bytes, random_bytes,
			random_mix(seed + first + at / PAYLOAD_UNIT_BYTES));
	}
}

void payload_fill(uint8_t *dst, size_t bytes, uint64_t seed, uint64_t first)
{
	struct recipe recipe = { .stamp_bytes = STAMP_BYTES };

	fill(dst, bytes, recipe, seed, first);
}

static struct recipe recipe_of(const struct payload *p)
{
	switch (p->content) {
	case WORKLOAD_CONTENT_RANDOM:
		break;
	case WORKLOAD_CONTENT_ZERO:
		return (struct recipe){ .zero_percent = 100 };
	case WORKLOAD_CONTENT_COMPRESSIBLE:
		return (struct recipe){ p->compressible_percent, STAMP_BYTES };
	}
	return (struct recipe){ .stamp_bytes = STAMP_BYTES };
}

/* One step of filling a buffer. */
static void advance(struct payload *p, uint32_t index)
{
	struct payload_buffer *b = &p->buffers[index];
	uint32_t bytes = p->block_bytes - b->filled_bytes;

	if (bytes > STEP_BYTES)
		bytes = STEP_BYTES;
	fill(payload_data(p, index) + b->filled_bytes, bytes, recipe_of(p), p->seed, p->units);
	p->units += (bytes + PAYLOAD_UNIT_BYTES - 1) / PAYLOAD_UNIT_BYTES;
	b->filled_bytes += bytes;
}

static void complete(struct payload *p, uint32_t index)
{
	while (p->buffers[index].filled_bytes < p->block_bytes)
		advance(p, index);
}

static uint32_t pop(struct payload_stack *s)
{
	return s->buffers[--s->count];
}

static void push(struct payload_stack *s, uint32_t index)
{
	s->buffers[s->count++] = index;
}

/* The buffer being filled, or else one that needs content. */
static uint32_t take_unfilled(struct payload *p)
{
	uint32_t index = p->partial;

	if (index == PAYLOAD_NONE)
		return pop(&p->empty);
	p->partial = PAYLOAD_NONE;
	return index;
}

static uint32_t count_spares(const struct workload *workload, uint32_t slots)
{
	uint32_t spares = SPARE_BYTES / workload->threads / workload->block_size_bytes;

	if (spares < 1)
		spares = 1;
	return spares < slots ? spares : slots;
}

static int allocate(struct payload *p)
{
	p->buffers = calloc(p->count, sizeof(*p->buffers));
	p->full.buffers = calloc(p->count, sizeof(*p->full.buffers));
	p->empty.buffers = calloc(p->count, sizeof(*p->empty.buffers));
	if (!p->buffers || !p->full.buffers || !p->empty.buffers)
		return -ENOMEM;
	void *memory = mmap(NULL, p->memory_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	p->memory = memory;
	return 0;
}

int payload_init(struct payload *p, const struct workload *workload, uint32_t slots, uint64_t seed)
{
	size_t block_bytes = workload->block_size_bytes;
	size_t stride_bytes = (block_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint32_t count = slots + (workload_writes(workload) ? count_spares(workload, slots) : 0);

	*p = (struct payload){
		.memory_bytes = stride_bytes * count,
		.stride_bytes = stride_bytes,
		.block_bytes = workload->block_size_bytes,
		.count = count,
		.partial = PAYLOAD_NONE,
		.content = workload->content,
		.compressible_percent = workload->compressible_percent,
		.is_refilled = workload_writes(workload),
		.seed = seed,
	};
	int r = allocate(p);
	if (r < 0) {
		payload_done(p);
		return r;
	}
	for (uint32_t i = count; i-- > 0;) {
		if (p->is_refilled)
			complete(p, i);
		push(p->is_refilled ? &p->full : &p->empty, i);
	}
	return 0;
}

void payload_done(struct payload *p)
{
	if (p->memory)
		(void)munmap(p->memory, p->memory_bytes); /* our own mapping */
	free(p->buffers);
	free(p->full.buffers);
	free(p->empty.buffers);
	*p = (struct payload){ .partial = PAYLOAD_NONE };
}

uint32_t payload_take(struct payload *p, bool is_write, bool *ret_is_made)
{
	uint32_t index;

	assert(p->full.count + p->empty.count > 0 || p->partial != PAYLOAD_NONE);
	*ret_is_made = false;
	if (is_write ? p->full.count > 0 : p->empty.count == 0 && p->partial == PAYLOAD_NONE) {
		index = pop(&p->full);
	} else if (!is_write && p->empty.count > 0) {
		index = pop(&p->empty);
	} else {
		index = take_unfilled(p);
		*ret_is_made = is_write;
	}
	if (*ret_is_made)
		complete(p, index);
	p->buffers[index].is_out = true;
	return index;
}

void payload_give(struct payload *p, uint32_t buffer)
{
	assert(p->buffers[buffer].is_out);
	p->buffers[buffer] = (struct payload_buffer){ .filled_bytes = 0 };
	push(&p->empty, buffer);
}

void payload_work(struct payload *p)
{
	if (!payload_has_work(p))
		return;
	uint32_t index = take_unfilled(p);
	advance(p, index);
	if (p->buffers[index].filled_bytes == p->block_bytes)
		push(&p->full, index);
	else
		p->partial = index;
}
