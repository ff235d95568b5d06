/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a run that is due may take place now, and how much it may write. Pure. */
#ifndef REPOPROBE_CORE_ADMISSION_H
#define REPOPROBE_CORE_ADMISSION_H

#include <stdint.h>

#include "config/config.h"
#include "model/facts.h"
#include "model/run.h"

struct admission_question {
	const struct config_repository *repository;
	const struct workload *workload;
	uint64_t left_bytes; /* of the budget; UINT64_MAX: none */
	uint64_t file_bytes; /* of the probe file, as last seen; 0: not seen */
	uint64_t file_target_bytes;
	uint64_t spacing_usec; /* between two runs on the file; 0: not known */
	struct facts others; /* on its disk of late */
	bool is_paused; /* by a mute … */
	const char *pause_reason; /* … for that; "": not said */
};

struct admission {
	enum run_skip skip; /* none: it may */
	uint64_t reserved_bytes; /* what it may write in all */
	uint64_t first_layout_bytes; /* these two for the job: cut to what is left beside the run */
	uint64_t growth_bytes;
	char reason[RUN_REASON_MAX + 1]; /* of a skip */
};

void admission_decide(const struct admission_question *question, struct admission *ret);

#endif
