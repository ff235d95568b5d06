/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds of alarms.md 6.2 and the figures they apply to. */
#include "alarm/judge.h"

#include "alarm/octave.h"
#include "alarm/shape.h"
#include "base/clock.h"

#define HALF_MSEC (NSEC_PER_MSEC / 2)
#define QUARTER_MSEC (NSEC_PER_MSEC / 4)
#define P50 UINT64_C(500000000)
#define P95 UINT64_C(950000000)
#define P99 UINT64_C(990000000)

#define RELATIVE_SPREADS 4
#define PLAIN_OCTAVES OCTAVE_3 /* more than others' work explains, even if only estimated */
#define IDLE_HALF_SPREADS 7 /* of an idle average: confirming runs make up for the low value */
#define IDLE_GAIN_NSEC (2 * NSEC_PER_MSEC / 5)
#define LIMIT_SPREADS 3
#define SLOW_SPREADS 2
#define THROUGHPUT_SPREADS 3
#define THROUGHPUT_HELD_SPREADS 2
#define CACHE_SPREADS 4
#define CACHE_MIN_SHARE 500 /* basis points: with a lower normal share, no cache to watch */
#define CACHE_BAD_PERCENT 60 /* of the normal share */
#define CACHE_GOOD_PERCENT 80

static uint64_t subtract_floor(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* --- Figures ------------------------------------------------------------- */

static void measure(
	const struct alarm_input *input, enum run_operation operation, struct verdict *v)
{
	const struct run *run = input->run;
	const struct run_operation_result *o = &run->operations[operation];
	const struct histogram *h = &o->latency;
	const struct baseline *b = input->baselines[operation];
	uint64_t valley_nsec = b ? b->valley_nsec : 0;

	v->average_nsec = histogram_mean_nsec(h);
	v->throughput_bytes_per_sec = run_throughput_bytes_per_sec(run, o);
	v->values[BASELINE_AVERAGE] = octave_from(v->average_nsec);
	v->values[BASELINE_P50] = octave_from(histogram_percentile_nsec(h, P50));
	v->values[BASELINE_P95] = octave_from(histogram_percentile_nsec(h, P95));
	v->values[BASELINE_P99] = octave_from(histogram_percentile_nsec(h, P99));
	v->values[BASELINE_THROUGHPUT] = v->throughput_bytes_per_sec > 0
		? octave_from(v->throughput_bytes_per_sec)
		: BASELINE_UNKNOWN;
	v->values[BASELINE_IOPS] = run->measured_nsec > 0
		? octave_from(
			  (uint64_t)((unsigned __int128)o->ios * NSEC_PER_SEC / run->measured_nsec))
		: BASELINE_UNKNOWN;
	v->values[BASELINE_FAST] = BASELINE_UNKNOWN;
	/* The valley is shifted by the change of p95: when everything gets slower, only the share
	 * counts. */
	if (valley_nsec > 0 && baseline_has(b, BASELINE_P95, LOAD_IDLE))
		v->values[BASELINE_FAST] = (int32_t)shape_share_below(h,
			octave_to(octave_from(valley_nsec) + v->values[BASELINE_P95] -
				b->normals[BASELINE_P95][LOAD_IDLE].median));
	v->sample.valley = (uint16_t)octave_from(valley_nsec);
}

static void make_sample(const struct alarm_input *input, struct verdict *v)
{
	const struct facts *facts = input->facts;
	struct baseline_sample *sample = &v->sample;
	int64_t minute = input->now_usec / (60 * (int64_t)USEC_PER_SEC);

	sample->minute = minute < 0 || minute > UINT32_MAX ? 0 : (uint32_t)minute;
	sample->hour_of_week =
		(uint8_t)baseline_hour_of_week(input->now_usec, input->local_offset_sec);
	for (size_t i = 0; i < BASELINE_METRICS; i++)
		sample->values[i] = (uint16_t)v->values[i];
	sample->others_bytes = BASELINE_UNKNOWN;
	sample->others_ios = BASELINE_UNKNOWN;
	if (facts->has_counters) {
		sample->others_bytes = (uint16_t)octave_from(facts->others_bytes_per_sec);
		sample->others_ios = (uint16_t)octave_from(facts->others_ios_per_sec);
	}
}

static const struct baseline_normal *normal_of(
	const struct baseline *b, enum baseline_metric metric, enum load_class load)
{
	if (!baseline_has(b, metric, load))
		return NULL;
	return &b->normals[metric][load == LOAD_UNKNOWN ? LOAD_IDLE : load];
}

static bool is_idle(const struct verdict *v)
{
	return v->load == LOAD_IDLE || v->load == LOAD_UNKNOWN;
}

/* How far an average is above normal. */
static uint64_t gain_nsec(const struct verdict *v)
{
	return subtract_floor(v->average_nsec, octave_to(v->reference));
}

static int32_t distance(const struct verdict *v)
{
	return v->values[BASELINE_AVERAGE] - v->reference;
}

/* Slower than an idle run should be, but not enough for an alarm. */
static bool is_elevated(const struct verdict *v, const struct baseline_normal *normal)
{
	return distance(v) >= OCTAVE_1_5 && distance(v) >= SLOW_SPREADS * normal->spread;
}

static void set(struct verdict *v, enum alarm_rule rule, bool is_bad, bool is_good)
{
	v->judged |= JUDGE_BIT(rule);
	if (is_bad)
		v->bad |= JUDGE_BIT(rule);
	else if (is_good)
		v->good |= JUDGE_BIT(rule);
}

/* --- Rules --------------------------------------------------------------- */

static void judge_limit(
	const struct alarm_input *input, const struct baseline_normal *normal, struct verdict *v)
{
	const struct rule_limit *limit = &input->limit;
	bool is_over = v->average_nsec > limit->limit_nsec;
	bool is_critical =
		limit->limit_critical_nsec > 0 && v->average_nsec > limit->limit_critical_nsec;
	bool is_unusual = !normal || input->sense.is_limit_strict ||
		(distance(v) >= (limit->is_auto ? OCTAVE_1_7 : OCTAVE_1_5) &&
			distance(v) >= (limit->is_auto ? RELATIVE_SPREADS : LIMIT_SPREADS) *
					normal->spread);
	bool is_good = (unsigned __int128)v->average_nsec * 100 <
		(unsigned __int128)limit->limit_nsec * ALARM_CLEAR_PERCENT;

	if (normal && !is_over && distance(v) <= OCTAVE_1_1)
		is_good = true;
	if (is_critical)
		is_good = false;
	if (is_idle(v) || is_good)
		set(v, ALARM_RULE_LIMIT, is_over && is_unusual, is_good);
	if (!is_good && (!normal || is_elevated(v, normal)))
		v->near |= JUDGE_BIT(ALARM_RULE_LIMIT);
	if (is_idle(v) && is_critical && is_unusual)
		v->critical |= JUDGE_BIT(ALARM_RULE_LIMIT);
	bool counts = !limit->is_auto || !normal ||
		(distance(v) >= OCTAVE_1_35 && distance(v) >= SLOW_SPREADS * normal->spread);
	if (is_idle(v) || !limit->is_auto || is_good)
		set(v, ALARM_RULE_LIMIT_HELD, is_over && counts, is_good);
}

/* Others' work is only estimated, so under load a run must be slower than that, and slower than
 * nearly all runs seen at this load. */
static bool is_slow(const struct verdict *v, const struct baseline_normal *normal)
{
	int32_t d = distance(v);
	uint64_t gain = gain_nsec(v);

	if (is_idle(v))
		return d >= OCTAVE_1_8 && 2 * d >= IDLE_HALF_SPREADS * normal->spread &&
			gain > IDLE_GAIN_NSEC;
	return d >= OCTAVE_2 && d >= RELATIVE_SPREADS * normal->spread && gain > HALF_MSEC &&
		v->values[BASELINE_AVERAGE] - normal->high >= OCTAVE_1_2;
}

static void judge_average(
	const struct alarm_input *input, const struct baseline_normal *normal, struct verdict *v)
{
	int32_t d = distance(v);
	uint64_t gain = gain_nsec(v);
	bool is_bad = is_slow(v, normal);
	bool is_mild = d >= OCTAVE_1_35 && d >= SLOW_SPREADS * normal->spread && gain > HALF_MSEC;
	bool is_good = d <= OCTAVE_1_5 || gain < QUARTER_MSEC;

	bool is_plain = is_bad && d >= PLAIN_OCTAVES;

	enum alarm_rule own = is_idle(v) ? ALARM_RULE_RELATIVE : ALARM_RULE_RELATIVE_BUSY;
	enum alarm_rule other = is_idle(v) ? ALARM_RULE_RELATIVE_BUSY : ALARM_RULE_RELATIVE;
	/* Elevated while the disk is busy is neither good nor bad. */
	if (is_idle(v) || is_bad || is_good)
		set(v, own, is_bad, is_good);
	if (!is_idle(v) && is_plain)
		set(v, ALARM_RULE_RELATIVE, true, false);
	if (is_elevated(v, normal))
		v->near |= JUDGE_BIT(ALARM_RULE_RELATIVE) | JUDGE_BIT(ALARM_RULE_RELATIVE_BUSY);
	if (is_good)
		set(v, other, false, true);
	if (is_idle(v))
		set(v, ALARM_RULE_SLOW, is_mild, is_good && !is_mild);
	if (is_bad && d >= OCTAVE_5 && v->average_nsec > input->limit.limit_nsec &&
		input->limit.limit_nsec > 0)
		v->critical |= JUDGE_BIT(own);
}

/* What the season adds to the average, it may also add to the tail. */
static void judge_tail(const struct baseline *b, struct verdict *v)
{
	const struct baseline_normal *normal = normal_of(b, BASELINE_P95, LOAD_IDLE);

	if (!normal || !is_idle(v))
		return;
	int32_t d = v->values[BASELINE_P95] - normal->median - v->season;
	uint64_t gain = subtract_floor(
		octave_to(v->values[BASELINE_P95]), octave_to(normal->median + v->season));

	/* If the average is bad already, the tail adds no information. */
	if (!(v->bad & JUDGE_BIT(ALARM_RULE_RELATIVE)))
		set(v, ALARM_RULE_TAIL,
			d >= OCTAVE_2_5 && d >= RELATIVE_SPREADS * normal->spread &&
				gain > NSEC_PER_MSEC,
			d <= OCTAVE_1_5);
	if (d >= OCTAVE_2 && d >= SLOW_SPREADS * normal->spread && gain > NSEC_PER_MSEC) {
		v->bad |= JUDGE_BIT(ALARM_RULE_SLOW);
		v->good &= ~JUDGE_BIT(ALARM_RULE_SLOW);
	}
}

static void judge_cache(const struct baseline *b, struct verdict *v)
{
	const struct baseline_normal *normal = normal_of(b, BASELINE_FAST, LOAD_IDLE);
	int32_t share = v->values[BASELINE_FAST];

	if (!normal || !is_idle(v) || share == BASELINE_UNKNOWN || normal->median < CACHE_MIN_SHARE)
		return;
	set(v, ALARM_RULE_CACHE,
		share * 100 < normal->median * CACHE_BAD_PERCENT &&
			normal->median - share >= CACHE_SPREADS * normal->spread,
		share * 100 >= normal->median * CACHE_GOOD_PERCENT);
}

static void judge_throughput(const struct baseline *b, struct verdict *v)
{
	const struct baseline_normal *normal = normal_of(b, BASELINE_THROUGHPUT, LOAD_IDLE);

	if (!normal || !is_idle(v) || v->values[BASELINE_THROUGHPUT] == BASELINE_UNKNOWN)
		return;
	int32_t loss = normal->median - v->values[BASELINE_THROUGHPUT];

	/* If latency is up as well, other clients of the same server may be the cause, whose work
	 * is not visible here: then it has to last. */
	bool is_alone = v->has_normal && distance(v) < OCTAVE_1_2;

	set(v, ALARM_RULE_THROUGHPUT,
		is_alone && loss > OCTAVE_2 && loss >= THROUGHPUT_SPREADS * normal->spread,
		loss <= OCTAVE_1_5);
	set(v, ALARM_RULE_THROUGHPUT_HELD,
		loss > OCTAVE_1_35 && loss >= THROUGHPUT_HELD_SPREADS * normal->spread,
		loss <= OCTAVE_1_25);
}

static bool has_stall(const struct run *run)
{
	bool is_stall = run->status == RUN_STALLED || run->setup_longest_nsec > JUDGE_STALL_NSEC;

	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		is_stall = is_stall || run->operations[i].latency.max_nsec > JUDGE_STALL_NSEC;
	return is_stall;
}

static void judge_stall(
	const struct alarm_input *input, enum run_operation operation, struct verdict *v)
{
	const struct run *run = input->run;
	const struct histogram *h = &run->operations[operation].latency;
	bool is_setup = run->setup_longest_nsec > JUDGE_STALL_NSEC;
	bool is_stall = h->max_nsec > JUDGE_STALL_NSEC || run->status == RUN_STALLED || is_setup;

	/* An open delays its caller as much as an I/O of the same duration. */
	if (is_setup && run->setup_longest_nsec > h->max_nsec) {
		v->setup_step = run->setup_step;
		v->setup_nsec = run->setup_longest_nsec;
	}
	set(v, ALARM_RULE_STALL, is_stall, !is_stall);
}

static void judge_peers(
	const struct alarm_input *input, enum run_operation operation, struct verdict *v)
{
	uint64_t peers = input->peers_nsec[operation];

	v->peers_nsec = peers;
	if (peers == 0)
		return;
	set(v, ALARM_RULE_PEER, v->average_nsec >= 2 * peers && v->average_nsec - peers > HALF_MSEC,
		v->average_nsec <= peers + peers / 2);
}

/* --- Together ------------------------------------------------------------ */

static const struct {
	enum baseline_metric metric;
	enum alarm_moved bit;
	bool is_loss; /* lower is worse */
} moving[] = {
	{ BASELINE_P50, ALARM_MOVED_P50, false },
	{ BASELINE_P95, ALARM_MOVED_P95, false },
	{ BASELINE_P99, ALARM_MOVED_P99, false },
	{ BASELINE_THROUGHPUT, ALARM_MOVED_THROUGHPUT, true },
};

static void find_moved(const struct baseline *b, const struct alarm_input *input,
	enum run_operation operation, struct verdict *v)
{
	for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++) {
		const struct baseline_normal *normal = normal_of(b, moving[i].metric, v->load);
		int32_t value = v->values[moving[i].metric];
		if (!normal || value == BASELINE_UNKNOWN)
			continue;
		int32_t d = moving[i].is_loss ? normal->median - value : value - normal->median;
		if (d >= OCTAVE_1_35 && d >= SLOW_SPREADS * normal->spread)
			v->moved |= moving[i].bit;
	}
	if (v->bad & JUDGE_BIT(ALARM_RULE_CACHE))
		v->moved |= ALARM_MOVED_FAST_SHARE;
	if (input->run->operations[operation].latency.max_nsec > JUDGE_STALL_NSEC)
		v->moved |= ALARM_MOVED_MAX;
}

