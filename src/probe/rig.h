/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread of a measurement needs: buffers, and a back end of the kind that the workload
 * asks for and the system allows. */
#ifndef REPOPROBE_PROBE_RIG_H
#define REPOPROBE_PROBE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/engine.h"

struct error;

struct rig {
	uint32_t count; /* of threads */
	struct engine_thread *threads;
	struct payload *payloads; /* by thread */
	uint32_t payload_count; /* initialized so far */
	const struct io_backend_ops *ops; /* NULL: no back end is open */
	bool has_registered_buffers; /* true if all have them */
};

/* Allocates the buffers and fills them from this seed. -ENOMEM; call rig_done either way. */
int rig_init(struct rig *rig, const struct workload *workload, uint64_t content_seed);

/* Not while I/Os are in flight: the kernel may still write to the buffers. */
void rig_done(struct rig *rig);

/* Opens the back ends: files and flags as in `common`, slots and buffers per thread. Tries the next
 * kind where one is not allowed and the workload leaves the choice. -errno with the sentence of the
 * last one tried. */
int rig_open(struct rig *rig, const struct workload *workload, const struct io_setup *common,
	struct error *reterr);

/* Only when no I/O is in flight: it could hang. */
void rig_close(struct rig *rig);

#endif
