/* SPDX-License-Identifier: Apache-2.0 */
/* The block kind: one workload on the probe file, from the repository's path to the numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "probe/engine.h"
#include "probe/fault.h"
#include "probe/fresh.h"
#include "probe/growth.h"
#include "probe/kind.h"
#include "probe/layout.h"
#include "probe/place.h"
#include "probe/random.h"
#include "probe/rig.h"
#include "probe/setup.h"
#include "probe/target.h"
#include "probe/trust.h"

#define MIB (UINT64_C(1) << 20)
#define LAYOUT_PERCENT 75 /* of the time outside the measurement, earlier set-up included */
#define GROWTH_NSEC_MAX (2 * NSEC_PER_SEC) /* for each JOB_GROWTH_BYTES */

struct block {
	const struct job *job;
	const struct clock *clock;
	struct observe observe;
	struct setup setup;
	struct run *run;
	uint64_t start_nsec;
	uint64_t deadline_nsec;
	uint64_t offsets_seed;
	uint64_t content_seed;
	uint64_t data_bytes; /* laid out */
	uint64_t layout_nsec; /* time that the layout took in this run */
	uint64_t target_bytes; /* final size of the data */
	bool is_growth_over; /* growth ended before target_bytes */
	struct place place;
	struct target target;
	struct layout layout;
	struct fresh fresh;
	struct rig rig;
	struct trust trust;
};

static int prepare(struct block *b)
{
	uint64_t seeds[2];

	b->start_nsec = clock_monotonic_nsec(b->clock);
	setup_begin(&b->setup, b->clock, b->run);
	if (getrandom(seeds, sizeof(seeds), 0) != (ssize_t)sizeof(seeds)) {
		run_fail(b->run, RUN_ERROR, EIO, "the kernel gives no random numbers");
		return -EIO;
	}
	b->offsets_seed = b->job->workload.has_seed ? b->job->workload.seed : seeds[0];
	b->content_seed = seeds[1];
	b->deadline_nsec = UINT64_MAX;
	if (b->job->deadline_usec > 0 &&
		b->job->deadline_usec < (UINT64_MAX - b->start_nsec) / NSEC_PER_USEC)
		b->deadline_nsec = b->start_nsec + b->job->deadline_usec * NSEC_PER_USEC;
	return 0;
}

/* An automatic size is at least some blocks; a configured size is used as it is. */
static uint64_t choose_target_bytes(const struct block *b)
{
	uint64_t bytes = b->job->file_target_bytes;
	uint64_t least = (uint64_t)b->job->workload.block_size_bytes * JOB_FILE_BLOCKS_MIN;

	if (bytes == 0) {
		bytes = b->target.header.auto_bytes;
		if (bytes < least)
			bytes = (least + MIB - 1) / MIB * MIB;
	}
	if (bytes < b->job->workload.file_size_bytes)
		bytes = b->job->workload.file_size_bytes;
	return bytes;
}

/* The largest size that a file may keep, so that a larger one from an earlier file_size is cut.
 * With probes of several block sizes the automatic size varies, so its maximum is the limit. */
static uint64_t choose_most_bytes(const struct block *b)
{
	bool is_auto = b->job->file_target_bytes == 0;

	return is_auto && b->target_bytes < WORKLOAD_FILE_SIZE_DEFAULT ? WORKLOAD_FILE_SIZE_DEFAULT
								       : b->target_bytes;
}

static int find_data(struct block *b)
{
	b->target_bytes = choose_target_bytes(b);
	/* A file that is removed afterwards need not be cut first. */
	int r = b->job->keep_file ? target_shrink(&b->target, choose_most_bytes(b)) : 0;
	if (r < 0)
		return fault_set(b->run, r, "shorten the probe file in", b->target.directory.path);
	r = target_measure(&b->target, &b->data_bytes);
	if (r < 0)
		return fault_set(b->run, r, "examine the probe file in", b->target.directory.path);
	if (b->target_bytes < b->data_bytes)
		b->target_bytes = b->data_bytes;
	b->is_growth_over = growth_is_over(
		&b->target.header.growth, b->target_bytes, clock_realtime_usec(b->clock));
	return 0;
}

