/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop. */
#include "probe/engine.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "probe/offsets.h"
#include "probe/payload.h"

#define COMPLETIONS_MAX 64
#define RETRIES_MAX 1000 /* of one I/O that the kernel puts off with EAGAIN */
#define SHORT_BELOW_IOS 1000 /* 10 / (1 - p) for p = 99 % */
#define TIMEOUT_RESERVE 8 /* this part of the timeout is kept for draining */

struct slot {
	bool is_out;
	bool is_write;
	uint32_t buffer;
	uint32_t done_bytes;
	uint32_t retries;
	uint64_t offset_bytes;
	uint64_t start_nsec;
};

/* What is out of one operation, and since when at least one I/O is. */
struct activity {
	uint32_t out;
	uint64_t since_nsec;
};

struct engine {
	const struct engine_setup *setup;
	const struct workload *workload;
	struct run *run;
	struct slot *slots;
	uint32_t slot_count;
	struct offsets offsets;
	struct activity activity[RUN_OPERATIONS];
	uint32_t out;
	uint64_t submitted_ios;
	uint64_t completed_ios;
	uint64_t start_nsec;
	uint64_t stop_nsec; /* no new I/O from here on */
	uint64_t give_up_nsec; /* nor any waiting from here on */
	bool is_stop_clamped; /* the former comes from the latter */
	bool is_stopped;
	bool is_measuring; /* the warm-up is over */
	uint64_t first_nsec; /* when the earliest measured I/O was handed in */
	uint64_t last_nsec; /* when the latest was complete */
	int error;
};

static uint64_t now_nsec(const struct engine *e)
{
	return clock_monotonic_nsec(e->setup->clock);
}

static enum run_operation operation_of(const struct slot *slot)
{
	return slot->is_write ? RUN_WRITE : RUN_READ;
}

static uint64_t add_usec(uint64_t nsec, uint64_t usec)
{
	return usec > (UINT64_MAX - nsec) / NSEC_PER_USEC ? UINT64_MAX
							  : nsec + usec * NSEC_PER_USEC;
}

static void set_bounds(struct engine *e)
{
	const struct workload *w = e->workload;
	uint64_t reserve_nsec;

	e->give_up_nsec = e->setup->deadline_nsec;
	if (w->timeout_usec > 0 && add_usec(e->start_nsec, w->timeout_usec) < e->give_up_nsec)
		e->give_up_nsec = add_usec(e->start_nsec, w->timeout_usec);
	if (e->give_up_nsec < e->start_nsec)
		e->give_up_nsec = e->start_nsec;
	reserve_nsec = (e->give_up_nsec - e->start_nsec) / TIMEOUT_RESERVE;

	e->stop_nsec =
		w->duration_usec > 0 ? add_usec(e->start_nsec, w->duration_usec) : UINT64_MAX;
	if (e->stop_nsec > e->give_up_nsec - reserve_nsec) {
		e->stop_nsec = e->give_up_nsec - reserve_nsec;
		e->is_stop_clamped = true;
	}
}

/* May another I/O be handed in? Once no, always no. */
static bool may_submit(struct engine *e, uint64_t now)
{
	const struct workload *w = e->workload;
	uint64_t bytes = e->submitted_ios * w->block_size_bytes;

	if (e->is_stopped)
		return false;
	if (e->error < 0 || (w->max_ios > 0 && e->submitted_ios >= w->max_ios) ||
		(w->max_bytes > 0 && bytes + w->block_size_bytes > w->max_bytes)) {
		e->is_stopped = true;
	} else if (now >= e->stop_nsec) {
		e->is_stopped = true;
		if (e->is_stop_clamped)
			e->run->trust |= RUN_TRUST_CLAMPED;
	}
	return !e->is_stopped;
}

/* Hands in what is left to do of a slot. */
static int hand_in(struct engine *e, uint32_t index, bool is_first)
{
	struct slot *slot = &e->slots[index];
	struct io_request request = {
		.slot = index,
		.is_write = slot->is_write,
		.offset_bytes = e->setup->base_bytes + slot->offset_bytes + slot->done_bytes,
		.bytes = e->workload->block_size_bytes - slot->done_bytes,
	};

	if (e->setup->payload)
		request.data = payload_data(e->setup->payload, slot->buffer) + slot->done_bytes;
	if (is_first && e->setup->ops->prepare)
		e->setup->ops->prepare(e->setup->backend, &request);
	if (is_first)
		slot->start_nsec = now_nsec(e);
	return e->setup->ops->submit(e->setup->backend, &request);
}

static void begin_activity(struct engine *e, const struct slot *slot)
{
	struct activity *a = &e->activity[operation_of(slot)];

	if (a->out++ == 0)
		a->since_nsec = slot->start_nsec;
	e->out++;
}

