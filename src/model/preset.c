/* SPDX-License-Identifier: Apache-2.0 */
/* The presets: backup jobs as workloads. The sizes and mixes follow Veeam KB2014 and similar
 * sources. */
#include <string.h>

#include "base/clock.h"
#include "model/workload.h"

#define KIB UINT32_C(1024)
#define MIB (UINT64_C(1) << 20)
#define MSEC USEC_PER_MSEC
#define SEC USEC_PER_SEC
#define MIN (60 * USEC_PER_SEC)

static const struct workload_preset presets[] = {
	{
		.name = "active-full",
		.summary = "active full and forward incremental backup: one sequential stream of writes",
		.workload = {
			.preset = "active-full",
			.block_size_bytes = 512 * KIB,
			.write_percent = 100,
			.pattern = WORKLOAD_SEQUENTIAL,
			.queue_depth = 2,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.duration_usec = 5 * SEC,
			.warmup_ios = 8,
			.max_bytes = 64 * MIB,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = 5 * MIN,
		.limit_usec = 15 * MSEC,
		.limit_critical_usec = 30 * MSEC,
	},
	{
		.name = "reverse-incremental",
		.summary = "reverse incremental backup: one read and two writes for each block",
		.workload = {
			.preset = "reverse-incremental",
			.block_size_bytes = 512 * KIB,
			.write_percent = 67,
			.pattern = WORKLOAD_RANDOM,
			.align_bytes = 4 * KIB,
			.queue_depth = 2,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.duration_usec = 5 * SEC,
			.warmup_ios = 8,
			.max_bytes = 64 * MIB,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = 5 * MIN,
		.limit_usec = 20 * MSEC,
		.limit_critical_usec = 40 * MSEC,
	},
	{
		.name = "transform",
		.summary = "merge and synthetic full without fast clone: one read for each write",
		.workload = {
			.preset = "transform",
			.block_size_bytes = 512 * KIB,
			.write_percent = 50,
			.pattern = WORKLOAD_RANDOM,
			.align_bytes = 4 * KIB,
			.queue_depth = 2,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.duration_usec = 5 * SEC,
			.warmup_ios = 8,
			.max_bytes = 64 * MIB,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = 5 * MIN,
		.limit_usec = 20 * MSEC,
		.limit_critical_usec = 40 * MSEC,
	},
	{
		.name = "restore",
		.summary = "restore and health check of a fragmented backup: scattered reads",
		.workload = {
			.preset = "restore",
			.block_size_bytes = 512 * KIB,
			.write_percent = 0,
			.pattern = WORKLOAD_RANDOM,
			.align_bytes = 4 * KIB,
			.queue_depth = 2,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.duration_usec = 5 * SEC,
			.warmup_ios = 8,
			.max_bytes = 64 * MIB,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = 5 * MIN,
		.limit_usec = 20 * MSEC,
		.limit_critical_usec = 50 * MSEC,
	},
	{
		.name = "random-4k",
		.summary = "instant recovery and databases: small random reads and writes",
		.workload = {
			.preset = "random-4k",
			.block_size_bytes = 4 * KIB,
			.write_percent = 30,
			.pattern = WORKLOAD_RANDOM,
			.queue_depth = 8,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.duration_usec = 5 * SEC,
			.warmup_ios = 8,
			.max_bytes = 16 * MIB,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = 5 * MIN,
		.limit_usec = 15 * MSEC,
		.limit_critical_usec = 30 * MSEC,
	},
	{
		.name = "heartbeat",
		.summary = "a cheap sign of life every minute: a few small reads and writes",
		.workload = {
			.preset = "heartbeat",
			.block_size_bytes = 4 * KIB,
			.write_percent = 50,
			.pattern = WORKLOAD_RANDOM,
			.queue_depth = 1,
			.threads = 1,
			.cache = WORKLOAD_DIRECT_DSYNC,
			.file_size_bytes = 64 * MIB,
			.duration_usec = 3 * SEC,
			.warmup_ios = 8,
			.max_ios = 200,
			.content = WORKLOAD_CONTENT_RANDOM,
			.engine = WORKLOAD_ENGINE_AUTO,
			.timeout_usec = 60 * SEC,
		},
		.interval_usec = MIN,
		.limit_usec = 15 * MSEC,
		.limit_critical_usec = 50 * MSEC,
	},
};

const struct workload_preset *workload_preset_at(size_t i)
{
	return i < sizeof(presets) / sizeof(presets[0]) ? &presets[i] : NULL;
}

const struct workload_preset *workload_preset_find(const char *name)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

const struct workload_preset *workload_preset_default(void)
{
	return &presets[0];
}
