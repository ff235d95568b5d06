/* SPDX-License-Identifier: Apache-2.0 */
/* The daily cost of probing as configured. Private to src/config. */
#ifndef REPOPROBE_CONFIG_DAILY_H
#define REPOPROBE_CONFIG_DAILY_H

#include "config/config.h"

/* Bytes written per day at most; UINT64_MAX: no bound. */
struct daily_plan {
	uint64_t interval_bytes; /* by probes with an interval, as configured */
	uint64_t calendar_bytes; /* by probes with a schedule */
};

void daily_plan(const struct config_repository *repository, struct daily_plan *ret);

/* For one probe, as configured. */
uint64_t daily_written_bytes(
	const struct config_repository *repository, const struct config_probe *probe);

#endif