/* Without counters the load is uncertain: nothing about it is critical. */
static void soften(struct verdict *v)
{
	if (v->load == LOAD_UNKNOWN)
		v->critical = 0;
}

uint32_t judge_rules(const struct run *run)
{
	if (!run_status_has_numbers(run->status))
		return 0;
	if (run->trust & RUN_TRUST_CACHED)
		return has_stall(run) ? JUDGE_BIT(ALARM_RULE_STALL) : 0;
	if (run->trust & RUN_TRUST_WARMING)
		return JUDGE_BIT(ALARM_RULE_STALL) | JUDGE_BIT(ALARM_RULE_LIMIT);
	return JUDGE_ALL;
}

/* Between the limit and limit_critical, a partly written file is neither good nor bad. */
static void narrow(const struct alarm_input *input, struct verdict *v)
{
	uint32_t rules = judge_rules(input->run);
	uint64_t critical_nsec = input->limit.limit_critical_nsec;
	bool is_critical = critical_nsec > 0 && v->average_nsec > critical_nsec;

	if (rules == JUDGE_ALL)
		return;
	if (input->run->trust & RUN_TRUST_CACHED)
		rules &= v->bad; /* that it was fast proves nothing */
	if (!is_critical && !(v->good & JUDGE_BIT(ALARM_RULE_LIMIT)))
		rules &= ~JUDGE_BIT(ALARM_RULE_LIMIT);
	v->judged &= rules;
	v->bad &= rules;
	v->critical &= rules;
	v->good &= rules;
	v->near &= rules;
}

