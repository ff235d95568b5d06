/* SPDX-License-Identifier: Apache-2.0 */
/* The table and the rates that make the simulator as hard as life. Where a rate leaves a choice,
 * the choice is said here:
 * - A step, a drift, a spike, the patrol and the day's swing make all I/Os slower, hits too; load
 *   makes the medium slower alone. Steps and drifts leave throughput as it is.
 * - Lengths and starts are uniform in their range unless said otherwise; a backup begins within a
 *   quarter of an hour of 22:00, normally distributed.
 * - Episodes are apart from begin to begin, but never closer than half a day from end to begin.
 *   One that would not end before the simulation does is left out.
 * - Cache loss is a loss: a hit share below 0.2 falls to at most three quarters of itself.
 * - Throughput that is lost is lost to others as well: their work is divided too. */
#include "repository.h"
#include "core/plan.h"

#include <math.h>
#include <stdlib.h>

enum stream {
	STREAM_NATURE,
	STREAM_WANDER,
	STREAM_LOADS,
	STREAM_SPIKES,
	STREAM_EPISODES,
};

#define WANDER_COEFFICIENT 0.85 /* a slot */
#define SPIKES_A_DAY 0.9
#define ADHOC_A_WEEK 3.0
#define LIMIT_MSEC 15.0
#define UNDER_MSEC 13.5
#define DRIFT_ONSET 1.5
#define UTILISATION_MAX 0.98

static const struct profile profiles[] = {
	{
		.name = "hdd raid",
		.hit_msec = 0.4,
		.media_msec = { 8, 12 },
		.hit_share = { 0.15, 0.35 },
		.mb_per_sec = { 150, 400 },
		.noise = { 0.08, 0.20 },
		.hidden_share = 0.10,
		.swing = { 0, 0.25 },
	},
	{
		.name = "ssd",
		.hit_msec = 0.12,
		.media_msec = { 0.3, 0.8 },
		.hit_share = { 0.2, 0.5 },
		.mb_per_sec = { 800, 2500 },
		.noise = { 0.06, 0.15 },
		.hidden_share = 0.05,
		.swing = { 0, 0.15 },
	},
	{
		.name = "nas",
		.hit_msec = 0.6,
		.media_msec = { 3, 7 },
		.hit_share = { 0.3, 0.6 },
		.mb_per_sec = { 200, 900 },
		.noise = { 0.12, 0.28 },
		.hidden_share = 0.35,
		.swing = { 0.10, 0.80 },
	},
	{
		.name = "dedup",
		.hit_msec = 1.0,
		.media_msec = { 10, 18 },
		.hit_share = { 0.5, 0.8 },
		.mb_per_sec = { 100, 300 },
		.noise = { 0.15, 0.30 },
		.hidden_share = 0.15,
		.swing = { 0, 0.30 },
	},
	{
		.name = "cloud",
		.hit_msec = 0.8,
		.media_msec = { 1.2, 2.5 },
		.hit_share = { 0.1, 0.3 },
		.mb_per_sec = { 125, 250 },
		.noise = { 0.10, 0.25 },
		.hidden_share = 0.30,
		.swing = { 0, 0.30 },
	},
};
#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

const char *episode_type_name(enum episode_type type)
{
	static const char *const names[] = {
		[EPISODE_STEP_OVER] = "step over",
		[EPISODE_STEP_UNDER] = "step under",
		[EPISODE_DRIFT] = "drift",
		[EPISODE_STALLS] = "stalls",
		[EPISODE_CACHE] = "cache loss",
		[EPISODE_THROUGHPUT] = "throughput",
		[EPISODE_HANG] = "hang",
	};
	return names[type];
}

double repository_load_factor(double utilisation)
{
	return 1.0 + 0.35 * utilisation / (1.0 - 0.9 * utilisation);
}

double repository_idle_msec(const struct repository *r)
{
	return r->hit_share * r->profile->hit_msec + (1 - r->hit_share) * r->media_msec;
}

int64_t repository_slot_time(const struct repository *r, size_t slot)
{
	return SIMULATION_BEGIN + r->splay + (int64_t)slot * r->interval;
}

/* --- What happens ------------------------------------------------------------ */

static void plan_nature(struct repository *r)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_NATURE);

	/* Equally many of each kind, whatever the seed. */
	r->profile = &profiles[r->index % PROFILES];
	r->media_msec = chance_between(&c, r->profile->media_msec);
	r->hit_share = chance_between(&c, r->profile->hit_share);
	r->mb_per_sec = chance_between(&c, r->profile->mb_per_sec);
	r->noise = chance_between(&c, r->profile->noise);
	r->swing = chance_between(&c, r->profile->swing);
	r->has_patrol = chance_one_in(&c, 0.2);
	r->patrol_offset = (int64_t)(chance_unit(&c) * 7 * DAY);
	r->patrol_factor = chance_between(&c, (struct range){ 1.5, 2.3 });
	r->splay = (int64_t)(chance_unit(&c) * (double)r->interval) / SECOND * SECOND;
}