static uint64_t choose_first_bytes(const struct block *b)
{
	uint64_t bytes = b->job->first_layout_bytes;
	uint64_t least = (uint64_t)b->job->workload.block_size_bytes * JOB_FILE_BLOCKS_MIN;

	if (b->is_growth_over)
		bytes = b->data_bytes > least ? b->data_bytes : least;
	if (bytes > 0 && bytes < least)
		bytes = least;
	return bytes > 0 && bytes < b->target_bytes ? bytes : b->target_bytes;
}

static int open_layout(struct block *b)
{
	b->layout = (struct layout){
		.end_bytes = b->data_bytes > 0 ? HEADER_DATA_OFFSET + b->data_bytes : HEADER_BYTES,
		.seed = b->content_seed,
		.place = &b->place,
		.clock = b->clock,
		.observe = &b->observe,
		.setup = &b->setup,
	};
	int r = target_open_layout(&b->target, b->run, &b->layout.is_direct);
	b->layout.fd = b->target.layout_fd;
	return r;
}

static void note_layout(struct block *b)
{
	if (b->layout.end_bytes > HEADER_DATA_OFFSET + b->data_bytes)
		b->data_bytes = b->layout.end_bytes - HEADER_DATA_OFFSET;
	b->run->layout_bytes = b->layout.written_bytes;
}

/* -ENOSPC: the floor was reached because others wrote meanwhile, or the disk is full below it. */
static int explain_layout(struct block *b, int r)
{
	if (b->run->status != RUN_OK ||
		(r == -ENOSPC && place_check_space(&b->place, MIB, b->run) < 0))
		return r;
	return fault_set(b->run, r, "lay out the probe file in", b->target.directory.path);
}

/* A fresh run that only writes does not use the laid-out data. */
static bool needs_layout(const struct block *b)
{
	return !b->job->workload.is_fresh || workload_reads(&b->job->workload);
}

/* Measures again what was laid out, because a file system may delay allocation or answer such reads
 * without the disk. This fails only runs that read. */
static int check_layout(struct block *b)
{
	uint64_t bytes;
	int r = target_measure(&b->target, &bytes);

	if (r < 0)
		return explain_layout(b, r);
	if (bytes >= b->data_bytes || !workload_reads(&b->job->workload))
		return 0;
	run_fail(b->run, RUN_REFUSED, ENODATA,
		"reads would not come from the disk: the file system says that the probe file is "
		"not written there beyond %llu KiB, though it just was",
		(unsigned long long)(bytes >> 10));
	return -ENODATA;
}

static uint64_t choose_layout_end(const struct block *b)
{
	uint64_t all_nsec = b->deadline_nsec - b->start_nsec;
	uint64_t duration_nsec = b->job->workload.duration_usec * NSEC_PER_USEC;

	if (b->deadline_nsec == UINT64_MAX)
		return UINT64_MAX;
	if (duration_nsec > all_nsec)
		duration_nsec = 0; /* not a bound in this case */
	return b->start_nsec + (all_nsec - duration_nsec) / 100 * LAYOUT_PERCENT;
}

/* Lays out the part of the file that must exist before the measurement. */
static int lay_out(struct block *b)
{
	uint64_t first_bytes = choose_first_bytes(b);
	uint64_t until_nsec = choose_layout_end(b);

	if (b->data_bytes >= first_bytes || !needs_layout(b))
		return 0;
	uint64_t begin_nsec = clock_monotonic_nsec(b->clock);
	if (begin_nsec >= until_nsec)
		return 0;
	uint64_t more_bytes = first_bytes - b->data_bytes;
	if (b->data_bytes == 0)
		more_bytes += HEADER_DATA_OFFSET; /* the header is laid out too */
	int r = place_check_space(&b->place, more_bytes, b->run);
	if (r < 0)
		return r;
	r = open_layout(b);
	if (r < 0)
		return explain_layout(b, r);
	r = layout_extend(
		&b->layout, HEADER_DATA_OFFSET + first_bytes, until_nsec, JOB_PHASE_LAYOUT);
	b->layout_nsec = clock_monotonic_nsec(b->clock) - begin_nsec;
	note_layout(b);
	return r < 0 ? explain_layout(b, r) : check_layout(b);
}