void judge_run(const struct alarm_input *input, enum run_operation operation, struct verdict *ret)
{
	const struct baseline *b = input->baselines[operation];
	struct verdict v = {
		.load = load_classify(input->facts, b ? &b->reference : NULL),
		.others_bytes_per_sec = input->facts->others_bytes_per_sec,
	};

	measure(input, operation, &v);
	make_sample(input, &v);
	const struct baseline_normal *normal = normal_of(b, BASELINE_AVERAGE, v.load);
	v.has_normal = normal != NULL;
	if (normal) {
		v.reference = baseline_reference(b, v.load, &v.sample);
		v.season = is_idle(&v) ? v.reference - normal->median : 0;
	}
	if (b && b->anchor != 0 && normal && is_idle(&v)) {
		v.has_anchor = true;
		v.anchor_ratio = v.values[BASELINE_AVERAGE] - b->anchor - v.season;
	}
	if (input->limit.limit_nsec > 0)
		judge_limit(input, normal, &v);
	if (normal)
		judge_average(input, normal, &v);
	judge_tail(b, &v);
	judge_cache(b, &v);
	judge_throughput(b, &v);
	judge_stall(input, operation, &v);
	judge_peers(input, operation, &v);
	find_moved(b, input, operation, &v);
	soften(&v);
	narrow(input, &v);
	*ret = v;
}