static void plan_wander(struct repository *r)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_WANDER);
	double value = 0;

	for (size_t i = 0; i < r->slots; i++) {
		value = WANDER_COEFFICIENT * value + chance_normal(&c, r->noise / 2);
		r->wander[i] = value;
	}
}

static void add_load(struct repository *r, const struct load *load)
{
	if (r->load_count < LOADS_MAX)
		r->loads[r->load_count++] = *load;
}

static void plan_loads(struct repository *r, uint32_t days)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_LOADS);

	for (uint32_t day = 0; day < days; day++) {
		bool is_saturday = day % 7 == 5;
		double minutes = (is_saturday ? 480 : 200) * exp(chance_normal(&c, 0.25));
		int64_t begin = SIMULATION_BEGIN + day * DAY + 22 * HOUR +
			(int64_t)chance_normal(&c, 15.0 * (double)MINUTE);
		add_load(r,
			&(struct load){
				.begin = begin,
				.end = begin + (int64_t)(minutes * (double)MINUTE),
				.utilisation = chance_between(&c, (struct range){ 0.5, 0.95 }),
				.is_visible = true,
			});
	}
	int64_t at = SIMULATION_BEGIN;
	for (;;) {
		at += (int64_t)chance_exponential(&c, 7.0 * (double)DAY / ADHOC_A_WEEK);
		if (at >= SIMULATION_BEGIN + days * DAY)
			break;
		double minutes = chance_between(&c, (struct range){ 20, 120 });
		add_load(r,
			&(struct load){
				.begin = at,
				.end = at + (int64_t)(minutes * (double)MINUTE),
				.utilisation = chance_between(&c, (struct range){ 0.4, 0.95 }),
				.is_visible = !chance_one_in(&c, r->profile->hidden_share),
			});
	}
}

/* Six in ten are over before a confirming run a minute later, three before the next slot; one in
 * ten reaches that, hardly more, and lasts at most two. (Were all of those to last as long as they
 * may, nothing could tell them from real trouble within the seven minutes that are asked for.) */
static double draw_spike_seconds(struct chance *c, double interval)
{
	double kind = chance_unit(c);

	if (kind < 0.6)
		return chance_between(c, (struct range){ 5, 60 });
	if (kind < 0.9)
		return chance_between(c, (struct range){ 61, interval });
	return interval + fmin(interval, 1 + chance_exponential(c, 20));
}

/* Each begins with a scheduled run and is seen by it. */
static void plan_spikes(struct repository *r, uint32_t days)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_SPIKES);
	double interval = (double)r->interval / (double)SECOND;
	double at = 0;

	for (;;) {
		at += chance_exponential(&c, (double)DAY / SPIKES_A_DAY);
		size_t slot = (size_t)(at / (double)r->interval);
		if (at >= (double)(days * DAY) || slot >= r->slots || r->spike_count == SPIKES_MAX)
			return;
		struct spike *spike = &r->spikes[r->spike_count++];
		spike->begin = repository_slot_time(r, slot);
		spike->end =
			spike->begin + (int64_t)(draw_spike_seconds(&c, interval) * (double)SECOND);
		spike->factor = chance_log_between(&c, (struct range){ 2.5, 15 });
		if (spike->factor > 12 && chance_one_in(&c, 0.7))
			spike->stall_nsec =
				(uint64_t)(1e9 * chance_between(&c, (struct range){ 2, 8 }));
	}
}

/* --- Episodes ---------------------------------------------------------------- */

static const struct range episode_hours[EPISODE_TYPES] = {
	[EPISODE_STEP_OVER] = { 3, 96 },
	[EPISODE_STEP_UNDER] = { 3, 96 },
	[EPISODE_DRIFT] = { 5 * 24, 12 * 24 },
	[EPISODE_STALLS] = { 6, 48 },
	[EPISODE_CACHE] = { 4, 48 },
	[EPISODE_THROUGHPUT] = { 4, 72 },
	[EPISODE_HANG] = { 0.5, 6 },
};

static void shape_episode(const struct repository *r, struct chance *c, struct episode *e)
{
	double idle = repository_idle_msec(r);

	switch (e->type) {
	case EPISODE_STEP_OVER:
		e->factor = fmax(chance_log_between(c, (struct range){ 2.2, 8 }),
			LIMIT_MSEC / idle * chance_between(c, (struct range){ 1.05, 1.5 }));
		break;
	case EPISODE_STEP_UNDER:
		e->factor =
			fmin(chance_log_between(c, (struct range){ 2.2, 8 }), UNDER_MSEC / idle);
		break;
	case EPISODE_DRIFT:
		e->factor = chance_between(c, (struct range){ 2.5, 6 });
		e->onset = e->begin +
			(int64_t)((double)(e->end - e->begin) * (DRIFT_ONSET - 1) /
				(e->factor - 1));
		break;
	case EPISODE_STALLS:
		e->share = chance_between(c, (struct range){ 0.25, 0.60 });
		break;
	case EPISODE_CACHE:
		e->share = fmin(chance_between(c, (struct range){ 0, 0.15 }), 0.75 * r->hit_share);
		break;
	case EPISODE_THROUGHPUT:
		e->factor = chance_log_between(c, (struct range){ 2.5, 10 });
		break;
	case EPISODE_HANG:
		break;
	}
}

