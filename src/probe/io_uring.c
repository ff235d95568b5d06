/* SPDX-License-Identifier: Apache-2.0 */
/* I/O by io_uring. The ring is restricted before it is enabled: it can read and write the
 * registered files (and fsync them where asked to) and nothing else.
 */
#include "probe/io.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

/* Rings and registered buffers of all of a user's workers count against one memory-lock limit
 * (except root's), and a closed ring releases its share with a delay. */
#define LOCKED_SHARE 4 /* a worker's buffers may take 1/4 of the limit */
#define RING_TRIES 50
#define RING_PAUSE_NSEC (20 * NSEC_PER_MSEC)
#define SUBMIT_TRIES_MAX 10000
#define SYNC_BIT (UINT64_C(1) << 32) /* in user_data, beside the slot: its fdatasync */

struct pending {
	bool is_write;
	uint32_t bytes;
};

struct uring {
	struct io_uring ring;
	bool has_ring;
	bool has_buffers; /* registered */
	struct io_setup setup;
	struct pending *pending; /* by slot */
};

static void uring_close(void *backend)
{
	struct uring *u = backend;

	if (!u)
		return;
	if (u->has_ring) {
		/* The kernel releases a ring with a delay. Until then, a registered file would keep
		 * its file system from being unmounted. */
		(void)io_uring_unregister_files(&u->ring);
		io_uring_queue_exit(&u->ring);
	}
	free(u->pending);
	free(u);
}

static int restrict_ring(struct uring *u)
{
	struct io_uring_restriction rules[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ_FIXED },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE_FIXED },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
			.register_op = IORING_UNREGISTER_FILES },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED, .sqe_flags = IOSQE_FIXED_FILE },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED, .sqe_flags = IOSQE_FIXED_FILE },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_FSYNC },
	};
	unsigned count = sizeof(rules) / sizeof(rules[0]);

	if (!u->setup.is_synchronised)
		count--; /* the last rule */
	/* liburing.so 2.3 lacks its wrapper for this call; the same below. */
	return io_uring_register(
		(unsigned)u->ring.ring_fd, IORING_REGISTER_RESTRICTIONS, rules, count);
}

static bool may_lock(uint64_t bytes)
{
	struct rlimit limit;

	return geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
		limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur / LOCKED_SHARE;
}

