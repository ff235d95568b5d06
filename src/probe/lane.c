/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop of one thread. */
#include "probe/lane.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "probe/payload.h"

#define COMPLETIONS_MAX 64
#define RETRIES_MAX 1000 /* of one I/O that the kernel rejects with EAGAIN */
#define SLEEP_NSEC_MIN (100 * NSEC_PER_USEC) /* shorter pauses are busy-waited */

static uint64_t now_nsec(const struct lane *l)
{
	return clock_monotonic_nsec(l->setup->clock);
}

static enum run_operation operation_of(const struct lane_slot *slot)
{
	return slot->is_write ? RUN_WRITE : RUN_READ;
}

static int error_of(struct lane *l)
{
	return atomic_load_explicit(&l->bounds->error, memory_order_relaxed);
}

static void set_error(struct lane *l, int error)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(
		&l->bounds->error, &none, error); /* only the first error is kept */
}

/* I/Os in flight now are measured, so the operations' time starts here. */
static void begin_measuring(struct lane *l)
{
	uint64_t since_nsec[RUN_OPERATIONS] = { NOT_YET, NOT_YET };

	l->is_measuring = true;
	seconds_init(&l->seconds, atomic_load(&l->bounds->measure_nsec));
	for (uint32_t i = 0; i < l->workload->queue_depth; i++) {
		const struct lane_slot *slot = &l->slots[i];
		if (slot->is_out && slot->start_nsec < since_nsec[operation_of(slot)])
			since_nsec[operation_of(slot)] = slot->start_nsec;
	}
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (l->out_of[i] > 0)
			activity_begin(l->activity, (enum run_operation)i, since_nsec[i]);
}

/* Ends the warm-up now, unless it has ended already. */
static void end_warmup(struct lane_bounds *b, uint64_t now)
{
	uint64_t until_nsec = atomic_load(&b->measure_nsec);

	while (now < until_nsec &&
		!atomic_compare_exchange_weak(&b->measure_nsec, &until_nsec, now))
		;
}

static void stop(struct lane *l, uint64_t now)
{
	l->is_stopped = true;
	l->stopped_nsec = now;
}

/* Whether to stop submitting. Once true, always true. */
static bool is_over(struct lane *l, uint64_t now)
{
	if (l->is_stopped)
		return true;
	if (error_of(l) < 0) {
		stop(l, now);
	} else if (now >= l->bounds->stop_nsec) {
		stop(l, now);
		l->is_timed_out = true;
	}
	return l->is_stopped;
}

/* Whether the count bound allows one more I/O. */
static bool take_turn(struct lane *l, uint64_t now)
{
	uint64_t max = l->bounds->max_ios;

	if (max == UINT64_MAX)
		return true;
	if (atomic_fetch_add_explicit(&l->bounds->taken_ios, 1, memory_order_relaxed) < max)
		return true;
	(void)atomic_fetch_sub_explicit(&l->bounds->taken_ios, 1, memory_order_relaxed);
	stop(l, now);
	return false;
}

/* Submits the rest of a slot's I/O. */
static int hand_in(struct lane *l, uint32_t index)
{
	struct lane_slot *slot = &l->slots[index];
	struct io_request request = {
		.slot = index,
		.is_write = slot->is_write,
		.offset_bytes = l->setup->base_bytes + slot->offset_bytes + slot->done_bytes,
		.bytes = l->workload->block_size_bytes - slot->done_bytes,
	};
	bool is_first = slot->start_nsec == NOT_YET;

	if (l->thread->payload)
		request.data = payload_data(l->thread->payload, slot->buffer) + slot->done_bytes;
	if (slot->done_bytes == 0 && slot->retries == 0 && l->setup->ops->prepare)
		is_first |= l->setup->ops->prepare(l->thread->backend, &request);
	if (is_first)
		slot->start_nsec = now_nsec(l);
	return l->setup->ops->submit(l->thread->backend, &request);
}

static void begin_activity(struct lane *l, const struct lane_slot *slot)
{
	enum run_operation operation = operation_of(slot);

	l->out++;
	if (l->out_of[operation]++ == 0 && l->is_measuring)
		activity_begin(l->activity, operation, slot->start_nsec);
}

