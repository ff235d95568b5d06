/* SPDX-License-Identifier: Apache-2.0 */
/* Write buffers whose content never repeats, within a run or across runs, so that storage cannot
 * compress, deduplicate or predict it. A used buffer is refilled in small steps while other I/Os
 * are in flight; it is never touched while its own is. */
#ifndef REPOPROBE_PROBE_PAYLOAD_H
#define REPOPROBE_PROBE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/workload.h"

#define PAYLOAD_UNIT_BYTES 4096 /* content is unique in each of these */

struct payload_buffer {
	uint32_t filled_bytes; /* fresh bytes, from its start */
	bool is_out;
};

/* Buffers that are not in flight, by number. */
struct payload_stack {
	uint32_t *buffers;
	uint32_t count;
};

#define PAYLOAD_NONE UINT32_MAX

struct payload {
	uint8_t *memory; /* page-aligned, one stride per buffer */
	size_t memory_bytes;
	size_t stride_bytes;
	uint32_t block_bytes;
	uint32_t count;
	struct payload_buffer *buffers;
	struct payload_stack full; /* with fresh content */
	struct payload_stack empty;
	uint32_t partial; /* the one being filled, or PAYLOAD_NONE */
	enum workload_content content;
	uint8_t compressible_percent;
	bool is_refilled; /* buffers are written from */
	uint64_t seed;
	uint64_t units; /* content units made so far */
};

/* Fills bytes with incompressible content, unit by unit: unit number `first + i` of this seed. Two
 * units of one seed differ in their first eight bytes. */
void payload_fill(uint8_t *dst, size_t bytes, uint64_t seed, uint64_t first);

/* Buffers for `slots` I/Os in flight and some spares, all faulted in. 0 or -ENOMEM. */
int payload_init(struct payload *p, const struct workload *workload, uint32_t slots, uint64_t seed);
void payload_done(struct payload *p);

/* A buffer that is not in flight: with fresh content for a write, any for a read. There is always
 * one while fewer than `slots` are in flight. *ret_is_made: none was ready, so content was
 * generated in this call. */
uint32_t payload_take(struct payload *p, bool is_write, bool *ret_is_made);
void payload_give(struct payload *p, uint32_t buffer);

static inline uint8_t *payload_data(const struct payload *p, uint32_t buffer)
{
	return p->memory + p->stride_bytes * buffer;
}

/* True while a buffer needs fresh content; a step makes a few microseconds' worth of it. */
static inline bool payload_has_work(const struct payload *p)
{
	return p->is_refilled && (p->partial != PAYLOAD_NONE || p->empty.count > 0);
}

void payload_work(struct payload *p);

#endif
