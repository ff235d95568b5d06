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
	bool has_type; /* a mixed pattern keeps the type until its next jump */
	bool is_write;
};

/* The sequence of one thread. size_bytes: the part of the file in use, at least one block. Unlike
 * diskspd, a sequential stream starts at a block drawn from the seed: runs of 64M must not all use
 * the same 64M. As in diskspd, the sequential streams of all threads start at the same block;
 * everything else is drawn by each thread itself. A fresh file is written from its beginning. */
void offsets_init(struct offsets *o, const struct workload *workload, uint64_t size_bytes,
	uint64_t seed, uint32_t thread);

/* The next offset, from 0 to size_bytes - block, and its type. */
uint64_t offsets_next(struct offsets *o, bool *ret_is_write);

#endif