/* Reports how far the set-up got before the time was over. */
static int fail_late(struct block *b)
{
	struct buf seen = BUF_INIT(RUN_REASON_MAX);
	const char *next = b->job->keep_file ? "; the next run goes on" : "";

	if (b->layout.written_bytes > 0) {
		format_work(&seen, b->layout.written_bytes, b->layout_nsec);
		run_fail(b->run, RUN_TIMEOUT, ETIMEDOUT,
			"laying out the probe file took too long: %s%s", buf_text(&seen), next);
	} else {
		format_latency(&seen, clock_monotonic_nsec(b->clock) - b->start_nsec);
		run_fail(b->run, RUN_TIMEOUT, ETIMEDOUT,
			"opening the probe file took %s, and no time was left to measure%s",
			buf_text(&seen), next);
	}
	buf_done(&seen);
	return -ETIMEDOUT;
}

/* Records when growth began, for a file that grows from run to run. */
static int keep_growth(struct block *b)
{
	const struct growth *known = &b->target.header.growth;

	if (!b->job->keep_file || b->job->first_layout_bytes == 0)
		return 0;
	struct growth next =
		growth_next(known, b->data_bytes, b->target_bytes, clock_realtime_usec(b->clock));
	return target_keep_growth(&b->target, &next, b->run);
}

/* Chooses the part of the file that the workload uses, and flags a part smaller than wanted. */
static int choose_part(struct block *b)
{
	static const struct growth none = { .began_usec = 0 }; /* until there is space again */
	struct workload *w = &b->run->workload;
	uint64_t wanted_bytes = w->file_size_bytes > 0 ? w->file_size_bytes : b->target_bytes;

	if (clock_monotonic_nsec(b->clock) >= b->deadline_nsec)
		return fail_late(b);
	if (!needs_layout(b)) {
		w->file_size_bytes = wanted_bytes;
		return 0;
	}
	w->file_size_bytes = wanted_bytes < b->data_bytes ? wanted_bytes : b->data_bytes;
	if (w->file_size_bytes < (uint64_t)w->block_size_bytes * JOB_FILE_BLOCKS_MIN / 2)
		return fail_late(b);
	bool is_part = w->file_size_bytes < wanted_bytes;
	bool has_space = !is_part || place_has_space(&b->place, MIB);
	int r = has_space ? keep_growth(b) : target_keep_growth(&b->target, &none, b->run);
	/* Without this, a file that can grow no further would stay "warming" forever. */
	bool is_kept_small = b->is_growth_over || !has_space;
	if (is_part)
		b->run->trust |= is_kept_small ? RUN_TRUST_CLAMPED : RUN_TRUST_WARMING;
	if (is_kept_small)
		b->target_bytes = b->data_bytes;
	return r;
}

/* The file for a fresh run is as large as the part in use. The run ends when all of it is written,
 * because a second pass would no longer write new blocks. */
static int open_fresh(struct block *b)
{
	struct workload *w = &b->run->workload;
	struct error error = { "" };

	if (!w->is_fresh)
		return 0;
	int r = place_check_space(&b->place, HEADER_DATA_OFFSET + w->file_size_bytes, b->run);
	if (r < 0)
		return r;
	if (w->max_bytes == 0 || w->max_bytes > w->file_size_bytes)
		w->max_bytes = w->file_size_bytes;
	r = workload_check(w, &error);
	if (r < 0) {
		run_fail(b->run, RUN_ERROR, -r, "%s", error.text);
		return r;
	}
	return fresh_open(&b->fresh, &b->target, b->run);
}

