/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the measurement's bounds, runs its threads, and merges their results. */
#include "probe/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "probe/lane.h"

#define SHORT_BELOW_IOS 1000 /* 10 / (1 - p) for p = 99 % */
#define TIMEOUT_RESERVE 8 /* 1/8 of the timeout is kept for draining */
#define STACK_BYTES ((size_t)256 << 10)

enum gate {
	GATE_CLOSED, /* started threads wait for the others */
	GATE_OPEN,
	GATE_ABANDONED, /* a thread could not be started: all exit */
};

struct engine {
	const struct engine_setup *setup;
	const struct workload *workload;
	struct run *run;
	struct lane_bounds bounds;
	struct activity activity;
	bool is_stop_clamped; /* stop_nsec comes from the timeout, not the duration */
	struct lane **lanes;
	pthread_t *threads; /* of all lanes but the first */
	uint32_t started;
	struct gate_keeper {
		pthread_mutex_t lock;
		pthread_cond_t moved;
		enum gate gate;
	} keeper;
};

struct visitor {
	struct gate_keeper *keeper;
	struct lane *lane;
};

static uint64_t now_nsec(const struct engine *e)
{
	return clock_monotonic_nsec(e->setup->clock);
}

static uint64_t add_usec(uint64_t nsec, uint64_t usec)
{
	return usec > (UINT64_MAX - nsec) / NSEC_PER_USEC ? UINT64_MAX
							  : nsec + usec * NSEC_PER_USEC;
}

/* The bounds include the warm-up, and a warm-up and a bound may be of different kinds. So a warm-up
 * in I/Os lasts half of the time at most, and one in time half of the I/Os. */
static void set_warmup(struct engine *e)
{
	const struct workload *w = e->workload;
	struct lane_bounds *b = &e->bounds;
	uint64_t until_nsec = b->start_nsec + (b->stop_nsec - b->start_nsec) / 2;

	b->warmup_ios = w->warmup_ios;
	if (w->warmup_usec > 0) {
		b->warmup_ios = b->max_ios / 2;
		until_nsec = add_usec(b->start_nsec, w->warmup_usec);
		if (until_nsec > b->stop_nsec)
			until_nsec = b->stop_nsec;
	}
	atomic_store(&b->measure_nsec, b->warmup_ios > 0 ? until_nsec : b->start_nsec);
}

static void set_time_bounds(struct engine *e)
{
	const struct workload *w = e->workload;
	struct lane_bounds *b = &e->bounds;

	b->start_nsec = now_nsec(e);
	b->give_up_nsec = e->setup->deadline_nsec;
	if (w->timeout_usec > 0 && add_usec(b->start_nsec, w->timeout_usec) < b->give_up_nsec)
		b->give_up_nsec = add_usec(b->start_nsec, w->timeout_usec);
	if (b->give_up_nsec < b->start_nsec)
		b->give_up_nsec = b->start_nsec;
	uint64_t reserve_nsec = (b->give_up_nsec - b->start_nsec) / TIMEOUT_RESERVE;

	b->stop_nsec =
		w->duration_usec > 0 ? add_usec(b->start_nsec, w->duration_usec) : UINT64_MAX;
	if (b->stop_nsec > b->give_up_nsec - reserve_nsec) {
		b->stop_nsec = b->give_up_nsec - reserve_nsec;
		e->is_stop_clamped = true;
	}
	set_warmup(e);
}

static void set_ios_bound(struct engine *e)
{
	const struct workload *w = e->workload;

	e->bounds.max_ios = w->max_ios > 0 ? w->max_ios : UINT64_MAX;
	if (w->max_bytes > 0 && w->max_bytes / w->block_size_bytes < e->bounds.max_ios)
		e->bounds.max_ios = w->max_bytes / w->block_size_bytes;
}

static int make_lanes(struct engine *e)
{
	uint32_t count = e->workload->threads;

	e->lanes = calloc(count, sizeof(struct lane *));
	e->threads = calloc(count, sizeof(*e->threads));
	if (!e->lanes || !e->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct run_operation_result *operations =
			i == 0 ? e->run->operations : calloc(RUN_OPERATIONS, sizeof(*operations));
		if (operations)
			e->lanes[i] = lane_new(e->setup, i, &e->bounds, &e->activity, operations);
		if (!e->lanes[i]) {
			free(i > 0 ? operations : NULL);
			return -ENOMEM;
		}
		e->lanes[i]->all = e->lanes;
	}
	e->lanes[0]->observe = e->setup->observe;
	return 0;
}

static void free_lanes(struct engine *e)
{
	for (uint32_t i = 0; e->lanes && i < e->workload->threads && e->lanes[i]; i++) {
		if (i > 0)
			free(e->lanes[i]->operations);
		lane_free(e->lanes[i]);
	}
	free(e->lanes);
	free(e->threads);
}

static void move_gate(struct gate_keeper *keeper, enum gate gate)
{
	(void)pthread_mutex_lock(&keeper->lock); /* cannot fail */
	keeper->gate = gate;
	(void)pthread_cond_broadcast(&keeper->moved);
	(void)pthread_mutex_unlock(&keeper->lock);
}

static bool pass_gate(struct gate_keeper *keeper)
{
	(void)pthread_mutex_lock(&keeper->lock); /* cannot fail */
	while (keeper->gate == GATE_CLOSED)
		(void)pthread_cond_wait(&keeper->moved, &keeper->lock);
	bool is_open = keeper->gate == GATE_OPEN;
	(void)pthread_mutex_unlock(&keeper->lock);
	return is_open;
}

