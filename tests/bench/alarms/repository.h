/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to one simulated repository in some weeks: its nature, other people's load, benign
 * spikes, and the labelled episodes of real trouble. Times are microseconds since 1970, UTC. */
#ifndef BENCH_ALARMS_REPOSITORY_H
#define BENCH_ALARMS_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chance.h"

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

#define SIMULATION_BEGIN (INT64_C(1767571200) * SECOND) /* Monday, 2026-01-05 00:00 */
#define SIMULATION_LEARNING (14 * DAY) /* not scored; no episodes */

#define LOADS_MAX 512
#define SPIKES_MAX 512
#define EPISODES_MAX 48

struct profile {
	const char *name;
	double hit_msec; /* answered by a cache */
	struct range media_msec; /* answered by the medium, mean */
	struct range hit_share;
	struct range mb_per_sec;
	struct range noise; /* sigma in the logarithm */
	double hidden_share; /* of ad-hoc loads, that counters here do not see */
	struct range swing; /* how much slower in the middle of a working day */
};

struct load {
	int64_t begin;
	int64_t end;
	double utilisation;
	bool is_visible;
};

struct spike {
	int64_t begin; /* the instant of a scheduled run */
	int64_t end;
	double factor;
	uint64_t stall_nsec; /* one I/O of the runs in it takes so long; 0: none */
};

enum episode_type {
	EPISODE_STEP_OVER, /* the limit */
	EPISODE_STEP_UNDER,
	EPISODE_DRIFT,
	EPISODE_STALLS,
	EPISODE_CACHE,
	EPISODE_THROUGHPUT,
	EPISODE_HANG,
};
#define EPISODE_TYPES 7

struct episode {
	enum episode_type type;
	int64_t begin;
	int64_t onset; /* from when a detector could know: the begin, but for drift */
	int64_t end;
	double factor; /* step, drift: of latency at the end; throughput: what it is divided by */
	double share; /* stalls: of runs; cache: hit share now */
};

struct repository {
	uint64_t seed;
	uint32_t index;
	const struct profile *profile;
	double media_msec;
	double hit_share;
	double mb_per_sec;
	double noise;
	double swing;
	bool has_patrol;
	int64_t patrol_offset; /* into the week */
	double patrol_factor;
	int64_t interval;
	int64_t splay; /* of the first run into the interval */
	size_t slots;
	double *wander; /* of each slot: slow noise, in the logarithm */
	size_t load_count;
	struct load loads[LOADS_MAX];
	size_t spike_count;
	struct spike spikes[SPIKES_MAX];
	size_t episode_count;
	struct episode episodes[EPISODES_MAX];
};

/* The repository of this number under this seed. NULL without memory. */
struct repository *repository_new(uint64_t seed, uint32_t index, uint32_t days, int64_t interval);
struct repository *repository_free(struct repository *r);

int64_t repository_slot_time(const struct repository *r, size_t slot);

/* Everything that bears on an I/O at an instant. */
struct moment {
	double visible; /* utilisation by others, 0 to 1 */
	double hidden;
	bool has_patrol;
	double factor; /* of all latencies: swing, patrol, spike, episode */
	double throughput_factor;
	double hit_share;
	double stall_share; /* of runs that carry stalls */
	uint64_t spike_stall_nsec;
	bool has_spike;
	bool is_hanging;
};
struct moment repository_moment(const struct repository *r, int64_t time);

/* How much slower a medium gets by that much load. */
double repository_load_factor(double utilisation);
/* The mean latency of an idle run without noise. */
double repository_idle_msec(const struct repository *r);

const char *episode_type_name(enum episode_type type); /* "step over" */

#endif
