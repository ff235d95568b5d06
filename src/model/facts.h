/* SPDX-License-Identifier: Apache-2.0 */
/* What the host saw on a repository's device while a run went on, our own I/O subtracted. */
#ifndef REPOPROBE_MODEL_FACTS_H
#define REPOPROBE_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct facts {
	bool has_counters; /* false: nothing below is known */
	uint64_t others_bytes_per_sec;
	uint64_t others_ios_per_sec;
};

#endif