static int open_rig(struct block *b)
{
	struct error error = { "" };
	struct io_setup setup = {
		.fd = b->target.io_fd,
		.write_fd = b->fresh.fd >= 0 ? b->fresh.fd : b->target.io_fd,
		.is_synchronised = b->target.is_fallback,
		.drops_cache = b->target.is_fallback,
		.meter = b->target.is_direct ? NULL : &b->trust.meter,
	};
	int r = rig_open(&b->rig, &b->run->workload, &setup, &error);

	if (r < 0) {
		run_fail(b->run, RUN_ERROR, -r, "%s", error.text);
		return r;
	}
	b->run->engine = b->rig.ops->engine;
	b->run->has_registered_buffers = b->rig.has_registered_buffers;
	return 0;
}

static uint64_t nsec_of(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NSEC_PER_SEC + (uint64_t)tv.tv_usec * NSEC_PER_USEC;
}

static void add_cpu_time(struct run *run, const struct rusage *before)
{
	struct rusage after;

	(void)getrusage(RUSAGE_SELF, &after); /* cannot fail with these arguments */
	run->cpu_user_nsec = nsec_of(after.ru_utime) - nsec_of(before->ru_utime);
	run->cpu_system_nsec = nsec_of(after.ru_stime) - nsec_of(before->ru_stime);
}

static bool is_synced(const struct block *b)
{
	enum workload_cache cache = b->job->workload.cache;

	return !b->target.is_fallback &&
		(cache == WORKLOAD_DIRECT_DSYNC || cache == WORKLOAD_DSYNC);
}

static int run_engine(struct block *b)
{
	trust_begin(&b->trust, &b->target, b->clock, b->run);
	setup_end_step(&b->setup, RUN_SETUP_EXAMINE);
	int r = open_rig(b);

	setup_end_step(&b->setup, RUN_SETUP_ENGINE);
	if (r < 0)
		return r;
	struct engine_setup setup = {
		.workload = &b->run->workload,
		.base_bytes = HEADER_DATA_OFFSET,
		.seed = b->offsets_seed,
		.deadline_nsec = b->deadline_nsec,
		.clock = b->clock,
		.ops = b->rig.ops,
		.threads = b->rig.threads,
		.is_synced = is_synced(b),
		.observe = &b->observe,
	};
	struct rusage before;
	b->run->setup_nsec = clock_monotonic_nsec(b->clock) - b->start_nsec;
	(void)getrusage(RUSAGE_SELF, &before); /* as above */
	r = engine_run(&setup, b->run);
	add_cpu_time(b->run, &before);
	if (r == 0)
		trust_end(&b->trust, b->run);
	/* Rings may be closed only when the kernel no longer uses them. */
	if (b->run->outstanding_ios == 0)
		rig_close(&b->rig);
	return r;
}

/* True when a file system took O_DIRECT at open and refuses the I/O itself. */
static bool is_direct_refused(const struct block *b, int r)
{
	return r == -EINVAL && b->run->status == RUN_OK && b->target.is_direct &&
		b->run->outstanding_ios == 0;
}

static int fall_back(struct block *b)
{
	setup_skip(&b->setup);
	int r = target_fall_back(&b->target, b->run);

	if (r == 0 && b->fresh.is_there)
		r = fresh_follow(&b->fresh, &b->target);
	memset(b->run->operations, 0, sizeof(b->run->operations));
	memset(b->run->iops, 0, sizeof(b->run->iops));
	return r;
}

static int measure(struct block *b)
{
	int r = rig_init(&b->rig, &b->job->workload, random_mix(b->content_seed));

	if (r < 0)
		return fault_set(b->run, r, "get memory to measure", b->place.path);
	r = run_engine(b);
	if (is_direct_refused(b, r)) {
		r = fall_back(b);
		if (r == 0)
			r = run_engine(b);
	}
	if (b->run->outstanding_ios == 0)
		rig_done(&b->rig);
	if (r < 0 && b->run->status == RUN_OK)
		fault_set(b->run, r, b->run->operations[RUN_WRITE].errors > 0 ? "write" : "read",
			b->target.directory.path);
	else if (r == 0 && b->run->outstanding_ios > 0)
		run_fail(b->run, RUN_STALLED, 0,
			"%u of the I/Os had not completed when the time was up",
			b->run->outstanding_ios);
	return r;
}