/* --- Evidence and cause ---------------------------------------------------- */

static const struct {
	enum baseline_metric metric;
	bool is_plain; /* basis points */
} figures[ALARM_RULES] = {
	[ALARM_RULE_LIMIT] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_LIMIT_HELD] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_RELATIVE] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_TAIL] = { BASELINE_P95, false },
	[ALARM_RULE_CACHE] = { BASELINE_FAST, true },
	[ALARM_RULE_SLOW] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_THROUGHPUT] = { BASELINE_THROUGHPUT, false },
	[ALARM_RULE_THROUGHPUT_HELD] = { BASELINE_THROUGHPUT, false },
	[ALARM_RULE_STALL] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_DRIFT] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_PEER] = { BASELINE_AVERAGE, false },
	[ALARM_RULE_RELATIVE_BUSY] = { BASELINE_AVERAGE, false },
};

static uint64_t plain(enum alarm_rule rule, int32_t value)
{
	if (!figures[rule].is_plain)
		return octave_to(value);
	return value > 0 ? (uint64_t)value : 0;
}

void judge_evidence(const struct verdict *v, const struct baseline *b, enum alarm_rule rule,
	struct alarm_evidence *ret)
{
	enum baseline_metric metric = figures[rule].metric;
	const struct baseline_normal *normal = normal_of(b, metric, v->load);

