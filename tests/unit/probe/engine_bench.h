/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop set up on a back end and a clock that the test holds in its hands. */
#ifndef REPOPROBE_TESTS_UNIT_PROBE_ENGINE_BENCH_H
#define REPOPROBE_TESTS_UNIT_PROBE_ENGINE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "model/workload.h"
#include "probe/fake_io.h"
#include "probe/payload.h"

#define BENCH_BLOCK 65536
#define BENCH_BASE (UINT64_C(1) << 20)

struct bench {
	struct fake fake;
	struct workload workload;
	struct run *run;
	struct payload *payload;
	uint64_t deadline_nsec;
	bool is_synced;
};

int bench_set_up(void **state); /* for cmocka: *state is a struct bench */
int bench_tear_down(void **state);

/* Answers what engine_run() does. */
int bench_go(struct bench *b);

const struct run_operation_result *bench_writes(const struct bench *b);
const struct run_operation_result *bench_reads(const struct bench *b);

#endif
