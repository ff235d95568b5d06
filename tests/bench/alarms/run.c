/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the simulation: scheduled runs for all, and runs that a detector asked for. */
#include "run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate.h"

#define IDLE_UTILISATION 0.15 /* a person who tunes leaves the backups out */

struct watcher {
	const struct detector *detector;
	void *state;
	struct incident_list list;
	bool is_alarmed;
	int64_t again_at;
	size_t asked_runs;
};

struct samples {
	size_t count;
	double *averages;
	double *p95s;
	double *throughputs;
};

struct scene {
	const struct generator *generator;
	const struct repository *repository;
	struct run *run;
	struct tuning tuning;
	struct samples samples;
	struct watcher watchers[DETECTORS_MAX];
	size_t watcher_count;
};

/* --- One run ----------------------------------------------------------------- */

static void observe_run(
	const struct scene *scene, int64_t time, bool is_scheduled, struct observation *ret)
{
	struct run *run = scene->run;
	const struct run_operation_result *o = &run->operations[RUN_READ];

	generate_run(scene->generator, scene->repository, time, run);
	*ret = (struct observation){
		.time = time,
		.is_scheduled = is_scheduled,
		.run = run,
		.is_dead = !run_status_has_numbers(run->status),
		.tuning = &scene->tuning,
	};
	if (ret->is_dead)
		return;
	ret->average_msec = (double)o->latency.sum_nsec / (double)o->latency.count / 1e6;
	ret->p95_msec = (double)histogram_percentile_nsec(&o->latency, 950000000) / 1e6;
	ret->max_msec = (double)o->latency.max_nsec / 1e6;
	ret->throughput = (double)run_throughput_bytes_per_sec(run, o);
}

static int watch(struct watcher *w, const struct observation *o)
{
	struct verdict verdict = { .is_alarmed = false };
	int r = w->detector->observe(w->state, o, &verdict);

	if (r < 0)
		return r;
	w->again_at = verdict.again_at;
	w->asked_runs += !o->is_scheduled;
	if (verdict.is_alarmed && !w->is_alarmed)
		r = incident_list_add(&w->list, o->time,
			w->detector->explain ? w->detector->explain(w->state) : "");
	else if (w->is_alarmed)
		incident_list_end(&w->list, o->time);
	w->is_alarmed = verdict.is_alarmed;
	return r;
}

/* The runs that a detector asks for before the next scheduled one. */
static int watch_asked(const struct scene *scene, struct watcher *w, int64_t until)
{
	while (w->again_at != 0 && w->again_at < until) {
		struct observation o;
		observe_run(scene, w->again_at, false, &o);
		w->again_at = 0;
		int r = watch(w, &o);
		if (r < 0)
			return r;
	}
	w->again_at = 0;
	return 0;
}

/* --- Tuning by hand ---------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

static void tune(struct scene *scene, const struct observation *o)
{
	struct samples *s = &scene->samples;

	if (scene->tuning.is_known)
		return;
	if (o->time < SIMULATION_BEGIN + SIMULATION_LEARNING) {
		if (o->is_dead ||
			repository_moment(scene->repository, o->time).visible >= IDLE_UTILISATION)
			return;
		s->averages[s->count] = o->average_msec;
		s->p95s[s->count] = o->p95_msec;
		s->throughputs[s->count] = o->throughput;
		s->count++;
	} else if (s->count > 0) {
		scene->tuning = (struct tuning){
			.is_known = true,
			.average_msec = median(s->averages, s->count),
			.p95_msec = median(s->p95s, s->count),
			.throughput = median(s->throughputs, s->count),
		};
	}
}

/* --- One repository ---------------------------------------------------------- */

