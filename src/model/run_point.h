/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a run at one point in time, without histogram and workload: a year of them fits in
 * memory. Plain values. */
#ifndef REPOPROBE_MODEL_RUN_POINT_H
#define REPOPROBE_MODEL_RUN_POINT_H

#include "model/run.h"

struct run_point_operation {
	bool has_happened;
	uint64_t ios;
	uint64_t bytes;
	uint64_t latencies; /* the following describe this many; 0: they are 0 */
	uint64_t sum_nsec;
	uint64_t min_nsec;
	uint64_t p50_nsec;
	uint64_t p95_nsec;
	uint64_t p99_nsec;
	uint64_t max_nsec;
};

struct run_point {
	int64_t id;
	int64_t started_usec;
	enum run_status status;
	uint64_t duration_nsec;
	uint64_t measured_nsec;
	struct run_point_operation operations[RUN_OPERATIONS];
};

#endif