	*ret = (struct alarm_evidence){
		.rule = rule,
		.value = plain(rule, v->values[metric]),
		.load = v->load,
		.others_bytes_per_sec = v->others_bytes_per_sec,
		.moved = v->moved,
	};
	if (metric == BASELINE_AVERAGE)
		ret->value = v->average_nsec;
	else if (metric == BASELINE_THROUGHPUT)
		ret->value = v->throughput_bytes_per_sec;
	if (rule == ALARM_RULE_PEER) {
		ret->normal = v->peers_nsec;
		return;
	}
	if (rule == ALARM_RULE_STALL && v->setup_step != RUN_SETUP_NONE) {
		ret->setup_step = v->setup_step;
		ret->value = v->setup_nsec;
		return;
	}
	if (!normal)
		return;
	bool is_average = metric == BASELINE_AVERAGE;
	ret->normal = plain(rule, is_average ? v->reference : normal->median);
	ret->normal_low = plain(rule, normal->low);
	ret->normal_high = plain(rule, normal->high + (is_average ? v->season : 0));
	ret->normal_runs = normal->count;
}

enum alarm_cause judge_cause(
	uint32_t moved, enum run_operation operation, bool has_other, uint32_t others_moved)
{
	uint32_t percentiles = ALARM_MOVED_P50 | ALARM_MOVED_P95 | ALARM_MOVED_P99;

	if ((moved & ALARM_MOVED_FAST_SHARE) && !(moved & ALARM_MOVED_P99))
		return ALARM_CAUSE_CACHE;
	if ((moved & percentiles) == ALARM_MOVED_P50)
		return ALARM_CAUSE_CACHE;
	if ((moved & ALARM_MOVED_P50) && operation == RUN_WRITE && has_other &&
		(others_moved & percentiles) == 0)
		return ALARM_CAUSE_WRITE_CACHE;
	if ((moved & ALARM_MOVED_P50) && (moved & ALARM_MOVED_P95))
		return ALARM_CAUSE_PATH;
	if (!(moved & ALARM_MOVED_P50) && (moved & (ALARM_MOVED_P99 | ALARM_MOVED_MAX)))
		return ALARM_CAUSE_STALLS;
	return ALARM_CAUSE_NONE;
}
