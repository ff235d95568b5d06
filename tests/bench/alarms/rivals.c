/* SPDX-License-Identifier: Apache-2.0 */
/* What people use instead, by the semantics that are read in those programs' sources and manuals
 * (alarms.md, section 2). "Tuned" is 2.5 times the idle median of the repository's first two weeks
 * (throughput: 0.4 times); before that nothing is judged. A run without result is a bad one. */
#include "detector.h"

#include <stdlib.h>

#define LIMIT_MSEC 15.0
#define TUNED_FACTOR 2.5
#define TUNED_THROUGHPUT 0.4
#define STALL_MSEC 2000.0
#define HISTORY 10 /* rounds that Avgratio compares with … */
#define CURRENT 2 /* … and compares */
#define FLAP_STATES 21 /* that Nagios looks at */

struct rival_options {
	bool is_tuned;
	bool has_metrics; /* p95, throughput and stalls too, each with its own rule */
	bool is_muted_at_night;
	int64_t hold; /* Prometheus: for */
	int64_t keep; /* keep_firing_for */
	size_t attempts; /* Nagios: max_check_attempts; SmokePing: rounds */
};

/* --- What is bad ------------------------------------------------------------- */

#define METRICS 4

static bool is_over(const struct rival_options *options, const struct observation *o)
{
	if (o->is_dead)
		return true;
	if (!options->is_tuned)
		return o->average_msec > LIMIT_MSEC;
	return o->tuning->is_known && o->average_msec > TUNED_FACTOR * o->tuning->average_msec;
}

static void judge_metrics(
	const struct rival_options *options, const struct observation *o, bool ret[METRICS])
{
	ret[0] = is_over(options, o);
	for (size_t i = 1; i < METRICS; i++)
		ret[i] = false;
	if (!options->has_metrics || o->is_dead)
		return;
	ret[1] = o->tuning->is_known && o->p95_msec > TUNED_FACTOR * o->tuning->p95_msec;
	ret[2] = o->tuning->is_known && o->throughput < TUNED_THROUGHPUT * o->tuning->throughput;
	ret[3] = o->max_msec > STALL_MSEC;
}

/* 21:30 to 06:00, when the backups run. */
static bool is_night(int64_t time)
{
	int64_t into_day = (time - SIMULATION_BEGIN) % DAY;

	return into_day >= 21 * HOUR + HOUR / 2 || into_day < 6 * HOUR;
}

/* --- Prometheus, and a plain limit ------------------------------------------- */

struct prometheus {
	const struct rival_options *options;
	struct {
		bool is_active; /* pending or firing */
		bool is_firing;
		int64_t active_at;
		int64_t keep_since; /* 0: true at the last evaluation */
	} alerts[METRICS];
};

static void *prometheus_prepare(const struct detector *self, const struct repository *r)
{
	struct prometheus *p = calloc(1, sizeof(*p));

	(void)r; /* one rule for all */
	if (p)
		p->options = self->options;
	return p;
}

static bool prometheus_evaluate(struct prometheus *p, size_t i, bool is_true, int64_t now)
{
	bool keeps = false;

	if (is_true) {
		if (!p->alerts[i].is_active)
			p->alerts[i].active_at = now;
		p->alerts[i].is_active = true;
		p->alerts[i].keep_since = 0;
		if (now - p->alerts[i].active_at >= p->options->hold)
			p->alerts[i].is_firing = true;
		return p->alerts[i].is_firing;
	}
	if (p->alerts[i].is_firing) {
		if (p->alerts[i].keep_since == 0)
			p->alerts[i].keep_since = now;
		keeps = now - p->alerts[i].keep_since < p->options->keep;
	}
	if (!keeps) {
		p->alerts[i].is_active = false;
		p->alerts[i].is_firing = false;
	}
	return keeps;
}

static int prometheus_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct prometheus *p = state;
	bool is_bad[METRICS];
	bool is_firing = false;

	judge_metrics(p->options, o, is_bad);
	for (size_t i = 0; i < METRICS; i++)
		is_firing |= prometheus_evaluate(p, i, is_bad[i], o->time);
	*ret = (struct verdict){
		.is_alarmed = is_firing && !(p->options->is_muted_at_night && is_night(o->time)),
	};
	return 0;
}

/* --- Nagios ------------------------------------------------------------------ */

struct nagios {
	const struct rival_options *options;
	size_t attempt; /* 0: ok; below the maximum: soft; else hard */
	bool is_told;
	bool is_flapping;
	bool states[FLAP_STATES]; /* not ok; the oldest first; soft ones are not recorded */
};

static void *nagios_prepare(const struct detector *self, const struct repository *r)
{
	struct nagios *n = calloc(1, sizeof(*n));

	(void)r; /* one rule for all */
	if (n)
		n->options = self->options;
	return n;
}

/* Each change of state weighs 0.75 when it is the oldest to 1.25 when it is the newest. */
static void nagios_record(struct nagios *n, bool is_bad)
{
	double sum = 0;

	for (size_t i = 0; i + 1 < FLAP_STATES; i++)
		n->states[i] = n->states[i + 1];
	n->states[FLAP_STATES - 1] = is_bad;
	for (size_t i = 1; i < FLAP_STATES; i++)
		if (n->states[i] != n->states[i - 1])
			sum += (double)(i - 1) * 0.5 / (FLAP_STATES - 2) + 0.75;
	double percent = sum * 100 / (FLAP_STATES - 1);
	if (percent >= 30)
		n->is_flapping = true;
	else if (percent <= 20)
		n->is_flapping = false;
}

