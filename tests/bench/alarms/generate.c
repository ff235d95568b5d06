/* SPDX-License-Identifier: Apache-2.0 */
/* Runs from curves: a run's I/Os are the quantiles of two log-normal distributions (hits and
 * medium) laid into the real histogram with weights, plus a few slow ones. So a run costs some
 * hundred additions instead of thousands, and its percentiles and mean are those of 2000 I/Os. */
#include "generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/workload.h"

#define PHASES 8 /* where in its share of the distribution a quantile is taken */
#define MEDIA_POINTS 128
#define HIT_POINTS 24
#define MEDIA_SIGMA 0.5
#define HIT_SIGMA 0.15
#define TAIL_IOS 20 /* one in a hundred is slow, and carries what the tail adds to the mean */
#define BLOCK_BYTES UINT64_C(524288)
#define STREAM_RUN UINT64_C(0x52554e00000000)

struct curve {
	size_t points;
	double at[PHASES][MEDIA_POINTS]; /* mean 1 */
};

struct generator {
	struct curve media;
	struct curve hits;
};

/* The z that a standard normal is below with this probability, by halving; only for the tables. */
static double normal_quantile(double probability)
{
	double low = -8;
	double high = 8;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (0.5 * erfc(-middle / sqrt(2.0)) < probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static void draw_curve(struct curve *curve, size_t points, double sigma)
{
	curve->points = points;
	for (size_t phase = 0; phase < PHASES; phase++) {
		double sum = 0;
		for (size_t i = 0; i < points; i++) {
			double probability =
				((double)i + ((double)phase + 0.5) / PHASES) / (double)points;
			curve->at[phase][i] = exp(sigma * normal_quantile(probability));
			sum += curve->at[phase][i];
		}
		for (size_t i = 0; i < points; i++)
			curve->at[phase][i] *= (double)points / sum;
	}
}

struct generator *generator_new(void)
{
	struct generator *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	draw_curve(&g->media, MEDIA_POINTS, MEDIA_SIGMA);
	draw_curve(&g->hits, HIT_POINTS, HIT_SIGMA);
	return g;
}

struct generator *generator_free(struct generator *g)
{
	free(g);
	return NULL;
}

struct run *generate_prepare(const struct repository *r)
{
	struct run *run = run_new("", "restore");
	const struct workload_preset *preset = workload_preset_find("restore");

	if (!run || !preset) {
		free(run);
		return NULL;
	}
	static const char digits[] = "0123456789";
	const char name[] = { 'r', digits[r->index / 100 % 10], digits[r->index / 10 % 10],
		digits[r->index % 10], '\0' };
	memcpy(run->repository, name, sizeof(name));
	run->trust = RUN_TRUST_DIRECT;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	run->workload = preset->workload;
	run->workload.file_size_bytes = WORKLOAD_FILE_SIZE_DEFAULT;
	run->file_bytes = WORKLOAD_FILE_SIZE_DEFAULT;
	run->file_target_bytes = WORKLOAD_FILE_SIZE_DEFAULT;
	return run;
}

/* --- Latencies --------------------------------------------------------------- */

static void add_many(struct histogram *h, double msec, uint64_t weight)
{
	uint64_t nsec = msec > 0 ? (uint64_t)(msec * 1e6) : 1;

	if (weight == 0)
		return;
	if (h->count == 0 || nsec < h->min_nsec)
		h->min_nsec = nsec;
	if (nsec > h->max_nsec)
		h->max_nsec = nsec;
	h->count += weight;
	h->sum_nsec += nsec * weight;
	h->sum_squares_nsec2 += (unsigned __int128)nsec * nsec * weight;
	h->buckets[histogram_bucket(nsec)] += weight;
	h->export_buckets[histogram_export_bucket(nsec)] += weight;
}

static void add_curve(struct histogram *h, const struct curve *curve, double mean_msec,
	uint64_t ios, struct chance *c)
{
	const double *at = curve->at[chance_below(c, PHASES)];
	uint64_t laid = 0;
	uint64_t offset = chance_below(c, (uint32_t)curve->points);

	for (size_t i = 0; i < curve->points; i++) {
		/* The rest of the division goes to evenly spaced points, others in each run. */
		uint64_t until = ((i + 1) * ios + offset) / curve->points;
		if (until > ios || i + 1 == curve->points)
			until = ios;
		add_many(h, mean_msec * at[i], until - laid);
		laid = until;
	}
}

static uint64_t binomial(struct chance *c, uint64_t n, double p)
{
	double mean = (double)n * p;
	double drawn = round(mean + chance_normal(c, sqrt(mean * (1 - p))));

	return (uint64_t)fmin(fmax(drawn, 0), (double)n);
}

static uint64_t add_stalls(struct histogram *h, const struct moment *m, struct chance *c)
{
	uint64_t count = 0;

	if (m->spike_stall_nsec > 0) {
		add_many(h, (double)m->spike_stall_nsec / 1e6, 1);
		count++;
	}
	if (m->stall_share > 0 && chance_one_in(c, m->stall_share)) {
		uint64_t stalls = 2 + chance_below(c, 11);
		for (uint64_t i = 0; i < stalls; i++)
			add_many(h, 1e3 * chance_between(c, (struct range){ 2, 9 }), 1);
		count += stalls;
	}
	return count;
}

static void fill_latency(const struct generator *g, const struct repository *r,
	const struct moment *m, double wander, struct chance *c, struct histogram *h)
{
	double load = repository_load_factor(1 - (1 - m->visible) * (1 - m->hidden));
	double scale = m->factor * exp(wander + chance_normal(c, 0.6 * r->noise));
	double hit_msec = r->profile->hit_msec * scale;
	double media_msec = r->media_msec * scale * load;
	double mean_msec = m->hit_share * hit_msec + (1 - m->hit_share) * media_msec;
	double tail_msec = mean_msec * 0.03 * exp(chance_normal(c, 0.8)) * RUN_IOS / TAIL_IOS;
	uint64_t ios = RUN_IOS - TAIL_IOS - add_stalls(h, m, c);
	uint64_t hits = binomial(c, ios, m->hit_share);

	add_many(h, media_msec + tail_msec, TAIL_IOS);
	add_curve(h, &g->hits, hit_msec, hits, c);
	add_curve(h, &g->media, media_msec, ios - hits, c);
}

/* --- The rest of a run ------------------------------------------------------- */

static void fill_iops(struct run *run)
{
	struct run_iops *iops = &run->iops[RUN_READ];
	uint64_t a_second =
		run->measured_nsec == 0 ? 0 : RUN_IOS * UINT64_C(1000000000) / run->measured_nsec;

	iops->seconds = (uint32_t)(run->measured_nsec / 1000000000);
	iops->ios = iops->seconds * a_second;
	iops->squares = iops->seconds * a_second * a_second;
	run->iops[RUN_OPERATIONS] = *iops;
}

static void fill_throughput(const struct repository *r, const struct moment *m, double wander,
	struct chance *c, struct run *run)
{
	struct run_operation_result *o = &run->operations[RUN_READ];
	double load = 1 - (1 - m->visible) * (1 - m->hidden);
	double mb_per_sec = r->mb_per_sec * m->throughput_factor * (1 - 0.7 * load) *
		exp(chance_normal(c, 0.3 * r->noise) - wander / 2);

	o->ios = RUN_IOS;
	o->bytes = RUN_IOS * BLOCK_BYTES;
	run->measured_nsec = (uint64_t)((double)o->bytes / mb_per_sec * 1e3);
	/* No run is shorter than its longest I/O. */
	if (run->measured_nsec < o->latency.max_nsec)
		run->measured_nsec = o->latency.max_nsec;
	o->active_nsec = run->measured_nsec;
	fill_iops(run);
}

/* Completed work of others, as the disk's counters show it; hidden load is on other hosts. */
static void fill_facts(
	const struct repository *r, const struct moment *m, struct chance *c, struct facts *facts)
{
	double work = m->visible * chance_between(c, (struct range){ 0.9, 1.1 }) +
		fmin(chance_exponential(c, 0.02), 0.10);
	double bytes = work * m->throughput_factor * r->mb_per_sec * 1e6;
	double busy = fmin(1, 0.05 + work + m->hidden * 0.2);

	*facts = (struct facts){
		.has_counters = true,
		.others_bytes_per_sec = (uint64_t)bytes,
		.others_ios_per_sec = (uint64_t)bytes / BLOCK_BYTES,
		.interval_nsec = UINT64_C(40000000000),
		.busy_basis_points = (uint32_t)(busy * 10000),
		.request_nsec = (uint64_t)(repository_idle_msec(r) * m->factor * 1e6),
		.has_pressure = true,
		.pressure_some_basis_points = (uint32_t)(busy * 4000),
		.pressure_full_basis_points = (uint32_t)(busy * 2000),
	};
}

void generate_run(
	const struct generator *g, const struct repository *r, int64_t time, struct run *run)
{
	struct chance c = chance_new(r->seed, r->index, STREAM_RUN ^ (uint64_t)time);
	struct moment m = repository_moment(r, time);
	size_t slot = (size_t)((time - repository_slot_time(r, 0)) / r->interval);
	double wander = r->wander[slot < r->slots ? slot : r->slots - 1];
	struct run_operation_result *o = &run->operations[RUN_READ];

	memset(o, 0, sizeof(*o));
	memset(run->iops, 0, sizeof(run->iops));
	run->measured_nsec = 0;
	run->status = RUN_OK;
	run->reason[0] = '\0';
	run->id++;
	fill_facts(r, &m, &c, &run->facts);
	if (m.is_hanging) {
		run_fail(run, RUN_TIMEOUT, 0, "the worker was silent and was killed");
		run->duration_nsec = run->workload.timeout_usec * 1000;
	} else {
		fill_latency(g, r, &m, wander, &c, &o->latency);
		fill_throughput(r, &m, wander, &c, run);
		run->duration_nsec = run->measured_nsec + UINT64_C(5000000);
	}
	run->started_usec = time - (int64_t)(run->duration_nsec / 1000);
}
