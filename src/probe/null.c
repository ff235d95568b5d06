/* SPDX-License-Identifier: Apache-2.0 */
/* The probe kind without I/O, for tests: the real measurement loop with simulated completions and a
 * simulated clock, so that a run of seconds takes milliseconds. */
#include "probe/kind.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "probe/engine.h"

#define IOS_MAX UINT64_C(20000)
#define LATENCY_DEFAULT_NSEC NSEC_PER_MSEC

struct null_clock {
	struct clock clock; /* first: passed to the loop */
	uint64_t now_nsec;
};

struct null {
	struct null_clock *clock;
	uint64_t latency_nsec;
	struct io_request *requests; /* by slot */
	uint64_t *due_nsec; /* by slot, UINT64_MAX: not in flight */
	uint32_t slots;
};

static uint64_t read_null_clock(const struct clock *c)
{
	return ((const struct null_clock *)c)->now_nsec;
}

static int64_t read_null_calendar(const struct clock *c)
{
	return (int64_t)(read_null_clock(c) / NSEC_PER_USEC);
}

static int null_submit(void *backend, const struct io_request *request)
{
	struct null *n = backend;

	n->requests[request->slot] = *request;
	n->due_nsec[request->slot] = n->clock->now_nsec + n->latency_nsec;
	return 0;
}

static size_t collect(struct null *n, struct io_completion *ret, size_t max)
{
	size_t count = 0;

	for (uint32_t i = 0; i < n->slots && count < max; i++) {
		if (n->due_nsec[i] > n->clock->now_nsec)
			continue;
		n->due_nsec[i] = UINT64_MAX;
		ret[count++] = (struct io_completion){ .slot = i,
			.result = (int32_t)n->requests[i].bytes };
	}
	return count;
}

/* Sleeping advances the clock. */
static int null_wait(void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max)
{
	struct null *n = backend;
	uint64_t wake_nsec = n->clock->now_nsec + timeout_nsec;

	for (uint32_t i = 0; i < n->slots; i++)
		if (n->due_nsec[i] < wake_nsec)
			wake_nsec = n->due_nsec[i];
	if (wake_nsec > n->clock->now_nsec)
		n->clock->now_nsec = wake_nsec;
	return (int)collect(n, ret, max);
}

static const struct io_backend_ops null_backend = {
	.engine = WORKLOAD_ENGINE_AUTO,
	.submit = null_submit,
	.wait = null_wait,
};

static void measure(const struct job *job, struct null *n, const struct clock *clock,
	const struct probe_observer *observer, struct run *run)
{
	struct observe observe = { .observer = observer };
	/* Several threads cannot advance one clock: their queues are merged into one. */
	struct workload workload = run->workload;
	struct engine_thread thread = { .backend = n };
	struct engine_setup setup = {
		.workload = &workload,
		.seed = job->workload.seed,
		.deadline_nsec = UINT64_MAX,
		.clock = clock,
		.ops = &null_backend,
		.threads = &thread,
		.observe = &observe,
	};

	workload.queue_depth = n->slots;
	workload.threads = 1;
	int r = engine_run(&setup, run);

	if (r < 0)
		run_fail(run, RUN_ERROR, -r, "the null probe failed: %s", errno_text(-r));
	else if (run->outstanding_ios > 0)
		run_fail(run, RUN_STALLED, 0, "%u I/Os did not come back in time",
			run->outstanding_ios);
}

void null_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run)
{
	struct null_clock invented = {
		.clock = { .monotonic_nsec = read_null_clock, .realtime_usec = read_null_calendar },
		.now_nsec = clock_monotonic_nsec(clock),
	};
	struct null n = {
		.clock = &invented,
		.latency_nsec =
			job->null_latency_nsec > 0 ? job->null_latency_nsec : LATENCY_DEFAULT_NSEC,
		.slots = job->workload.queue_depth * job->workload.threads,
	};

	if (run->workload.file_size_bytes == 0)
		run->workload.file_size_bytes = WORKLOAD_FILE_SIZE_DEFAULT;
	if (run->workload.max_ios == 0 || run->workload.max_ios > IOS_MAX)
		run->workload.max_ios = IOS_MAX;
	n.requests = calloc(n.slots, sizeof(*n.requests));
	n.due_nsec = calloc(n.slots, sizeof(*n.due_nsec));
	if (n.requests && n.due_nsec) {
		for (uint32_t i = 0; i < n.slots; i++)
			n.due_nsec[i] = UINT64_MAX;
		measure(job, &n, &invented.clock, observer, run);
	} else {
		run_fail(run, RUN_ERROR, ENOMEM, "no memory for %u I/Os", n.slots);
	}
	free(n.requests);
	free(n.due_nsec);
}