static int nagios_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct nagios *n = state;
	bool is_bad = is_over(n->options, o);

	*ret = (struct verdict){ .is_alarmed = false };
	if (!is_bad)
		n->attempt = 0;
	else if (n->attempt < n->options->attempts)
		n->attempt++;
	bool is_soft = n->attempt > 0 && n->attempt < n->options->attempts;
	if (is_soft)
		ret->again_at = o->time + MINUTE;
	else
		nagios_record(n, is_bad);
	if (n->attempt == 0)
		n->is_told = false;
	else if (!is_soft && !n->is_flapping)
		n->is_told = true;
	ret->is_alarmed = n->is_told;
	return 0;
}

/* --- SmokePing --------------------------------------------------------------- */

struct smokeping {
	const struct rival_options *options;
	bool is_raised;
	size_t bad; /* rounds in a row … */
	size_t good; /* … or these */
	size_t rounds;
	double averages[HISTORY + CURRENT]; /* the oldest first */
};

static void *smokeping_prepare(const struct detector *self, const struct repository *r)
{
	struct smokeping *s = calloc(1, sizeof(*s));

	(void)r; /* one rule for all */
	if (s)
		s->options = self->options;
	return s;
}

/* CheckLatency(l, x): x rounds in a row at the limit raise, x below it clear. */
static int check_latency_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct smokeping *s = state;

	if (is_over(s->options, o)) {
		s->bad++;
		s->good = 0;
	} else {
		s->good++;
		s->bad = 0;
	}
	if (s->bad >= s->options->attempts)
		s->is_raised = true;
	if (s->good >= s->options->attempts)
		s->is_raised = false;
	*ret = (struct verdict){ .is_alarmed = s->is_raised };
	return 0;
}

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* Avgratio(historic=>10, current=>2, '>', 150): the last two rounds against the ten before. A lost
 * round is none. */
static int ratio_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct smokeping *s = state;

	if (!o->is_dead) {
		for (size_t i = 0; i + 1 < HISTORY + CURRENT; i++)
			s->averages[i] = s->averages[i + 1];
		s->averages[HISTORY + CURRENT - 1] = o->average_msec;
		s->rounds++;
		s->is_raised = s->rounds >= HISTORY + CURRENT &&
			mean(s->averages + HISTORY, CURRENT) > 1.5 * mean(s->averages, HISTORY);
	}
	*ret = (struct verdict){ .is_alarmed = s->is_raised };
	return 0;
}

/* --- The table --------------------------------------------------------------- */

#define PROMETHEUS .prepare = prometheus_prepare, .observe = prometheus_observe, .release = free
#define NAGIOS .prepare = nagios_prepare, .observe = nagios_observe, .release = free
#define CHECK_LATENCY                                                                              \
	.prepare = smokeping_prepare, .observe = check_latency_observe, .release = free

static const struct detector rivals[] = {
	{
		.name = "static 15ms",
		PROMETHEUS,
		.options = &(const struct rival_options){ .hold = 0 },
	},
	{
		.name = "prometheus for 10m 15ms",
		PROMETHEUS,
		.options = &(const struct rival_options){ .hold = 10 * MINUTE },
	},
	{
		.name = "prometheus for tuned",
		PROMETHEUS,
		.options = &(const struct rival_options){ .hold = 10 * MINUTE, .is_tuned = true },
	},
	{
		.name = "prometheus multi-metric tuned",
		PROMETHEUS,
		.options =
			&(const struct rival_options){
				.hold = 10 * MINUTE, .is_tuned = true, .has_metrics = true },
	},
	{
		.name = "prometheus multi tuned, mute 21:30-06",
		PROMETHEUS,
		.options = &(const struct rival_options){ .hold = 10 * MINUTE,
			.is_tuned = true,
			.has_metrics = true,
			.is_muted_at_night = true },
	},
	{
		.name = "nagios 3x1min flap 15ms",
		NAGIOS,
		.options = &(const struct rival_options){ .attempts = 3 },
	},
	{
		.name = "nagios tuned",
		NAGIOS,
		.options = &(const struct rival_options){ .attempts = 3, .is_tuned = true },
	},
	{
		.name = "smokeping CheckLatency x3 15ms",
		CHECK_LATENCY,
		.options = &(const struct rival_options){ .attempts = 3 },
	},
	{
		.name = "smokeping CheckLatency tuned",
		CHECK_LATENCY,
		.options = &(const struct rival_options){ .attempts = 3, .is_tuned = true },
	},
	{
		.name = "smokeping Avgratio 10/2 150%",
		.prepare = smokeping_prepare,
		.observe = ratio_observe,
		.release = free,
		.options = &(const struct rival_options){ .attempts = 1 },
	},
};

const struct detector *rival_at(size_t i)
{
	return i < sizeof(rivals) / sizeof(rivals[0]) ? &rivals[i] : NULL;
}
