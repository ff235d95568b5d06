/* SPDX-License-Identifier: Apache-2.0 */
/* A back end, a clock and a watcher that a test of the measurement loop holds in its hands. */
#ifndef REPOPROBE_TESTS_UNIT_PROBE_FAKE_IO_H
#define REPOPROBE_TESTS_UNIT_PROBE_FAKE_IO_H

#include "test.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "probe/io.h"
#include "probe/probe.h"

#define FAKE_SLOTS_MAX 16
#define FAKE_LOG_MAX 4096
#define FAKE_NEVER UINT64_MAX

/* One I/O out of the ordinary, by its number of submission (from 0). */
struct fake_oddity {
	uint64_t number;
	uint64_t latency_nsec; /* 0: as the others; FAKE_NEVER: does not come back */
	int32_t result; /* 0: all bytes; FAKE_NOTHING: a transfer of no bytes */
};

#define FAKE_NOTHING INT32_MIN

struct fake {
	struct clock clock; /* first: the loop is given this */
	uint64_t now_nsec;
	uint64_t latency_nsec;
	uint64_t prepare_nsec; /* what the preparation takes */
	uint64_t submit_nsec; /* what handing in takes */
	const struct fake_oddity *oddities;
	size_t oddity_count;
	/* what is out */
	bool is_out[FAKE_SLOTS_MAX];
	struct io_request request[FAKE_SLOTS_MAX];
	uint64_t due_nsec[FAKE_SLOTS_MAX];
	int32_t result[FAKE_SLOTS_MAX];
	uint64_t sum[FAKE_SLOTS_MAX]; /* of the data when it was handed in */
	/* what happened */
	uint64_t submitted;
	uint32_t out;
	uint32_t most_out;
	uint64_t turns_below_depth; /* waits that began with fewer out than before the stop */
	struct io_request log[FAKE_LOG_MAX];
	uint64_t log_nsec[FAKE_LOG_MAX];
	/* the watcher */
	uint64_t told;
	enum job_phase phases[FAKE_LOG_MAX];
	uint64_t told_nsec[FAKE_LOG_MAX];
	struct job_progress last;
	struct job_progress last_measure;
	uint64_t cancel_nsec; /* 0: never */
};

static inline uint64_t fake_now(const struct clock *c)
{
	return ((const struct fake *)c)->now_nsec;
}

static inline uint64_t fake_sum(const struct io_request *request)
{
	uint64_t sum = 1;

	for (uint32_t i = 0; request->data && i < request->bytes; i++)
		sum = sum * 31 + request->data[i];
	return sum;
}

static inline bool fake_prepare(void *backend, const struct io_request *request)
{
	struct fake *f = backend;

	(void)request;
	f->now_nsec += f->prepare_nsec;
	return f->prepare_nsec > 0;
}

static inline int fake_submit(void *backend, const struct io_request *request)
{
	struct fake *f = backend;
	uint32_t slot = request->slot;
	uint64_t latency_nsec = f->latency_nsec;

	assert_true(slot < FAKE_SLOTS_MAX);
	assert_false(f->is_out[slot]);
	f->is_out[slot] = true;
	f->request[slot] = *request;
	f->result[slot] = (int32_t)request->bytes;
	for (size_t i = 0; i < f->oddity_count; i++) {
		if (f->oddities[i].number != f->submitted)
			continue;
		if (f->oddities[i].result != 0)
			f->result[slot] =
				f->oddities[i].result == FAKE_NOTHING ? 0 : f->oddities[i].result;
		if (f->oddities[i].latency_nsec > 0)
			latency_nsec = f->oddities[i].latency_nsec;
	}
	f->now_nsec += f->submit_nsec;
	f->due_nsec[slot] = latency_nsec == FAKE_NEVER ? FAKE_NEVER : f->now_nsec + latency_nsec;
	f->sum[slot] = request->is_write ? fake_sum(request) : 0;
	if (f->submitted < FAKE_LOG_MAX) {
		f->log[f->submitted] = *request;
		f->log_nsec[f->submitted] = f->now_nsec;
	}
	f->submitted++;
	if (++f->out > f->most_out)
		f->most_out = f->out;
	return 0;
}

static inline int fake_wait(
	void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max)
{
	struct fake *f = backend;
	uint64_t wake_nsec = f->now_nsec + timeout_nsec;
	int count = 0;

	f->turns_below_depth += f->out < f->most_out;
	for (uint32_t i = 0; i < FAKE_SLOTS_MAX; i++)
		if (f->is_out[i] && f->due_nsec[i] < wake_nsec)
			wake_nsec = f->due_nsec[i];
	if (wake_nsec > f->now_nsec)
		f->now_nsec = wake_nsec;
	for (uint32_t i = 0; i < FAKE_SLOTS_MAX && (size_t)count < max; i++) {
		if (!f->is_out[i] || f->due_nsec[i] > f->now_nsec)
			continue;
		if (f->request[i].is_write)
			assert_int_equal(f->sum[i], fake_sum(&f->request[i]));
		f->is_out[i] = false;
		f->out--;
		ret[count++] = (struct io_completion){ .slot = i, .result = f->result[i] };
	}
	return count;
}

static const struct io_backend_ops fake_ops = {
	.prepare = fake_prepare,
	.submit = fake_submit,
	.wait = fake_wait,
};

static inline void fake_take_progress(void *data, const struct job_progress *progress)
{
	struct fake *f = data;

	assert_true(f->told < FAKE_LOG_MAX);
	f->phases[f->told] = progress->phase;
	f->told_nsec[f->told++] = f->now_nsec;
	f->last = *progress;
	if (progress->phase == JOB_PHASE_MEASURE)
		f->last_measure = *progress;
}

static inline bool fake_is_cancelled(void *data)
{
	const struct fake *f = data;

	return f->cancel_nsec > 0 && f->now_nsec >= f->cancel_nsec;
}

#endif