static int play(struct scene *scene)
{
	const struct repository *repository = scene->repository;

	for (size_t slot = 0; slot < repository->slots; slot++) {
		int64_t time = repository_slot_time(repository, slot);
		struct observation o;

		observe_run(scene, time, true, &o);
		tune(scene, &o);
		for (size_t i = 0; i < scene->watcher_count; i++) {
			int r = watch(&scene->watchers[i], &o);
			if (r < 0)
				return r;
		}
		/* After all have seen it, for the one run's memory is used again. */
		for (size_t i = 0; i < scene->watcher_count; i++) {
			int r = watch_asked(
				scene, &scene->watchers[i], time + repository->interval);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int scene_init(struct scene *scene, const struct simulation *s,
	const struct generator *generator, const struct repository *repository)
{
	*scene = (struct scene){
		.generator = generator,
		.repository = repository,
		.run = generate_prepare(repository),
		.samples = {
			.averages = calloc(repository->slots, sizeof(double)),
			.p95s = calloc(repository->slots, sizeof(double)),
			.throughputs = calloc(repository->slots, sizeof(double)),
		},
	};
	if (!scene->run || !scene->samples.averages || !scene->samples.p95s ||
		!scene->samples.throughputs)
		return -ENOMEM;
	for (size_t i = 0; i < s->detector_count; i++) {
		struct watcher *w = &scene->watchers[scene->watcher_count];
		w->detector = s->detectors[i];
		w->state = w->detector->prepare(w->detector, repository);
		if (!w->state)
			return -ENOMEM;
		scene->watcher_count++;
	}
	return 0;
}

static void scene_done(struct scene *scene)
{
	for (size_t i = 0; i < scene->watcher_count; i++) {
		scene->watchers[i].detector->release(scene->watchers[i].state);
		incident_list_done(&scene->watchers[i].list);
	}
	free(scene->samples.averages);
	free(scene->samples.p95s);
	free(scene->samples.throughputs);
	free(scene->run);
}

static double days_of(int64_t time)
{
	return (double)(time - SIMULATION_BEGIN) / (double)DAY;
}

static void trace(
	const struct repository *r, const struct incident_list *list, const struct score *score)
{
	flockfile(stdout);
	for (size_t i = 0; i < list->count; i++) {
		const struct incident *incident = &list->incidents[i];
		int cause = score_false_cause(r, incident);
		if (cause >= 0)
			printf("false    seed %llu repository %u (%s) day %.3f for %.1f h: %s, %s\n",
				(unsigned long long)r->seed, r->index, r->profile->name,
				days_of(incident->begin),
				(double)(incident->end - incident->begin) / (double)HOUR,
				incident->reason, score_cause_name((enum cause)cause));
	}
	for (size_t i = 0; i < score->episode_count; i++) {
		const struct episode *e = &r->episodes[i];
		const struct episode_score *found = &score->episodes[i];
		printf("%s seed %llu repository %u (%s) day %.3f for %.1f h: %s, factor %.2f, share "
		       "%.2f of %.2f, incidents %zu, delay %.0f min\n",
			found->incidents == 0 ? "missed  " : "found   ",
			(unsigned long long)r->seed, r->index, r->profile->name, days_of(e->begin),
			(double)(e->end - e->begin) / (double)HOUR, episode_type_name(e->type),
			e->factor, e->share, r->hit_share, found->incidents, found->delay_minutes);
	}
	funlockfile(stdout);
}

static int simulate_repository(const struct simulation *s, const struct generator *generator,
	const struct repository *repository, struct score *scores)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	int r = scene ? scene_init(scene, s, generator, repository) : -ENOMEM;

	if (r >= 0)
		r = play(scene);
	for (size_t i = 0; r >= 0 && i < scene->watcher_count; i++) {
		struct watcher *w = &scene->watchers[i];
		incident_list_merge(&w->list);
		score_repository(repository, &w->list, &scores[i]);
		scores[i].asked_runs = w->asked_runs;
		if (w->detector->add_cost)
			w->detector->add_cost(w->state, &scores[i].cost);
		if (s->has_trace && i == 0)
			trace(repository, &w->list, &scores[i]);
	}
	if (scene)
		scene_done(scene);
	free(scene);
	return r;
}

/* --- All of them ------------------------------------------------------------- */

struct crew {
	const struct simulation *simulation;
	const struct generator *generator;
	struct score *scores;
	atomic_size_t next;
	atomic_int error;
};

static void *work(void *argument)
{
	struct crew *crew = argument;
	const struct simulation *s = crew->simulation;
	size_t count = s->seed_count * s->repositories;

	for (size_t i; (i = atomic_fetch_add(&crew->next, 1)) < count;) {
		struct repository *repository = repository_new(s->seeds[i / s->repositories],
			(uint32_t)(i % s->repositories), s->days, s->interval);
		int r = repository ? simulate_repository(s, crew->generator, repository,
					     &crew->scores[i * s->detector_count])
				   : -ENOMEM;
		repository_free(repository);
		if (r < 0)
			atomic_store(&crew->error, r);
	}
	return NULL;
}

#define JOBS_MAX 64

int simulation_run(const struct simulation *s, struct score **ret)
{
	struct generator *generator = generator_new();
	struct crew crew = {
		.simulation = s,
		.generator = generator,
		.scores = calloc(
			s->seed_count * s->repositories * s->detector_count, sizeof(struct score)),
	};
	pthread_t threads[JOBS_MAX];
	unsigned started = 0;

	if (!generator || !crew.scores) {
		crew.error = -ENOMEM;
	} else {
		while (started + 1 < s->jobs && started < JOBS_MAX &&
			pthread_create(&threads[started], NULL, work, &crew) == 0)
			started++;
		work(&crew);
	}
	while (started > 0)
		(void)pthread_join(threads[--started], NULL); /* it was created above */
	generator_free(generator);
	if (crew.error < 0) {
		free(crew.scores);
		return crew.error;
	}
	*ret = crew.scores;
	return 0;
}