static void end_activity(struct engine *e, const struct slot *slot, uint64_t now)
{
	struct activity *a = &e->activity[operation_of(slot)];

	e->out--;
	if (--a->out == 0 && e->is_measuring)
		e->run->operations[operation_of(slot)].active_nsec += now - a->since_nsec;
}

static int submit_next(struct engine *e, uint32_t index)
{
	struct slot *slot = &e->slots[index];
	bool is_write;
	uint64_t offset_bytes = offsets_next(&e->offsets, &is_write);

	*slot = (struct slot){ .is_write = is_write, .offset_bytes = offset_bytes };
	if (e->setup->payload)
		slot->buffer = payload_take(e->setup->payload, is_write);
	int r = hand_in(e, index, true);
	if (r < 0) {
		if (e->setup->payload)
			payload_give(e->setup->payload, slot->buffer);
		return r;
	}
	slot->is_out = true;
	e->submitted_ios++;
	begin_activity(e, slot);
	return 0;
}

/* What is out when the warm-up ends is measured, so the operations' time runs from its start. */
static void begin_measuring(struct engine *e)
{
	e->is_measuring = true;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		e->activity[i].since_nsec = UINT64_MAX;
	for (uint32_t i = 0; i < e->slot_count; i++) {
		const struct slot *slot = &e->slots[i];
		struct activity *a = &e->activity[operation_of(slot)];
		if (slot->is_out && slot->start_nsec < a->since_nsec)
			a->since_nsec = slot->start_nsec;
	}
}

static bool is_warm(const struct engine *e, uint64_t now)
{
	const struct workload *w = e->workload;

	if (w->warmup_usec > 0)
		return now >= add_usec(e->start_nsec, w->warmup_usec);
	return e->completed_ios >= w->warmup_ios;
}

static void record(struct engine *e, const struct slot *slot, uint64_t bytes, uint64_t now)
{
	struct run_operation_result *o = &e->run->operations[operation_of(slot)];

	if (slot->start_nsec < e->first_nsec)
		e->first_nsec = slot->start_nsec;
	if (now > e->last_nsec)
		e->last_nsec = now;
	o->ios++;
	o->bytes += bytes;
	histogram_add(&o->latency, now - slot->start_nsec);
}

static void release(struct engine *e, struct slot *slot, uint64_t now)
{
	end_activity(e, slot, now);
	slot->is_out = false;
	if (e->setup->payload)
		payload_give(e->setup->payload, slot->buffer);
}

/* Nothing moved: the end of the file for a read, and for a write no errno that would say why. */
static int no_progress(const struct slot *slot)
{
	return slot->is_write ? -EIO : -ENODATA;
}

static void fail(struct engine *e, struct slot *slot, int error, uint64_t now)
{
	e->run->operations[operation_of(slot)].errors++;
	if (e->error == 0)
		e->error = error;
	release(e, slot, now);
}

/* All that the device is asked for, whether or not it enters the statistics. */
static void add_own(struct engine *e, const struct slot *slot, uint32_t bytes)
{
	struct facts_own *own = &e->run->own;

	own->bytes += bytes;
	own->ios++;
	own->synced_writes += slot->is_write && e->setup->is_synced;
}

/* One completion: put off, failed, partly done, or done and followed by the next I/O. */
static int complete(struct engine *e, const struct io_completion *c, uint64_t now)
{
	struct slot *slot = &e->slots[c->slot];
	uint32_t block_bytes = e->workload->block_size_bytes;

	assert(c->slot < e->slot_count && slot->is_out);
	if ((c->result == -EAGAIN || c->result == -EINTR) && slot->retries++ < RETRIES_MAX)
		return hand_in(e, c->slot, false);
	if (c->result <= 0) {
		fail(e, slot, c->result < 0 ? c->result : no_progress(slot), now);
		return 0;
	}
	assert((uint32_t)c->result <= block_bytes - slot->done_bytes);
	add_own(e, slot, (uint32_t)c->result);
	slot->done_bytes += (uint32_t)c->result;
	if (slot->done_bytes < block_bytes)
		return hand_in(e, c->slot, false);

	if (!e->is_measuring && is_warm(e, now))
		begin_measuring(e);
	if (e->is_measuring)
		record(e, slot, block_bytes, now);
	e->completed_ios++;
	release(e, slot, now);
	return may_submit(e, now) ? submit_next(e, c->slot) : 0;
}

/* All bytes that the bounds allow, 0 without such a bound. */
static uint64_t bound_bytes(const struct workload *w)
{
	uint64_t bytes = w->max_ios * w->block_size_bytes;

	return bytes == 0 || (w->max_bytes > 0 && w->max_bytes < bytes) ? w->max_bytes : bytes;
}

