/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up buffers and back ends for each thread. */
#include "probe/rig.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "probe/payload.h"

#define UNITS_SHIFT 48 /* each thread's content numbers have another prefix */

int rig_init(struct rig *rig, const struct workload *workload, uint64_t content_seed)
{
	int r = -ENOMEM;

	*rig = (struct rig){ .count = workload->threads };
	rig->threads = calloc(rig->count, sizeof(*rig->threads));
	rig->payloads = calloc(rig->count, sizeof(*rig->payloads));
	if (!rig->threads || !rig->payloads)
		goto fail;
	while (rig->payload_count < rig->count) {
		uint64_t part = (uint64_t)rig->payload_count << UNITS_SHIFT;
		struct payload *p = &rig->payloads[rig->payload_count];
		r = payload_init(p, workload, workload->queue_depth, content_seed + part);
		if (r < 0)
			goto fail;
		rig->threads[rig->payload_count++].payload = p;
	}
	return 0;
fail:
	rig_done(rig);
	return r;
}

void rig_done(struct rig *rig)
{
	for (uint32_t i = 0; i < rig->payload_count; i++)
		payload_done(&rig->payloads[i]);
	free(rig->threads);
	free(rig->payloads);
	*rig = (struct rig){ 0 };
}

static void close_backends(struct rig *rig, const struct io_backend_ops *ops)
{
	for (uint32_t i = 0; i < rig->count; i++) {
		if (rig->threads[i].backend)
			ops->close(rig->threads[i].backend);
		rig->threads[i].backend = NULL;
	}
}

static int open_kind(struct rig *rig, const struct io_backend_ops *ops,
	const struct io_setup *common, struct error *reterr)
{
	rig->has_registered_buffers = ops->has_registered_buffers;
	for (uint32_t i = 0; i < rig->count; i++) {
		struct io_setup setup = *common;
		setup.memory = rig->payloads[i].memory;
		setup.memory_bytes = rig->payloads[i].memory_bytes;
		int r = ops->open(&setup, &rig->threads[i].backend, reterr);
		if (r < 0) {
			close_backends(rig, ops);
			return r;
		}
		if (rig->has_registered_buffers)
			rig->has_registered_buffers =
				ops->has_registered_buffers(rig->threads[i].backend);
	}
	rig->ops = ops;
	return 0;
}

/* An automatically chosen back end must be valid as if it had been configured. */
static int check(
	const struct io_backend_ops *ops, const struct workload *workload, struct error *reterr)
{
	struct workload chosen = *workload;

	chosen.engine = ops->engine;
	return workload_check_depth(&chosen, reterr);
}

int rig_open(struct rig *rig, const struct workload *workload, const struct io_setup *common,
	struct error *reterr)
{
	struct io_setup setup = *common;
	int r = -EOPNOTSUPP;

	setup.slots = workload->queue_depth;
	for (size_t i = 0; r < 0 && io_backend_at(workload->engine, i); i++) {
		const struct io_backend_ops *ops = io_backend_at(workload->engine, i);
		r = check(ops, workload, reterr);
		if (r == 0)
			r = open_kind(rig, ops, &setup, reterr);
	}
	return r;
}

void rig_close(struct rig *rig)
{
	if (rig->ops)
		close_backends(rig, rig->ops);
	rig->ops = NULL;
}