/* Registers what the ring may access and restricts it to that. */
static int set_up_ring(struct uring *u)
{
	struct iovec all = { .iov_base = u->setup.memory, .iov_len = u->setup.memory_bytes };
	const int files[] = { u->setup.fd, u->setup.write_fd };
	int r = io_uring_register_files(&u->ring, files, u->setup.write_fd != u->setup.fd ? 2 : 1);

	if (r < 0)
		return r;
	/* Plain buffers are used where the memory-lock limit is too small. */
	u->has_buffers = may_lock(u->setup.memory_bytes) &&
		io_uring_register_buffers(&u->ring, &all, 1) == 0;
	r = restrict_ring(u);
	if (r < 0)
		return r;
	return io_uring_register((unsigned)u->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

static int make_ring(struct uring *u)
{
	const struct timespec pause = { .tv_nsec = RING_PAUSE_NSEC };
	int r = -ENOMEM;

	for (int i = 0; i < RING_TRIES && r == -ENOMEM; i++) {
		struct io_uring_params params = { .flags = IORING_SETUP_R_DISABLED };
		if (i > 0)
			(void)nanosleep(&pause, NULL); /* an early return is harmless */
		r = io_uring_queue_init_params(u->setup.slots, &u->ring, &params);
	}
	return r;
}

static int uring_open(const struct io_setup *setup, void **ret, struct error *reterr)
{
	struct uring *u = calloc(1, sizeof(*u));
	int r = -ENOMEM;

	if (!u)
		goto fail;
	u->setup = *setup;
	u->pending = calloc(setup->slots, sizeof(*u->pending));
	if (!u->pending)
		goto fail;
	r = make_ring(u);
	if (r < 0)
		goto fail;
	u->has_ring = true;
	r = set_up_ring(u);
	if (r < 0)
		goto fail;
	*ret = u;
	return 0;
fail:
	uring_close(u);
	if (r == -EPERM || r == -ENOSYS || r == -EACCES)
		return error_set(reterr, r,
			"this system does not allow io_uring (%s); engine = threads does without it",
			errno_name(-r));
	return error_set(reterr, r, "io_uring cannot be set up: %s%s", errno_text(-r),
		r == -ENOMEM ? " (the memory-lock limit, ulimit -l, may be too small)" : "");
}

static bool uring_prepare(void *backend, const struct io_request *request)
{
	const struct uring *u = backend;

	return io_prepare_read(&u->setup, request);
}

static bool uring_has_registered_buffers(const void *backend)
{
	const struct uring *u = backend;

	return u->has_buffers;
}

/* The index of the registered file for reads or for writes. */
static int file_of(const struct uring *u, bool is_write)
{
	return is_write && u->setup.write_fd != u->setup.fd ? 1 : 0;
}

/* Submits what is prepared to the kernel. EAGAIN: it has no memory for the request right now. */
static int flush(struct uring *u)
{
	unsigned tries = 0;
	int r;

	do
		r = io_uring_submit(&u->ring);
	while (r == -EINTR || (r == -EAGAIN && tries++ < SUBMIT_TRIES_MAX && sched_yield() == 0));
	return r < 0 ? r : 0;
}

static int uring_submit(void *backend, const struct io_request *request)
{
	struct uring *u = backend;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (!sqe)
		return -EBUSY;
	int file = file_of(u, request->is_write);
	if (request->is_write && u->has_buffers)
		io_uring_prep_write_fixed(
			sqe, file, request->data, request->bytes, request->offset_bytes, 0);
	else if (request->is_write)
		io_uring_prep_write(
			sqe, file, request->data, request->bytes, request->offset_bytes);
	else if (u->has_buffers)
		io_uring_prep_read_fixed(
			sqe, file, request->data, request->bytes, request->offset_bytes, 0);
	else
		io_uring_prep_read(sqe, file, request->data, request->bytes, request->offset_bytes);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data64(sqe, request->slot);
	u->pending[request->slot] =
		(struct pending){ .is_write = request->is_write, .bytes = request->bytes };
	return flush(u);
}

static int submit_sync(struct uring *u, uint32_t slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (!sqe)
		return -EBUSY;
	io_uring_prep_fsync(sqe, file_of(u, true), IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data64(sqe, slot | SYNC_BIT);
	return flush(u);
}

/* True when this completes an I/O; false when its fdatasync is still to follow. */
static bool finish(struct uring *u, uint64_t user_data, int32_t result, struct io_completion *ret)
{
	uint32_t slot = (uint32_t)user_data;
	struct pending pending = u->pending[slot];
	bool is_sync = (user_data & SYNC_BIT) != 0;

	if (is_sync && result >= 0)
		result = (int32_t)pending.bytes;
	if (!is_sync && u->setup.is_synchronised && pending.is_write &&
		result == (int32_t)pending.bytes) {
		int r = submit_sync(u, slot);
		if (r == 0)
			return false;
		result = r;
	}
	*ret = (struct io_completion){ .slot = slot, .result = result };
	return true;
}

static size_t collect(struct uring *u, struct io_completion *ret, size_t max)
{
	const struct io_uring_cqe *cqe;
	size_t count = 0;
	unsigned seen = 0;
	unsigned head;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		if (count == max)
			break;
		seen++;
		if (finish(u, cqe->user_data, cqe->res, &ret[count]))
			count++;
	}
	io_uring_cq_advance(&u->ring, seen);
	return count;
}

/* Sleeps until the ring has a completion or the timeout expires. */
static int sleep_on_ring(struct uring *u, uint64_t timeout_nsec)
{
	struct io_uring_cqe *cqe;
	int r;

	if (u->ring.features & IORING_FEAT_EXT_ARG) {
		struct __kernel_timespec ts = {
			.tv_sec = (int64_t)(timeout_nsec / NSEC_PER_SEC),
			.tv_nsec = (long long)(timeout_nsec % NSEC_PER_SEC),
		};
		r = io_uring_wait_cqe_timeout(&u->ring, &cqe, &ts);
	} else {
		/* Before Linux 5.11 the library would submit a timeout request, which is forbidden
		 * here. */
		struct pollfd pollfd = { .fd = u->ring.ring_fd, .events = POLLIN };
		struct timespec ts = {
			.tv_sec = (time_t)(timeout_nsec / NSEC_PER_SEC),
			.tv_nsec = (long)(timeout_nsec % NSEC_PER_SEC),
		};
		r = ppoll(&pollfd, 1, &ts, NULL) < 0 ? -errno : 0;
	}
	return r == -ETIME || r == -EINTR || r == -EAGAIN ? 0 : r;
}

static int uring_wait(void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max)
{
	struct uring *u = backend;
	size_t count = collect(u, ret, max);

	if (count > 0 || timeout_nsec == 0)
		return (int)count;
	int r = sleep_on_ring(u, timeout_nsec);
	if (r < 0)
		return r;
	return (int)collect(u, ret, max);
}

const struct io_backend_ops io_uring_backend = {
	.engine = WORKLOAD_ENGINE_IO_URING,
	.open = uring_open,
	.prepare = uring_prepare,
	.has_registered_buffers = uring_has_registered_buffers,
	.submit = uring_submit,
	.wait = uring_wait,
	.close = uring_close,
};
