/* SPDX-License-Identifier: Apache-2.0 */
/* What the measurement loop asks of whoever carries out its I/O: io_uring, a thread for each
 * outstanding I/O, or a test. One file and one row of the table in io.c each. */
#ifndef REPOPROBE_PROBE_IO_H
#define REPOPROBE_PROBE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/workload.h"

struct cache_meter;
struct error;

struct io_setup {
	int fd; /* what is read; lent */
	int write_fd; /* what is written: mostly the same */
	uint32_t slots; /* I/Os out at a time, at most */
	uint8_t *memory; /* all buffers, so that they can be registered */
	size_t memory_bytes;
	bool is_synchronised; /* each write is followed by fdatasync, and complete only then */
	bool drops_cache; /* what is read next must not come from the page cache */
	struct cache_meter *meter; /* NULL, or counts what of it does */
};

struct io_request {
	uint32_t slot; /* below slots, and not out */
	bool is_write;
	uint64_t offset_bytes;
	uint8_t *data;
	uint32_t bytes;
};

struct io_completion {
	uint32_t slot;
	int32_t result; /* bytes or -errno */
};

struct io_backend_ops {
	enum workload_engine engine;
	/* 0, or -errno with a sentence. */
	int (*open)(const struct io_setup *setup, void **ret, struct error *reterr);
	/* What must precede the I/O but is no part of its latency; false: there was nothing to do.
	 * May be NULL. */
	bool (*prepare)(void *backend, const struct io_request *request);
	/* Hands the I/O to the kernel before it returns. 0 or -errno. */
	int (*submit)(void *backend, const struct io_request *request);
	/* Waits until something is complete or the time is over; 0 only looks. Returns how many
	 * completions it wrote, at most max, or -errno. */
	int (*wait)(void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max);
	/* Does the kernel know the buffers, so that it need not look at them each time? May be
	 * NULL: it does not. */
	bool (*has_registered_buffers)(const void *backend);
	/* Only when nothing is out: it could hang. */
	void (*close)(void *backend);
};

extern const struct io_backend_ops io_uring_backend; /* io_uring.c */
extern const struct io_backend_ops io_threads_backend; /* io_threads.c */

/* What each back end's `prepare` does, from any thread. False: there was nothing to do. */
bool io_prepare_read(const struct io_setup *setup, const struct io_request *request);

/* The back ends fit for this wish, best first; NULL past the end. */
const struct io_backend_ops *io_backend_at(enum workload_engine wish, size_t i);

#endif