/* Time or bytes, whichever is nearer to its bound. */
static struct job_progress measure_progress(const struct engine *e, uint64_t elapsed_nsec)
{
	uint64_t total_nsec = e->stop_nsec - e->start_nsec;
	uint64_t bytes = e->completed_ios * e->workload->block_size_bytes;
	uint64_t total_bytes = bound_bytes(e->workload);

	if (total_bytes > 0 &&
		(unsigned __int128)bytes * total_nsec >
			(unsigned __int128)elapsed_nsec * total_bytes)
		return (struct job_progress){ JOB_PHASE_MEASURE, bytes, total_bytes };
	return (struct job_progress){ JOB_PHASE_MEASURE, elapsed_nsec, total_nsec };
}

static void tell(struct engine *e, uint64_t now)
{
	const struct workload *w = e->workload;
	uint64_t elapsed_nsec = now - e->start_nsec;
	struct job_progress p;

	if (e->is_stopped)
		p = (struct job_progress){ JOB_PHASE_DRAIN, elapsed_nsec,
			e->give_up_nsec - e->start_nsec };
	else if (e->is_measuring)
		p = measure_progress(e, elapsed_nsec);
	else if (w->warmup_usec > 0)
		p = (struct job_progress){ JOB_PHASE_WARMUP, elapsed_nsec,
			w->warmup_usec * NSEC_PER_USEC };
	else
		p = (struct job_progress){ JOB_PHASE_WARMUP, e->completed_ios, w->warmup_ios };
	observe_tell(e->setup->observe, now, &p);
}

/* While a buffer lacks content there is something better to do than to sleep. */
static uint64_t waiting_nsec(const struct engine *e, uint64_t now)
{
	if (e->setup->payload && payload_has_work(e->setup->payload))
		return 0;
	uint64_t left_nsec = e->give_up_nsec - now;
	return left_nsec < OBSERVE_INTERVAL_NSEC ? left_nsec : OBSERVE_INTERVAL_NSEC;
}

static int turn(struct engine *e, uint64_t *now)
{
	struct io_completion completions[COMPLETIONS_MAX];
	int count = e->setup->ops->wait(
		e->setup->backend, waiting_nsec(e, *now), completions, COMPLETIONS_MAX);

	if (count < 0)
		return count;
	*now = now_nsec(e);
	for (int i = 0; i < count; i++) {
		int r = complete(e, &completions[i], *now);
		if (r < 0)
			return r;
	}
	if (count == 0 && e->setup->payload)
		payload_work(e->setup->payload);
	tell(e, *now);
	if (e->error == 0 && observe_is_cancelled(e->setup->observe))
		e->error = -ECANCELED;
	(void)may_submit(e, *now); /* the time may be over while nothing comes back */
	return 0;
}

static int fill_queue(struct engine *e)
{
	for (uint32_t i = 0; i < e->slot_count && may_submit(e, now_nsec(e)); i++) {
		int r = submit_next(e, i);
		if (r < 0)
			return r;
	}
	return 0;
}

/* I/Os that never came back count with their age. */
static void give_up(struct engine *e, uint64_t now)
{
	if (e->out > 0 && !e->is_measuring)
		begin_measuring(e);
	for (uint32_t i = 0; i < e->slot_count; i++) {
		struct slot *slot = &e->slots[i];
		if (!slot->is_out)
			continue;
		record(e, slot, 0, now);
		add_own(e, slot, e->workload->block_size_bytes - slot->done_bytes);
		end_activity(e, slot, now); /* the slot itself stays out: its buffer is not ours */
		e->run->outstanding_ios++;
	}
}

static void finish(struct engine *e)
{
	if (e->last_nsec > e->first_nsec)
		e->run->measured_nsec = e->last_nsec - e->first_nsec;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		uint64_t ios = e->run->operations[i].ios;
		if (ios > 0 && ios < SHORT_BELOW_IOS)
			e->run->trust |= RUN_TRUST_SHORT;
	}
}

int engine_run(const struct engine_setup *setup, struct run *run)
{
	struct engine *e = calloc(1, sizeof(*e));
	int r = -ENOMEM;

	if (!e)
		return r;
	e->setup = setup;
	e->workload = setup->workload;
	e->run = run;
	e->first_nsec = UINT64_MAX;
	e->slot_count = setup->workload->queue_depth;
	e->slots = calloc(e->slot_count, sizeof(*e->slots));
	if (!e->slots)
		goto out;
	offsets_init(&e->offsets, setup->workload, setup->workload->file_size_bytes, setup->seed);
	e->start_nsec = now_nsec(e);
	set_bounds(e);

	uint64_t now = e->start_nsec;
	r = fill_queue(e);
	while (r == 0 && e->out > 0 && now < e->give_up_nsec)
		r = turn(e, &now);
	give_up(e, now_nsec(e));
	finish(e);
	if (r == 0)
		r = e->error;
out:
	free(e->slots);
	free(e);
	return r;
}