static void end_activity(struct lane *l, const struct lane_slot *slot, uint64_t now)
{
	enum run_operation operation = operation_of(slot);

	l->out--;
	if (--l->out_of[operation] == 0 && l->is_measuring)
		activity_end(l->activity, operation, now);
}

/* ready_nsec: when this I/O could have been submitted; NOT_YET: only now. */
static int submit_next(struct lane *l, uint32_t index, uint64_t ready_nsec)
{
	struct lane_slot *slot = &l->slots[index];
	bool is_write;
	uint64_t offset_bytes = offsets_next(&l->offsets, &is_write);

	*slot = (struct lane_slot){
		.is_write = is_write, .offset_bytes = offset_bytes, .start_nsec = ready_nsec
	};
	if (l->thread->payload) {
		bool is_made = false;
		slot->buffer = payload_take(l->thread->payload, is_write, &is_made);
		if (is_made)
			slot->start_nsec = NOT_YET;
	}
	int r = hand_in(l, index);
	if (r < 0) {
		if (l->thread->payload)
			payload_give(l->thread->payload, slot->buffer);
		return r;
	}
	slot->is_out = true;
	begin_activity(l, slot);
	return 0;
}

/* Submits as many of the idle slots as are due. */
static int feed(struct lane *l, uint64_t now)
{
	while (l->idle_count > 0 && !is_over(l, now) && pace_due_nsec(&l->pace) <= now &&
		take_turn(l, now)) {
		int r = submit_next(l, l->idle[--l->idle_count], NOT_YET);
		if (r < 0)
			return r;
		pace_submitted(&l->pace, now);
	}
	return 0;
}

/* Submits the next I/O of a slot after a completion, if there is one. */
static int follow(struct lane *l, uint32_t index, uint64_t now)
{
	if (pace_is_limited(&l->pace)) {
		l->idle[l->idle_count++] = index;
		if (l->out == 0)
			pace_drained(&l->pace, now);
		return 0;
	}
	return !is_over(l, now) && take_turn(l, now) ? submit_next(l, index, now) : 0;
}

static void record(struct lane *l, const struct lane_slot *slot, uint64_t bytes, uint64_t now)
{
	struct run_operation_result *o = &l->operations[operation_of(slot)];

	if (slot->start_nsec < l->first_nsec)
		l->first_nsec = slot->start_nsec;
	if (now > l->last_nsec)
		l->last_nsec = now;
	o->ios++;
	o->bytes += bytes;
	histogram_add(&o->latency, now - slot->start_nsec);
}

void lane_measure_warm(struct lane *l)
{
	const struct lane_slot *slot = &l->warm_slot;

	record(l, slot, l->workload->block_size_bytes, l->warm_nsec);
	activity_begin(l->activity, operation_of(slot), slot->start_nsec);
	activity_end(l->activity, operation_of(slot), l->warm_nsec);
}

