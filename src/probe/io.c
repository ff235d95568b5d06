/* SPDX-License-Identifier: Apache-2.0 */
/* The table of back ends. */
#include "probe/io.h"

static const struct io_backend_ops *const backends[] = {
	&io_uring_backend,
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
