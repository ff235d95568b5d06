/* SPDX-License-Identifier: Apache-2.0 */
/* The table of back ends. */
#include "probe/io.h"

#include "probe/cache.h"

static const struct io_backend_ops *const backends[] = {
	&io_uring_backend,
	&io_threads_backend,
};

const struct io_backend_ops *io_backend_at(enum workload_engine wish, size_t i)
{
	for (size_t k = 0; k < sizeof(backends) / sizeof(backends[0]); k++) {
		if (wish != WORKLOAD_ENGINE_AUTO && backends[k]->engine != wish)
			continue;
		if (i-- == 0)
			return backends[k];
	}
	return NULL;
}

bool io_prepare_read(const struct io_setup *setup, const struct io_request *request)
{
	if (request->is_write || (!setup->drops_cache && !setup->meter))
		return false;
	if (setup->drops_cache)
		cache_drop_around(setup->fd, request->offset_bytes, request->bytes);
	if (setup->meter)
		cache_meter_add(setup->meter, setup->fd, request->offset_bytes, request->bytes);
	return true;
}
