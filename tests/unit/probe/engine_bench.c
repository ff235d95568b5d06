/* SPDX-License-Identifier: Apache-2.0 */
/* The bench that the tests of the measurement loop share. */
#include "engine_bench.h"

#include <stdlib.h>

#include "probe/engine.h"

int bench_set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->fake.clock.monotonic_nsec = fake_now;
	b->fake.now_nsec = 5 * NSEC_PER_SEC;
	b->fake.latency_nsec = NSEC_PER_MSEC;
	b->workload = (struct workload){
		.block_size_bytes = BENCH_BLOCK,
		.write_percent = 100,
		.queue_depth = 2,
		.threads = 1,
		.file_size_bytes = 64 * BENCH_BLOCK,
		.timeout_usec = 60 * USEC_PER_SEC,
	};
	b->deadline_nsec = UINT64_MAX;
	b->run = run_new("", "");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

int bench_tear_down(void **state)
{
	struct bench *b = *state;

	free(b->run);
	free(b);
	return 0;
}

int bench_go(struct bench *b)
{
	struct probe_observer observer = {
		.progress = fake_take_progress, .is_cancelled = fake_is_cancelled, .data = &b->fake
	};
	struct observe observe = { .observer = &observer };
	struct engine_thread thread = { .backend = &b->fake, .payload = b->payload };
	struct engine_setup setup = {
		.workload = &b->workload,
		.base_bytes = BENCH_BASE,
		.seed = 1,
		.deadline_nsec = b->deadline_nsec,
		.clock = &b->fake.clock,
		.ops = &fake_ops,
		.threads = &thread,
		.is_synced = b->is_synced,
		.observe = &observe,
	};

	return engine_run(&setup, b->run);
}

const struct run_operation_result *bench_writes(const struct bench *b)
{
	return &b->run->operations[RUN_WRITE];
}

const struct run_operation_result *bench_reads(const struct bench *b)
{
	return &b->run->operations[RUN_READ];
}
