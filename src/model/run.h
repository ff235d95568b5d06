/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a probe and everything measured in it: reported by the worker, judged by the
 * alarm, stored and shown. Plain values. */
#ifndef REPOPROBE_MODEL_RUN_H
#define REPOPROBE_MODEL_RUN_H

#include "model/facts.h"
#include "model/histogram.h"
#include "model/identity.h"
#include "model/workload.h"

#define RUN_NAME_MAX 200 /* bytes of a repository or probe name */
#define RUN_REASON_MAX 255

/* Upper bounds of any run: numbers from a worker are checked against these when decoded, so that
 * the sum of two operations stays below 2^63, the maximum of the database and JSON. */
#define RUN_NSEC_MAX (UINT64_C(1) << 55) /* a year */
#define RUN_BYTES_MAX (UINT64_C(1) << 54) /* 16 PiB */
#define RUN_IOS_MAX (UINT64_C(1) << 40)
#define RUN_SUM_NSEC_MAX (UINT64_C(1) << 62) /* of all latencies: many I/Os in flight at once */
#define RUN_SIZE_MAX ((UINT64_C(1) << 63) - 1) /* of a file or file system, whatever it reports */

enum run_operation {
	RUN_READ,
	RUN_WRITE,
};
#define RUN_OPERATIONS 2

enum run_status {
	RUN_OK,
	RUN_ERROR, /* see error_number */
	RUN_STALLED, /* I/Os still in flight at the timeout */
	RUN_TIMEOUT, /* nothing was measured before the deadline, whether the worker ended in time
			or was killed */
	RUN_STUCK, /* the worker cannot be reaped */
	RUN_NOT_MOUNTED,
	RUN_WRONG_TARGET,
	RUN_READ_ONLY,
	RUN_NO_SPACE,
	RUN_REFUSED,
	RUN_SKIPPED,
};
#define RUN_STATUSES 11

enum run_skip {
	RUN_SKIP_NONE, /* not skipped; of a skipped run: a fault of our own, given in its reason */
	RUN_SKIP_OVERLAP,
	RUN_SKIP_IN_USE,
	RUN_SKIP_BUSY,
	RUN_SKIP_MUTE,
	RUN_SKIP_BUDGET,
};
#define RUN_SKIPS 6

/* Trust flags, a bit set. Text: direct, buffered, fallback, cached?, compressed?, split, clamped,
 * short, warming. */
enum run_trust {
	RUN_TRUST_DIRECT = 1 << 0,
	RUN_TRUST_BUFFERED = 1 << 1,
	RUN_TRUST_FALLBACK = 1 << 2,
	RUN_TRUST_CACHED = 1 << 3,
	RUN_TRUST_COMPRESSED = 1 << 4,
	RUN_TRUST_SPLIT = 1 << 5,
	RUN_TRUST_CLAMPED = 1 << 6,
	RUN_TRUST_SHORT = 1 << 7,
	RUN_TRUST_WARMING = 1 << 8,
};
#define RUN_TRUST_FLAGS 9

/* The steps of a run on the repository before its first I/O, and again when it lays out more of the
 * file. */
enum run_setup_step {
	RUN_SETUP_NONE,
	RUN_SETUP_REPOSITORY, /* open it, identify its file system, check the free space */
	RUN_SETUP_DIRECTORY, /* open or create the probe directory */
	RUN_SETUP_OPEN, /* open or create the probe file */
	RUN_SETUP_LOCK,
	RUN_SETUP_HEADER, /* read or write it */
	RUN_SETUP_EXAMINE, /* extents, pages in the page cache */
	RUN_SETUP_LAYOUT, /* one write or flush of it */
	RUN_SETUP_ENGINE, /* rings and buffers */
};
#define RUN_SETUP_STEPS 9

struct run_operation_result {
	uint64_t ios;
	uint64_t bytes;
	uint64_t errors;
	uint64_t active_nsec; /* time with at least one I/O of this operation in flight */
	struct histogram latency;
};

/* I/Os that completed in each full second of the measurement: enough for diskspd's IopsStdDev, the
 * population standard deviation of I/Os per second over one-second buckets (workloads 2.5). */
struct run_iops {
	uint32_t seconds; /* number of full seconds */
	uint64_t ios; /* completed in them */
	uint64_t squares; /* sum of the squares of the I/Os of each second */
};