static void *visit(void *data)
{
	struct visitor *v = data;

	if (pass_gate(v->keeper))
		lane_run(v->lane);
	free(v);
	return NULL;
}

static int start_thread(struct engine *e, const pthread_attr_t *attributes, uint32_t i)
{
	struct visitor *v = malloc(sizeof(*v));

	if (!v)
		return -ENOMEM;
	*v = (struct visitor){ .keeper = &e->keeper, .lane = e->lanes[i] };
	int r = -pthread_create(&e->threads[i], attributes, visit, v);
	if (r < 0)
		free(v);
	else
		e->started++;
	return r;
}

static int start_threads(struct engine *e)
{
	pthread_attr_t attributes;
	int r = -pthread_attr_init(&attributes);

	if (r < 0)
		return r;
	r = -pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (uint32_t i = 1; r == 0 && i < e->workload->threads; i++)
		r = start_thread(e, &attributes, i);
	(void)pthread_attr_destroy(&attributes);
	return r;
}

/* Runs all lanes to their end; none starts before all are ready. */
static int run_lanes(struct engine *e)
{
	int r = start_threads(e);

	if (r == 0)
		set_time_bounds(e);
	move_gate(&e->keeper, r == 0 ? GATE_OPEN : GATE_ABANDONED);
	if (r == 0)
		lane_run(e->lanes[0]);
	for (uint32_t i = 1; i <= e->started; i++)
		(void)pthread_join(e->threads[i], NULL); /* they all end: lane_run does */
	return r < 0 ? r : atomic_load(&e->bounds.error);
}

/* Measures the run's last I/O when nothing else was measured: the last completions can precede the
 * end of the warm-up that they cause, and pauses can outlast the run. */
static void measure_something(struct engine *e)
{
	struct lane *last = e->lanes[0];

	for (uint32_t i = 0; i < e->workload->threads; i++) {
		if (e->lanes[i]->first_nsec != NOT_YET)
			return;
		if (e->lanes[i]->warm_nsec > last->warm_nsec)
			last = e->lanes[i];
	}
	if (last->warm_nsec > 0)
		lane_measure_warm(last);
}

static void merge_lane(struct engine *e, uint32_t i, uint64_t *first_nsec, uint64_t *last_nsec)
{
	const struct lane *l = e->lanes[i];

	if (l->first_nsec < *first_nsec)
		*first_nsec = l->first_nsec;
	if (l->last_nsec > *last_nsec)
		*last_nsec = l->last_nsec;
	if (l->is_timed_out && e->is_stop_clamped)
		e->run->trust |= RUN_TRUST_CLAMPED;
	e->run->outstanding_ios += l->outstanding_ios;
	e->run->own.bytes += l->own.bytes;
	e->run->own.ios += l->own.ios;
	e->run->own.synced_writes += l->own.synced_writes;
	e->run->own.written_bytes += l->own.written_bytes;
	for (size_t k = 0; i > 0 && k < RUN_OPERATIONS; k++) {
		struct run_operation_result *into = &e->run->operations[k];
		into->ios += l->operations[k].ios;
		into->bytes += l->operations[k].bytes;
		into->errors += l->operations[k].errors;
		histogram_merge(&into->latency, &l->operations[k].latency);
	}
}

/* Only full seconds in which all lanes still submitted I/Os, and no more than were measured. */
static void merge_seconds(struct engine *e, uint64_t last_nsec)
{
	struct seconds *all = &e->lanes[0]->seconds;
	uint64_t origin_nsec = atomic_load(&e->bounds.measure_nsec);
	uint64_t end_nsec = last_nsec;

	for (uint32_t i = 0; i < e->workload->threads; i++) {
		if (e->lanes[i]->stopped_nsec < end_nsec)
			end_nsec = e->lanes[i]->stopped_nsec;
		if (i > 0)
			seconds_merge(all, &e->lanes[i]->seconds);
	}
	uint64_t full = end_nsec > origin_nsec ? (end_nsec - origin_nsec) / NSEC_PER_SEC : 0;
	if (full > e->run->measured_nsec / NSEC_PER_SEC)
		full = e->run->measured_nsec / NSEC_PER_SEC;
	seconds_report(all, (uint32_t)full, e->run->iops);
}

static void finish(struct engine *e)
{
	uint64_t first_nsec = NOT_YET;
	uint64_t last_nsec = 0;

	for (uint32_t i = 0; i < e->workload->threads; i++)
		merge_lane(e, i, &first_nsec, &last_nsec);
	if (last_nsec > first_nsec)
		e->run->measured_nsec = last_nsec - first_nsec;
	merge_seconds(e, last_nsec);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		uint64_t ios = e->run->operations[i].ios;
		e->run->operations[i].active_nsec = e->activity.of[i].total_nsec;
		if (ios > 0 && ios < SHORT_BELOW_IOS)
			e->run->trust |= RUN_TRUST_SHORT;
	}
}

int engine_run(const struct engine_setup *setup, struct run *run)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->setup = setup;
	e->workload = setup->workload;
	e->run = run;
	e->keeper = (struct gate_keeper){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.moved = PTHREAD_COND_INITIALIZER,
	};
	activity_init(&e->activity);
	set_ios_bound(e);
	int r = make_lanes(e);
	if (r == 0) {
		r = run_lanes(e);
		if (r == 0)
			measure_something(e);
		finish(e);
	}
	free_lanes(e);
	activity_done(&e->activity);
	free(e);
	return r;
}
