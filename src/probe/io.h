/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the measurement loop and its I/O back ends: io_uring, a thread for each
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
	int fd; /* for reads; lent */
	int write_fd; /* for writes: usually the same */
	uint32_t slots; /* maximum of I/Os in flight */
	uint8_t *memory; /* all buffers, so that they can be registered */
	size_t memory_bytes;
	bool is_synchronised; /* each write is followed by fdatasync and completes after it */
	bool drops_cache; /* drops data from the page cache before it is read */
	struct cache_meter *meter; /* NULL, or counts reads answered by the page cache */
};

struct io_request {
	uint32_t slot; /* below slots, and not in flight */
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
	/* Work before the I/O, outside its latency; false: nothing to do. May be NULL. */
	bool (*prepare)(void *backend, const struct io_request *request);
	/* Submits the I/O to the kernel before it returns. 0 or -errno. */
	int (*submit)(void *backend, const struct io_request *request);
	/* Waits for a completion or the timeout; 0 only polls. Returns how many completions it
	 * wrote, at most max, or -errno. */
	int (*wait)(void *backend, uint64_t timeout_nsec, struct io_completion *ret, size_t max);
	/* Whether the buffers are registered with the kernel, which saves mapping them for each
	 * I/O. May be NULL: they are not. */
	bool (*has_registered_buffers)(const void *backend);
	/* Only when no I/O is in flight: it could hang. */
	void (*close)(void *backend);
};

extern const struct io_backend_ops io_uring_backend; /* io_uring.c */
extern const struct io_backend_ops io_threads_backend; /* io_threads.c */

/* What each back end's `prepare` does, from any thread. False: nothing to do. */
bool io_prepare_read(const struct io_setup *setup, const struct io_request *request);

/* The back ends for this setting, best first; NULL past the end. */
const struct io_backend_ops *io_backend_at(enum workload_engine wish, size_t i);

#endif