struct run {
	int64_t id; /* 0: not committed by a daemon */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	int64_t started_usec; /* realtime, when the worker was spawned */
	uint64_t start_delay_usec; /* start relative to the schedule */
	bool is_confirmation; /* requested by the alarm in addition to the schedule */
	uint64_t duration_nsec; /* spawn to reap, or to the verdict "stuck" */
	uint64_t setup_nsec; /* before the first I/O: open, lay out */
	uint64_t setup_longest_nsec; /* of its steps, including those that grow the file … */
	enum run_setup_step setup_step; /* … and which step that was; none: not known */
	uint64_t measured_nsec; /* first to last measured I/O; throughput refers to this time */
	enum run_status status;
	enum run_skip skip;
	int error_number; /* positive errno behind the status, or 0 */
	char reason[RUN_REASON_MAX + 1]; /* a plain sentence, "" if ok */
	uint32_t trust; /* enum run_trust bits */
	enum workload_engine engine; /* the one used; auto when no I/O was made */
	struct workload workload; /* as executed: file_size_bytes filled in */
	uint64_t file_bytes; /* size of the probe file afterwards */
	uint64_t file_target_bytes; /* its final size */
	uint64_t layout_bytes; /* written to lay the file out, not in any statistics */
	uint32_t outstanding_ios; /* in flight at the end */
	uint64_t cpu_user_nsec; /* of the worker, during the measurement */
	uint64_t cpu_system_nsec;
	struct identity identity;
	struct run_operation_result operations[RUN_OPERATIONS];
	struct run_iops iops[RUN_OPERATIONS + 1]; /* by operation; the last one is both combined */
	uint64_t place_key; /* where it took place; 0: on its repository's storage; not stored */
	uint64_t reserved_bytes; /* of the write budget, at its start; not stored */
	bool has_registered_buffers; /* io_uring: the memory-lock limit allowed it */
	bool has_own; /* the worker reported it; not stored */
	struct facts_own own; /* all its I/O, including what is in no statistics */
	struct facts facts; /* of the host during the run; others' work and pressure are stored */
};

const char *run_operation_name(enum run_operation operation); /* "read", "write" */
int run_operation_parse(const char *text, enum run_operation *ret); /* 0 or -EINVAL */
const char *run_status_name(enum run_status status); /* "not_mounted" */
int run_status_parse(const char *text, enum run_status *ret);
const char *run_setup_step_name(enum run_setup_step step); /* "open"; "" for none */
/* "opening the probe file": used as the subject of a sentence; "" for none. */
const char *run_setup_step_text(enum run_setup_step step);
const char *run_skip_name(enum run_skip skip); /* "in_use"; "" for none */
int run_skip_parse(const char *text, enum run_skip *ret);
const char *run_trust_name(unsigned bit); /* bit 0…: "direct" */
const char *run_engine_name(enum workload_engine engine); /* "io_uring" */

/* Adds both operations into *ret (active time: the run's measured time). */
void run_total(const struct run *run, struct run_operation_result *ret);

/* True for a status after which the repository was measured to the end (ok, stalled). */
bool run_status_has_numbers(enum run_status status);

/* True when the run did not take place for a reason unrelated to the repository, such as a worker
 * that cannot be started: it says nothing about the repository or its load. */
bool run_is_own_trouble(const struct run *run);

/* True when at least one I/O was measured. Always true for a run that is ok. */
bool run_is_measured(const struct run *run);

/* True when the engine was to be chosen automatically and io_uring was not available. */
bool run_had_no_uring(const struct run *run);

/* Bytes per second and I/Os per second (rounded to nearest) over the run's measured time; 0 when
 * nothing was measured. */
uint64_t run_throughput_bytes_per_sec(const struct run *run, const struct run_operation_result *o);
double run_iops(const struct run *run, const struct run_operation_result *o);
/* Bytes per second over the operation's active time: idle time, such as from a rate or a think
 * time, does not count. 0 when it was never active. */
uint64_t run_active_throughput_bytes_per_sec(const struct run_operation_result *o);

/* Population standard deviation of the I/Os per second over the full seconds; 0 if none. */
double run_iops_stddev(const struct run_iops *iops);

/* Sets status, error number and reason at once: the only way in which the worker and the daemon
 * fail a run. */
void run_fail(struct run *run, enum run_status status, int error_number, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A zeroed run on the heap (it is too big for a stack), or NULL. Freed with free(). */
struct run *run_new(const char *repository, const char *probe);

#endif