/* To the scheduled run at or after it. */
static int64_t to_slot(const struct repository *r, int64_t time)
{
	int64_t since = time - SIMULATION_BEGIN - r->splay;

	return SIMULATION_BEGIN + r->splay + (since + r->interval - 1) / r->interval * r->interval;
}

static void plan_episodes(struct repository *r, uint32_t days)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_EPISODES);
	int64_t at = SIMULATION_BEGIN + SIMULATION_LEARNING;
	int64_t free_from = at;

	while (r->episode_count < EPISODES_MAX) {
		at += (int64_t)(1.5 * (double)DAY) +
			(int64_t)chance_exponential(&c, 9.0 * (double)DAY);
		if (at < free_from)
			at = free_from;
		if (at >= SIMULATION_BEGIN + days * DAY)
			return;
		struct episode e = {
			.type = (enum episode_type)chance_below(&c, EPISODE_TYPES),
			.begin = to_slot(r, at),
			.factor = 1,
		};
		double hours = chance_between(&c, episode_hours[e.type]);
		e.onset = e.begin;
		e.end = e.begin + (int64_t)(hours * (double)HOUR);
		shape_episode(r, &c, &e);
		if (e.end >= SIMULATION_BEGIN + days * DAY)
			continue;
		r->episodes[r->episode_count++] = e;
		free_from = e.end + DAY / 2;
	}
}

struct repository *repository_new(uint64_t seed, uint32_t index, uint32_t days, int64_t interval)
{
	struct repository *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->seed = seed;
	r->index = index;
	r->interval = interval;
	r->slots = (size_t)(days * DAY / interval);
	r->wander = calloc(r->slots, sizeof(*r->wander));
	if (!r->wander)
		return repository_free(r);
	plan_nature(r);
	plan_wander(r);
	plan_loads(r, days);
	plan_spikes(r, days);
	plan_episodes(r, days);
	return r;
}

struct repository *repository_free(struct repository *r)
{
	if (r)
		free(r->wander);
	free(r);
	return NULL;
}

/* --- One instant ------------------------------------------------------------- */

static double join(double a, double b)
{
	return fmin(UTILISATION_MAX, 1 - (1 - a) * (1 - b));
}

/* Other people's working hours: a hill from 7:00 to 19:00, Monday to Friday. */
static double working_day(int64_t time)
{
	int64_t since = time - SIMULATION_BEGIN;
	double hour = (double)(since % DAY) / (double)HOUR;

	if (since / DAY % 7 >= 5 || hour < 7 || hour >= 19)
		return 0;
	return sin(3.141592653589793 * (hour - 7) / 12);
}

static void apply_episode(const struct episode *e, int64_t time, struct moment *m)
{
	double part = (double)(time - e->begin) / (double)(e->end - e->begin);

	switch (e->type) {
	case EPISODE_STEP_OVER:
	case EPISODE_STEP_UNDER:
		m->factor *= e->factor;
		break;
	case EPISODE_DRIFT:
		m->factor *= 1 + (e->factor - 1) * part;
		break;
	case EPISODE_STALLS:
		m->stall_share = e->share;
		break;
	case EPISODE_CACHE:
		m->hit_share = e->share;
		m->throughput_factor *= 0.6;
		break;
	case EPISODE_THROUGHPUT:
		m->throughput_factor /= e->factor;
		break;
	case EPISODE_HANG:
		m->is_hanging = true;
		break;
	}
}

struct moment repository_moment(const struct repository *r, int64_t time)
{
	struct moment m = {
		.factor = 1 + r->swing * working_day(time),
		.throughput_factor = 1,
		.hit_share = r->hit_share,
	};
	int64_t into_patrol =
		((time - SIMULATION_BEGIN) % (7 * DAY) - r->patrol_offset + 7 * DAY) % (7 * DAY);

	for (size_t i = 0; i < r->load_count; i++) {
		const struct load *load = &r->loads[i];
		if (time < load->begin || time >= load->end)
			continue;
		double *which = load->is_visible ? &m.visible : &m.hidden;
		*which = join(*which, load->utilisation);
	}
	m.has_patrol = r->has_patrol && into_patrol < 5 * HOUR;
	if (m.has_patrol)
		m.factor *= r->patrol_factor;
	for (size_t i = 0; i < r->spike_count; i++) {
		const struct spike *spike = &r->spikes[i];
		if (time < spike->begin || time >= spike->end)
			continue;
		m.has_spike = true;
		m.factor *= spike->factor;
		m.spike_stall_nsec = spike->stall_nsec;
	}
	for (size_t i = 0; i < r->episode_count; i++)
		if (time >= r->episodes[i].begin && time < r->episodes[i].end)
			apply_episode(&r->episodes[i], time, &m);
	return m;
}