/* Growth takes at most half of the run's remaining time: the disk must also complete what was
 * written. */
static uint64_t choose_growth_end(const struct block *b)
{
	uint64_t now_nsec = clock_monotonic_nsec(b->clock);
	uint64_t parts = (b->job->growth_bytes + JOB_GROWTH_BYTES - 1) / JOB_GROWTH_BYTES;
	uint64_t left_nsec = b->deadline_nsec > now_nsec ? (b->deadline_nsec - now_nsec) / 2 : 0;
	uint64_t taken_nsec;

	if (__builtin_mul_overflow(parts, GROWTH_NSEC_MAX, &taken_nsec) || taken_nsec > left_nsec)
		taken_nsec = left_nsec;
	return now_nsec + taken_nsec;
}

/* Grows the file a bit after each run until it is complete. This is not part of the run: the next
 * run reports what prevents growth. */
static void grow(struct block *b)
{
	uint64_t bytes = b->job->growth_bytes;

	setup_skip(&b->setup);
	if (bytes > b->target_bytes - b->data_bytes)
		bytes = b->target_bytes - b->data_bytes;
	if (bytes == 0 || !place_has_space(&b->place, bytes))
		return;
	if (b->target.layout_fd < 0 && open_layout(b) < 0)
		return;
	(void)layout_extend(&b->layout, HEADER_DATA_OFFSET + b->data_bytes + bytes,
		choose_growth_end(b), JOB_PHASE_GROWTH);
	note_layout(b);
	b->run->file_bytes = b->data_bytes;
}

static void use_target(struct block *b)
{
	int r = find_data(b);

	if (r == 0)
		r = lay_out(b);
	bool is_late = r == 0 && choose_part(b) < 0; /* the laid-out data stays for the next run */
	if (r == 0 && !is_late)
		r = target_open_io(&b->target, &b->job->workload, b->run);
	if (r < 0) {
		target_undo(&b->target);
	} else {
		r = is_late ? -ETIMEDOUT : open_fresh(b);
		if (r == 0)
			r = measure(b);
		b->run->file_bytes = b->data_bytes;
		b->run->file_target_bytes = b->target_bytes;
	}
	if (b->run->outstanding_ios > 0)
		return;
	fresh_remove(&b->fresh, &b->target);
	if (!b->job->keep_file)
		target_remove(&b->target);
	else if (r == 0 && needs_layout(b))
		grow(b);
}

static void use_place(struct block *b)
{
	int r = place_check_space(&b->place, 0, b->run);

	if (r == 0)
		r = target_open(b->job, &b->place, b->clock, &b->target, b->run);
	if (r < 0)
		return;
	use_target(b);
	if (b->run->outstanding_ios == 0)
		target_close(&b->target);
}

void block_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run)
{
	struct block *b = calloc(1, sizeof(*b));

	if (!b) {
		run_fail(run, RUN_SKIPPED, ENOMEM, "this host has too little memory for a run");
		return;
	}
	b->job = job;
	b->clock = clock;
	b->run = run;
	b->observe.observer = observer;
	run->has_own = true;
	b->fresh.fd = -1;
	if (prepare(b) == 0 && place_open(job, &b->setup, &b->place, run) == 0) {
		use_place(b);
		run->own.bytes += b->layout.written_bytes;
		run->own.written_bytes += b->layout.written_bytes;
		run->own.ios += b->layout.written_ios;
		if (run->outstanding_ios == 0)
			place_close(&b->place);
	}
	/* A run that never reached its I/O spent all its time on set-up. */
	if (run->setup_nsec == 0)
		run->setup_nsec = b->setup.begin_nsec - b->start_nsec;
	free(b);
}
