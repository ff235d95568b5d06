/* SPDX-License-Identifier: Apache-2.0 */
/* One measurement thread, and the state shared by all of them. Only for src/probe/engine.c. */
#ifndef REPOPROBE_PROBE_LANE_H
#define REPOPROBE_PROBE_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/engine.h"
#include "probe/offsets.h"
#include "probe/pace.h"
#include "probe/tally.h"

#define NOT_YET UINT64_MAX

struct lane_slot {
	bool is_out;
	bool is_write;
	uint32_t buffer;
	uint32_t done_bytes;
	uint32_t retries;
	uint64_t offset_bytes;
	uint64_t start_nsec;
};

/* Shared by all lanes. Members that are not atomic are set before the first lane runs. */
struct lane_bounds {
	uint64_t start_nsec;
	uint64_t stop_nsec; /* no new I/O from here on */
	uint64_t give_up_nsec; /* no waiting from here on */
	uint64_t max_ios; /* of all lanes; UINT64_MAX: no bound */
	_Atomic uint64_t taken_ios; /* submissions allowed so far; stops at max_ios */
	uint64_t warmup_ios; /* completions that end the warm-up */
	_Atomic uint64_t warm_ios; /* completions so far, during the warm-up */
	_Atomic uint64_t measure_nsec; /* completions count from here on; only ever lowered */
	atomic_int error; /* the first one */
};

struct lane {
	const struct engine_setup *setup;
	const struct workload *workload;
	const struct engine_thread *thread;
	uint32_t index;
	struct lane_bounds *bounds;
	struct activity *activity;
	struct observe *observe; /* only for the first lane */
	struct lane *const *all; /* for progress, which the first lane reports for all */
	struct lane_slot *slots;
	uint32_t *idle; /* slots without an I/O that wait until they are due */
	uint32_t idle_count;
	uint32_t out;
	uint32_t out_of[RUN_OPERATIONS];
	struct offsets offsets;
	struct pace pace;
	bool is_stopped;
	bool is_timed_out; /* stopped by stop_nsec */
	bool is_measuring;
	uint64_t stopped_nsec;
	/* results */
	_Atomic uint64_t completed_ios;
	struct run_operation_result *operations;
	struct seconds seconds;
	struct facts_own own; /* warm-up included */
	uint64_t first_nsec; /* start of the earliest measured I/O; NOT_YET: none */
	uint64_t last_nsec; /* latest measured completion */
	uint32_t outstanding_ios;
	struct lane_slot warm_slot; /* the last I/O of the warm-up … */
	uint64_t warm_nsec; /* … and its completion time; 0: none */
};

/* Makes lane `index`; the caller owns `operations`. NULL: no memory. */
struct lane *lane_new(const struct engine_setup *setup, uint32_t index, struct lane_bounds *bounds,
	struct activity *activity, struct run_operation_result *operations);
struct lane *lane_free(struct lane *l);

/* Runs from the bounds' start to the end. Failures are stored in the bounds. */
void lane_run(struct lane *l);

/* Measures the last I/O of the warm-up, when nothing else was measured. */
void lane_measure_warm(struct lane *l);

#endif
