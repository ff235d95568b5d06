/* SPDX-License-Identifier: Apache-2.0 */
/* Where the next I/O goes and whether it is a write, as diskspd decides it (reference
 * workloads 2.4). Pure: the same workload, size and seed give the same sequence. */
#ifndef REPOPROBE_PROBE_OFFSETS_H
#define REPOPROBE_PROBE_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/workload.h"
#include "probe/random.h"

struct offsets {
	enum workload_pattern pattern;
	uint64_t size_bytes;
	uint64_t block_bytes;
	uint64_t align_bytes;
	uint8_t write_percent;
	uint8_t random_percent;
	struct random random;
	uint64_t next_bytes; /* of the sequential stream */
	bool has_type; /* a mixed run keeps the type that its first I/O drew */
	bool is_write;
};

/* The list of one thread. size_bytes: the part of the file in use, at least one block. Unlike
 * diskspd, a sequential stream starts at a block drawn from the seed: a run of 64M must not warm
 * the same 64M each time. As in diskspd, the sequential streams of all threads start at the same
 * one; whatever else is drawn, each thread draws for itself. A fresh file is written from its
 * beginning. */
void offsets_init(struct offsets *o, const struct workload *workload, uint64_t size_bytes,
	uint64_t seed, uint32_t thread);

/* The next offset, from 0 to size_bytes - block, and its type. */
uint64_t offsets_next(struct offsets *o, bool *ret_is_write);

#endif
