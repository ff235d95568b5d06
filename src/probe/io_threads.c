/* SPDX-License-Identifier: Apache-2.0 */
/* I/O by plain system calls, with one thread for each I/O in flight: for systems that forbid
 * io_uring. A call that hangs blocks only its own thread. */
#include "probe/io.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define STACK_BYTES ((size_t)64 << 10)

struct threads;

/* A slot and its thread. */
struct caller {
	struct threads *owner;
	pthread_t thread;
	sem_t go; /* a request or the end */
	struct io_request request;
};

struct threads {
	struct io_setup setup;
	struct caller *callers; /* by slot */
	uint32_t started;
	atomic_bool is_closing;
	sem_t done; /* counts the results in the queue */
	pthread_mutex_t lock; /* of the queue */
	struct io_completion *queue; /* a ring of setup.slots */
	uint32_t first;
	uint32_t queued;
};

static void sleep_on(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0)
		; /* EINTR is the only possible error */
}

static int32_t carry_out(const struct io_setup *setup, const struct io_request *request)
{
	struct iovec iov = { .iov_base = request->data, .iov_len = request->bytes };
	off_t offset = (off_t)request->offset_bytes;
	ssize_t n = request->is_write ? pwritev2(setup->write_fd, &iov, 1, offset, 0)
				      : preadv2(setup->fd, &iov, 1, offset, 0);

	if (n < 0)
		return -errno;
	if (request->is_write && setup->is_synchronised && n == (ssize_t)request->bytes &&
		fdatasync(setup->write_fd) < 0)
		return -errno;
	return (int32_t)n;
}

static void report(struct threads *t, uint32_t slot, int32_t result)
{
	(void)pthread_mutex_lock(&t->lock); /* cannot fail */
	uint32_t last = (t->first + t->queued++) % t->setup.slots;
	t->queue[last] = (struct io_completion){ .slot = slot, .result = result };
	(void)pthread_mutex_unlock(&t->lock);
	(void)sem_post(&t->done); /* fewer slots than a semaphore can count */
}

static void *serve(void *data)
{
	struct caller *caller = data;
	struct threads *t = caller->owner;

	for (;;) {
		sleep_on(&caller->go);
		if (atomic_load(&t->is_closing))
			return NULL;
		report(t, caller->request.slot, carry_out(&t->setup, &caller->request));
	}
}

static void threads_close(void *backend)
{
	struct threads *t = backend;

	if (!t)
		return;
	atomic_store(&t->is_closing, true);
	for (uint32_t i = 0; i < t->started; i++)
		(void)sem_post(&t->callers[i].go); /* its count is at most 1 */
	for (uint32_t i = 0; i < t->started; i++) {
		(void)pthread_join(t->callers[i].thread, NULL); /* no I/O is in flight: it exits */
		(void)sem_destroy(&t->callers[i].go);
	}
	(void)sem_destroy(&t->done);
	(void)pthread_mutex_destroy(&t->lock);
	free(t->callers);
	free(t->queue);
	free(t);
}

static int start(struct threads *t)
{
	pthread_attr_t attributes;
	int r = -pthread_attr_init(&attributes);

	if (r < 0)
		return r;
	r = -pthread_attr_setstacksize(&attributes, STACK_BYTES);
	while (r == 0 && t->started < t->setup.slots) {
		struct caller *caller = &t->callers[t->started];
		caller->owner = t;
		(void)sem_init(&caller->go, 0, 0); /* cannot fail with these arguments */
		r = -pthread_create(&caller->thread, &attributes, serve, caller);
		if (r == 0)
			t->started++;
		else
			(void)sem_destroy(&caller->go);
	}
	(void)pthread_attr_destroy(&attributes);
	return r;
}

static int threads_open(const struct io_setup *setup, void **ret, struct error *reterr)
{
	struct threads *t = calloc(1, sizeof(*t));
	int r = -ENOMEM;

	if (!t)
		return error_set(reterr, r, "no memory for threads");
	t->setup = *setup;
	(void)sem_init(&t->done, 0, 0); /* cannot fail with these arguments */
	(void)pthread_mutex_init(&t->lock, NULL);
	t->callers = calloc(setup->slots, sizeof(*t->callers));
	t->queue = calloc(setup->slots, sizeof(*t->queue));
	if (t->callers && t->queue)
		r = start(t);
	if (r < 0) {
		threads_close(t);
		return error_set(reterr, r, "the %u threads for %u I/Os cannot be started: %s",
			setup->slots, setup->slots, errno_text(-r));
	}
	*ret = t;
	return 0;
}

static bool threads_prepare(void *backend, const struct io_request *request)
{
	const struct threads *t = backend;

	return io_prepare_read(&t->setup, request);
}

static int threads_submit(void *backend, const struct io_request *request)
{
	struct threads *t = backend;
	struct caller *caller = &t->callers[request->slot];

	caller->request = *request;
	return sem_post(&caller->go) < 0 ? -errno : 0;
}

static size_t collect(struct threads *t, struct io_completion *ret, size_t max)
{
	size_t count = 0;

	(void)pthread_mutex_lock(&t->lock); /* cannot fail */
	for (; count < max && t->queued > 0; t->queued--) {
		ret[count++] = t->queue[t->first];
		t->first = (t->first + 1) % t->setup.slots;
	}
	(void)pthread_mutex_unlock(&t->lock);
	/* The caller took one count; the counts of the other results are taken here. A count that a
	 * thread has yet to post makes a later wait return nothing, which is allowed. */
	for (size_t i = 1; i < count; i++)
		(void)sem_trywait(&t->done);
	return count;
}

static int threads_wait(void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max)
{
	struct threads *t = backend;
	struct timespec until;

	if (timeout_nsec == 0)
		return sem_trywait(&t->done) == 0 ? (int)collect(t, ret, max) : 0;
	(void)clock_gettime(CLOCK_MONOTONIC, &until); /* cannot fail */
	uint64_t nsec = (uint64_t)until.tv_nsec + timeout_nsec % NSEC_PER_SEC;
	until.tv_sec += (time_t)(timeout_nsec / NSEC_PER_SEC + nsec / NSEC_PER_SEC);
	until.tv_nsec = (long)(nsec % NSEC_PER_SEC);
	if (sem_clockwait(&t->done, CLOCK_MONOTONIC, &until) < 0)
		return errno == ETIMEDOUT || errno == EINTR ? 0 : -errno;
	return (int)collect(t, ret, max);
}

const struct io_backend_ops io_threads_backend = {
	.engine = WORKLOAD_ENGINE_THREADS,
	.open = threads_open,
	.prepare = threads_prepare,
	.submit = threads_submit,
	.wait = threads_wait,
	.close = threads_close,
};
