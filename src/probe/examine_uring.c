/* SPDX-License-Identifier: Apache-2.0 */
/* Whether io_uring may be used here, and with registered buffers. */
#include <errno.h>
#include <liburing.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/parse.h"
#include "probe/examiner.h"
#include "probe/io.h"

#define SMALL_FILE_MAX 65536

/* kernel.io_uring_disabled: 0, 1 (except for a group), 2; missing before Linux 6.6. */
static uint8_t read_disabled(void)
{
	struct buf b = BUF_INIT(64);
	uint64_t value = 0;

	if (fd_read_file("/proc/sys/kernel/io_uring_disabled", &b) == 0 && b.len > 0) {
		b.data[strcspn(b.data, "\n")] = '\0';
		(void)parse_uint(b.data, 0, UINT8_MAX, &value, NULL); /* 0 if unreadable */
	}
	buf_done(&b);
	return (uint8_t)value;
}

/* "Seccomp:\t2" in /proc/self/status: a filter, as in containers and services. */
static bool read_seccomp(void)
{
	struct buf b = BUF_INIT(SMALL_FILE_MAX);
	bool has_filter = fd_read_file("/proc/self/status", &b) == 0 &&
		strstr(buf_text(&b), "\nSeccomp:\t2") != NULL;

	buf_done(&b);
	return has_filter;
}

static int try_buffers(struct io_uring *ring, uint64_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	struct iovec all = { .iov_base = memory, .iov_len = bytes };
	int r = io_uring_register_buffers(ring, &all, 1);
	if (r == 0)
		(void)io_uring_unregister_buffers(ring); /* the ring is closed next */
	(void)munmap(memory, bytes); /* cannot fail: our own mapping */
	return r;
}

void examiner_try_uring(const struct workload *workload, struct examination_uring *ret)
{
	struct io_uring_params params = { .flags = IORING_SETUP_R_DISABLED };
	struct io_uring ring;
	struct rlimit limit;
	uint64_t bytes =
		(uint64_t)workload->block_size_bytes * workload->queue_depth * workload->threads;

	ret->disabled = read_disabled();
	ret->has_seccomp = read_seccomp();
	ret->has_threads_engine = io_backend_at(WORKLOAD_ENGINE_THREADS, 0) != NULL;
	ret->buffer_bytes = bytes;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		ret->memory_lock_bytes =
			limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
	int r = io_uring_queue_init_params(workload->queue_depth, &ring, &params);
	ret->error_number = r < 0 ? -r : 0;
	if (r < 0)
		return;
	r = try_buffers(&ring, bytes);
	ret->buffers_error_number = r < 0 ? -r : 0;
	io_uring_queue_exit(&ring);
}