/* Counts a completion as warm-up or as measured. */
static void count(struct lane *l, const struct lane_slot *slot, uint64_t now)
{
	struct lane_bounds *b = l->bounds;

	if (!l->is_measuring && atomic_load(&b->measure_nsec) <= now)
		begin_measuring(l);
	if (l->is_measuring) {
		record(l, slot, l->workload->block_size_bytes, now);
		seconds_add(&l->seconds, operation_of(slot), now);
	} else {
		l->warm_slot = *slot;
		l->warm_nsec = now;
		if (atomic_fetch_add(&b->warm_ios, 1) + 1 == b->warmup_ios)
			end_warmup(b, now);
	}
	atomic_store_explicit(&l->completed_ios,
		atomic_load_explicit(&l->completed_ios, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

static void release(struct lane *l, struct lane_slot *slot, uint64_t now)
{
	end_activity(l, slot, now);
	slot->is_out = false;
	if (l->thread->payload)
		payload_give(l->thread->payload, slot->buffer);
}

/* A read at the end of the file, or a write of 0 bytes without an errno. */
static int no_progress(const struct lane_slot *slot)
{
	return slot->is_write ? -EIO : -ENODATA;
}

static void fail(struct lane *l, struct lane_slot *slot, int error, uint64_t now)
{
	l->operations[operation_of(slot)].errors++;
	set_error(l, error);
	release(l, slot, now);
}

/* Counts all I/O sent to the device, whether or not it enters the statistics. */
static void add_own(struct lane *l, const struct lane_slot *slot, uint32_t bytes)
{
	l->own.bytes += bytes;
	l->own.ios++;
	l->own.written_bytes += slot->is_write ? bytes : 0;
	l->own.synced_writes += slot->is_write && l->setup->is_synced;
}

/* One completion: retried, failed, partial, or complete and followed by the next I/O. */
static int complete(struct lane *l, const struct io_completion *c, uint64_t now)
{
	struct lane_slot *slot = &l->slots[c->slot];
	uint32_t block_bytes = l->workload->block_size_bytes;

	assert(c->slot < l->workload->queue_depth && slot->is_out);
	if ((c->result == -EAGAIN || c->result == -EINTR) && slot->retries++ < RETRIES_MAX)
		return hand_in(l, c->slot);
	if (c->result <= 0) {
		fail(l, slot, c->result < 0 ? c->result : no_progress(slot), now);
		return 0;
	}
	assert((uint32_t)c->result <= block_bytes - slot->done_bytes);
	add_own(l, slot, (uint32_t)c->result);
	slot->done_bytes += (uint32_t)c->result;
	if (slot->done_bytes < block_bytes)
		return hand_in(l, c->slot);
	count(l, slot, now);
	release(l, slot, now);
	return follow(l, c->slot, now);
}

/* All bytes that the bounds allow, 0 without a bound. */
static uint64_t bound_bytes(const struct lane *l)
{
	return l->bounds->max_ios == UINT64_MAX
		? 0
		: l->bounds->max_ios * l->workload->block_size_bytes;
}

static uint64_t completed_bytes(const struct lane *l)
{
	uint64_t ios = 0;

	for (uint32_t i = 0; i < l->workload->threads; i++)
		ios += atomic_load_explicit(&l->all[i]->completed_ios, memory_order_relaxed);
	return ios * l->workload->block_size_bytes;
}

/* Time or bytes, whichever is closer to its bound. */
static struct job_progress measure_progress(const struct lane *l, uint64_t elapsed_nsec)
{
	uint64_t total_nsec = l->bounds->stop_nsec - l->bounds->start_nsec;
	uint64_t bytes = completed_bytes(l);
	uint64_t total_bytes = bound_bytes(l);

	if (total_bytes > 0 &&
		(unsigned __int128)bytes * total_nsec >
			(unsigned __int128)elapsed_nsec * total_bytes)
		return (struct job_progress){ JOB_PHASE_MEASURE, bytes, total_bytes };
	return (struct job_progress){ JOB_PHASE_MEASURE, elapsed_nsec, total_nsec };
}

static enum job_phase phase_of(const struct lane *l)
{
	if (l->is_stopped)
		return JOB_PHASE_DRAIN;
	return l->is_measuring ? JOB_PHASE_MEASURE : JOB_PHASE_WARMUP;
}

static struct job_progress progress(const struct lane *l, uint64_t now)
{
	const struct workload *w = l->workload;
	uint64_t elapsed_nsec = now - l->bounds->start_nsec;

	if (l->is_stopped)
		return (struct job_progress){ JOB_PHASE_DRAIN, elapsed_nsec,
			l->bounds->give_up_nsec - l->bounds->start_nsec };
	if (l->is_measuring)
		return measure_progress(l, elapsed_nsec);
	if (w->warmup_usec > 0)
		return (struct job_progress){ JOB_PHASE_WARMUP, elapsed_nsec,
			w->warmup_usec * NSEC_PER_USEC };
	return (struct job_progress){ JOB_PHASE_WARMUP, atomic_load(&l->bounds->warm_ios),
		w->warmup_ios };
}

static void tell(struct lane *l, uint64_t now)
{
	if (!l->observe)
		return;
	if (observe_is_due(l->observe, now, phase_of(l))) {
		struct job_progress p = progress(l, now);
		observe_tell(l->observe, now, &p);
	}
	if (observe_is_cancelled(l->observe))
		set_error(l, -ECANCELED);
}

/* How long the thread may wait for a completion. */
static uint64_t waiting_nsec(const struct lane *l, uint64_t now)
{
	uint64_t wake_nsec = now + OBSERVE_INTERVAL_NSEC;

	/* While a buffer needs content, fill it instead of sleeping. */
	if (l->thread->payload && payload_has_work(l->thread->payload))
		return 0;
	if (l->bounds->give_up_nsec < wake_nsec)
		wake_nsec = l->bounds->give_up_nsec;
	if (l->idle_count > 0 && !l->is_stopped) {
		uint64_t due_nsec = pace_due_nsec(&l->pace);
		if (l->bounds->stop_nsec < wake_nsec)
			wake_nsec = l->bounds->stop_nsec;
		if (due_nsec < wake_nsec)
			wake_nsec = due_nsec;
		if (due_nsec == wake_nsec && l->pace.interval_nsec > 0 &&
			l->pace.interval_nsec < SLEEP_NSEC_MIN)
			return 0;
	}
	return wake_nsec > now ? wake_nsec - now : 0;
}

static int turn(struct lane *l, uint64_t *now)
{
	struct io_completion completions[COMPLETIONS_MAX];
	int n = l->setup->ops->wait(
		l->thread->backend, waiting_nsec(l, *now), completions, COMPLETIONS_MAX);
	int r = 0;

	if (n < 0)
		return n;
	*now = now_nsec(l);
	for (int i = 0; i < n && r == 0; i++)
		r = complete(l, &completions[i], *now);
	if (r == 0 && l->idle_count > 0)
		r = feed(l, *now);
	if (r < 0)
		return r;
	if (n == 0 && l->thread->payload)
		payload_work(l->thread->payload);
	tell(l, *now);
	(void)is_over(l, *now); /* the time may end without any completion */
	return 0;
}

/* I/Os that did not complete are recorded with their age. */
static void give_up(struct lane *l, uint64_t now)
{
	if (l->out > 0 && !l->is_measuring) {
		end_warmup(l->bounds, now);
		begin_measuring(l);
	}
	for (uint32_t i = 0; i < l->workload->queue_depth; i++) {
		struct lane_slot *slot = &l->slots[i];
		if (!slot->is_out)
			continue;
		record(l, slot, 0, now);
		add_own(l, slot, l->workload->block_size_bytes - slot->done_bytes);
		end_activity(l, slot, now); /* the slot stays in use: its buffer is the kernel's */
		l->outstanding_ios++;
	}
}

void lane_run(struct lane *l)
{
	uint64_t now = now_nsec(l);

	pace_init(&l->pace, l->workload, l->index, l->bounds->start_nsec);
	int r = feed(l, now);
	while (r == 0 && now < l->bounds->give_up_nsec && (l->out > 0 || !l->is_stopped))
		r = turn(l, &now);
	if (r < 0)
		set_error(l, r);
	now = now_nsec(l);
	give_up(l, now);
	if (!l->is_stopped)
		stop(l, now);
}

struct lane *lane_new(const struct engine_setup *setup, uint32_t index, struct lane_bounds *bounds,
	struct activity *activity, struct run_operation_result *operations)
{
	const struct workload *w = setup->workload;
	struct lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->setup = setup;
	l->workload = w;
	l->thread = &setup->threads[index];
	l->index = index;
	l->bounds = bounds;
	l->activity = activity;
	l->operations = operations;
	l->first_nsec = NOT_YET;
	l->slots = calloc(w->queue_depth, sizeof(*l->slots));
	l->idle = calloc(w->queue_depth, sizeof(*l->idle));
	if (!l->slots || !l->idle)
		return lane_free(l);
	for (uint32_t i = 0; i < w->queue_depth; i++)
		l->idle[l->idle_count++] = w->queue_depth - 1 - i;
	offsets_init(&l->offsets, w, w->file_size_bytes, setup->seed, index);
	return l;
}

struct lane *lane_free(struct lane *l)
{
	if (!l)
		return NULL;
	seconds_done(&l->seconds);
	free(l->slots);
	free(l->idle);
	free(l);
	return NULL;
}
