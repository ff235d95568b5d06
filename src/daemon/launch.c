/* SPDX-License-Identifier: Apache-2.0 */
/* Wires one worker's pidfd, socket and deadline to its life. Every decision is
 * supervise_life_step's; here is only what each action does. */
#include "daemon/launch.h"

#include "base/log.h"
#include "core/admission.h"
#include "core/exclusion.h"
#include "core/plan.h"
#include "core/seen.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "daemon/sampler.h"
#include "daemon/stuck.h"
#include "supervise/notes.h"
#include "supervise/reading.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MESSAGES_AT_ONCE 16
#define MESSAGES_LEFT 1024 /* more than a socket's buffer holds of one that has ended */

struct launch {
	struct launch *next;
	struct daemon *d;
	struct supervise_worker worker;
	struct supervise_life life;
	struct worker_note note; /* whose it is, and what the next daemon must know of it */
	struct run *run; /* NULL once handed to the pipeline, or of a daemon before us */
	struct supervise_seen seen;
	struct reading begin; /* counters at the start, where nobody knew yet which to keep */
	char path[JOB_PATH_MAX + 1]; /* these three: where it is at work, as known at its start */
	char group[RUN_NAME_MAX + 1];
	struct identity identity;
	sd_event_source *exit_source;
	sd_event_source *socket_source;
	sd_event_source *timer;
	int wait_status;
	bool is_unwatched; /* there is no source for it: it is looked after by the timer */
};

static uint64_t now_nsec(const struct launch *l)
{
	return clock_monotonic_nsec(&l->d->clock);
}

static struct launch *launch_free(struct launch *l)
{
	if (!l)
		return NULL;
	(void)sd_event_source_disable_unref(l->exit_source);
	(void)sd_event_source_disable_unref(l->socket_source);
	(void)sd_event_source_disable_unref(l->timer);
	supervise_close(&l->worker);
	free(l->run);
	reading_done(&l->begin);
	free(l);
	return NULL;
}

static void launch_unlink(struct launch *l)
{
	for (struct launch **at = &l->d->launches; *at; at = &(*at)->next)
		if (*at == l) {
			*at = l->next;
			return;
		}
}

/* Who has the path now on which it is at work. Where an earlier daemon began that, and its
 * repository was not configured then, the path is not known and the name must do. */
static struct present_repository *repository_of(const struct launch *l)
{
	return l->path[0] != '\0' ? present_find_path(l->d->core.present, l->path)
				  : present_find_repository(l->d->core.present, l->note.repository);
}

static struct present_probe *probe_of(const struct launch *l)
{
	return present_find_probe(repository_of(l), l->note.probe);
}

/* The probe may have left the configuration meanwhile: then it cannot run, but a worker that is
 * stuck holds its repository all the same, and the first probe shows it. */
static void mark_probe(struct launch *l, bool is_running, bool has_worker)
{
	struct present_repository *repository = repository_of(l);
	struct present_probe *probe = probe_of(l);

	if (!repository)
		return;
	repository->place.has_worker = has_worker;
	if (probe)
		probe->is_running = is_running;
	for (size_t i = 0; i < repository->probe_count; i++) {
		struct present_probe *each = &repository->probes[i];
		bool is_shown = has_worker && (probe ? each == probe : i == 0);
		each->stuck_since_usec = is_shown ? l->note.stuck_since_usec : 0;
	}
}

static void hand_over(struct launch *l)
{
	struct run *run = l->run;

	l->run = NULL;
	/* What a stuck worker may still say when the kernel lets it go is not asked for. */
	if (l->socket_source)
		(void)sd_event_source_set_enabled(l->socket_source, SD_EVENT_OFF);
	run->duration_nsec = now_nsec(l) - l->life.started_nsec;
	l->note.run_id = run->status == RUN_STUCK ? l->d->core.next_run_id : 0;
	pipeline_finish(l->d, &l->begin, run);
	reading_done(&l->begin);
}

/* One that an earlier daemon started, and that is given up only now, has no run yet. */
static struct run *run_of_adopted(const struct launch *l)
{
	const struct present_probe *probe = probe_of(l);
	struct run *run = probe ? run_new(l->note.repository, l->note.probe) : NULL;

	if (!run)
		return NULL; /* nobody asks for it any more, or no memory: it stays stuck without */
	run->workload = probe->config->workload;
	run->place_key = present_place_key(repository_of(l)->config);
	run->started_usec = l->note.started_usec;
	return run;
}

static void declare_stuck(struct launch *l)
{
	struct present_repository *repository = repository_of(l);

	l->note.stuck_since_usec = clock_realtime_usec(&l->d->clock);
	if (repository)
		l->note.stuck_count = ++repository->place.stuck_count;
	mark_probe(l, false, true);
	if (!l->run)
		l->run = run_of_adopted(l);
	if (l->run) {
		supervise_explain_stuck(&l->life, now_nsec(l), l->run);
		hand_over(l);
	}
	stuck_save(l->d);
}

/* A worker that was stuck is gone. */
static void release(struct launch *l)
{
	struct present_repository *repository = repository_of(l);

	log_notice("%s: the stuck worker is gone", l->note.repository);
	if (repository)
		stuck_begin_pause(repository, now_nsec(l), clock_realtime_usec(&l->d->clock));
	if (l->note.run_id > 0)
		pipeline_complete_stuck(l->d, l->note.repository, l->note.run_id,
			now_nsec(l) - l->life.started_nsec);
}

static bool is_worker(const struct daemon *d, pid_t pid)
{
	for (const struct launch *l = d->launches; l; l = l->next)
		if (l->worker.pid == pid)
			return true;
	return false;
}

/* What stands first may be a worker, which is reaped when its end is seen: then it goes on here. */
void launch_reap_strangers(const struct daemon *d)
{
	pid_t pid;

	while ((pid = supervise_find_ended()) > 0 && !is_worker(d, pid))
		supervise_reap_stranger(pid);
}

static void finish(struct launch *l)
{
	mark_probe(l, false, false);
	if (l->run) {
		if (!l->life.has_result)
			supervise_explain_end(&l->life, &l->seen, l->wait_status, l->run);
		if (!l->d->is_stopping)
			hand_over(l);
	}
	if (l->note.stuck_since_usec > 0)
		release(l);
	launch_unlink(l);
	struct daemon *d = l->d;
	launch_free(l);
	launch_reap_strangers(d);
	stuck_save(d);
	if (d->is_stopping && !launch_may_end(d))
		(void)sd_event_exit(d->event, 0);
	daemon_changed(d);
	daemon_dispatch(d);
}

/* Feeds one event; returns false when the launch is gone. */
static bool step(struct launch *l, enum supervise_event event)
{
	enum supervise_action action = supervise_life_step(&l->life, event, now_nsec(l));

	switch (action) {
	case SUPERVISE_DO_NOTHING:
		break;
	case SUPERVISE_DO_KILL:
		supervise_kill(&l->worker);
		break;
	case SUPERVISE_DO_DECLARE_STUCK:
		declare_stuck(l);
		break;
	case SUPERVISE_DO_FINISH:
		finish(l);
		return false;
	}
	if (action != SUPERVISE_DO_NOTHING)
		daemon_dispatch(l->d); /* a killed worker occupies no slot */
	if (l->timer) {
		(void)sd_event_source_set_time(l->timer, l->life.deadline_nsec / NSEC_PER_USEC);
		(void)sd_event_source_set_enabled(l->timer,
			l->life.deadline_nsec == UINT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
	}
	return true;
}

/* Reads what is there, but no more than that at once: a worker that never stops must not hold the
 * loop, which comes back for the rest. Returns false when the launch is gone. */
static bool drain_socket(struct launch *l, unsigned max_messages)
{
	struct error error = { 0 };

	for (unsigned i = 0; i < max_messages; i++) {
		enum supervise_message message = SUPERVISE_MESSAGE_NONE;
		struct run *into = l->run;
		if (!into)
			return true;
		int r = supervise_receive(&l->worker, &l->seen.progress, into, &message, &error);
		if (r < 0) {
			supervise_explain_rubbish(&l->life, r,
				error.text[0] != '\0' ? error.text : errno_text(-r), into);
			l->life.has_result = true;
			return step(l, SUPERVISE_EVENT_STOP);
		}
		if (message == SUPERVISE_MESSAGE_NONE)
			return true;
		if (message == SUPERVISE_MESSAGE_PROGRESS)
			l->seen.at_nsec = now_nsec(l);
		if (message == SUPERVISE_MESSAGE_END) {
			(void)sd_event_source_set_enabled(l->socket_source, SD_EVENT_OFF);
			return true;
		}
		if (!step(l,
			    message == SUPERVISE_MESSAGE_RESULT ? SUPERVISE_EVENT_RESULT
								: SUPERVISE_EVENT_PROGRESS))
			return false;
	}
	return true;
}

static int on_socket(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)source;
	(void)fd;
	(void)revents;
	(void)drain_socket(data, MESSAGES_AT_ONCE);
	return 0;
}

static int on_ended(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct launch *l = data;

	(void)source;
	(void)fd;
	(void)revents;
	/* The exit may be seen before the result: read that first. */
	if (!drain_socket(l, MESSAGES_LEFT))
		return 0;
	if (supervise_reap(&l->worker, &l->wait_status) == 0)
		(void)step(l, SUPERVISE_EVENT_EXIT);
	return 0;
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	(void)step(data, SUPERVISE_EVENT_TIME);
	return 0;
}

static int add_sources(struct launch *l)
{
	sd_event *event = l->d->event;
	int r = sd_event_add_io(event, &l->exit_source, l->worker.pidfd, EPOLLIN, on_ended, l);

	if (r >= 0 && l->worker.socket >= 0)
		r = sd_event_add_io(
			event, &l->socket_source, l->worker.socket, EPOLLIN, on_socket, l);
	if (r >= 0)
		r = sd_event_add_time(event, &l->timer, CLOCK_MONOTONIC,
			l->life.deadline_nsec / NSEC_PER_USEC, 10 * USEC_PER_MSEC, on_deadline, l);
	if (r >= 0 && l->life.deadline_nsec == UINT64_MAX)
		r = sd_event_source_set_enabled(l->timer, SD_EVENT_OFF);
	return r < 0 ? r : 0;
}

static struct job *job_new(struct daemon *d, const struct present_repository *repository,
	const struct present_probe *probe, const struct admission *admission)
{
	const struct config_repository *config = repository->config;
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	(void)strncat(job->repository_path, config->path, JOB_PATH_MAX);
	(void)strncat(job->probe_directory, config->probe_directory, JOB_PATH_MAX);
	job_file_name(job, d->host_id, geteuid(), false);
	job->workload = probe->config->workload;
	job->file_target_bytes = config->file_target_bytes;
	job->first_layout_bytes = admission->first_layout_bytes;
	job->growth_bytes = admission->growth_bytes;
	job->min_free_bytes = config->min_free_bytes;
	job->min_free_percent = config->min_free_percent;
	job->keep_file = config->keep_file;
	seen_expect(repository, &job->expected);
	job->deadline_usec = job->workload.timeout_usec;
	return job;
}

static struct launch *launch_new(struct daemon *d, const struct present_repository *repository,
	const struct present_probe *probe)
{
	struct launch *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->d = d;
	l->worker = (struct supervise_worker)SUPERVISE_WORKER_INIT;
	(void)strncat(l->note.repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(l->note.probe, probe->config->name, RUN_NAME_MAX);
	l->run = run_new(l->note.repository, l->note.probe);
	(void)strncat(l->path, repository->config->path, JOB_PATH_MAX);
	(void)strncat(l->group, repository->config->group, RUN_NAME_MAX);
	l->identity = repository->place.identity;
	if (!l->run)
		return launch_free(l);
	l->run->workload = probe->config->workload;
	l->run->place_key = present_place_key(repository->config);
	if (!repository->place.has_identity)
		sampler_read(d, &l->begin);
	l->run->started_usec = clock_realtime_usec(&d->clock);
	supervise_life_init(
		&l->life, now_nsec(l), probe->config->workload.timeout_usec * NSEC_PER_USEC);
	l->note.started_usec = l->run->started_usec;
	l->note.started_nsec = l->life.started_nsec;
	l->note.stuck_count = repository->place.stuck_count;
	return l;
}

/* The list owns it from here on. */
static void launch_link(struct launch *l, bool is_running)
{
	struct present_repository *repository = repository_of(l);

	l->next = l->d->launches;
	l->d->launches = l;
	mark_probe(l, is_running, true);
	if (repository)
		repository->place.is_asked =
			false; /* this is the run that was asked for, or a later one */
}

static void note_process(struct launch *l)
{
	l->note.pid = (uint64_t)l->worker.pid;
	if (notes_start_ticks(l->note.pid, &l->note.start_ticks) < 0)
		l->note.pid = 0; /* it has ended already */
}

/* Of a worker whose run has failed already: it is reaped by the timer. */
static void end_unwatched(struct launch *l)
{
	l->is_unwatched = true;
	l->life.has_result = true;
	(void)supervise_life_step(&l->life, SUPERVISE_EVENT_STOP, now_nsec(l));
	supervise_kill(&l->worker);
}

/* Without a source nobody would hear of its end. So it is ended now. */
static void give_up_watching(struct launch *l, int error)
{
	l->is_unwatched = true;
	log_error("%s: a worker cannot be watched: %s", l->note.repository, errno_text(-error));
	if (!l->run)
		return;
	run_fail(l->run, RUN_SKIPPED, 0, "the worker could not be watched: %s", errno_text(-error));
	end_unwatched(l);
}

void launch_start(struct daemon *d, struct present_repository *repository,
	struct present_probe *probe, const struct admission *admission)
{
	struct launch *l = launch_new(d, repository, probe);
	struct job *job = job_new(d, repository, probe, admission);
	struct error error = { 0 };
	uint64_t late_nsec = clock_monotonic_nsec(&d->clock) - plan_due_nsec(probe);
	int r = -ENOMEM;

	if (!l || !job) {
		log_error("%s: no memory to start a run", repository->config->name);
		goto out;
	}
	l->run->reserved_bytes = admission->reserved_bytes;
	l->run->start_delay_usec = late_nsec / NSEC_PER_USEC;
	l->run->is_confirmation = plan_is_confirmation(probe);
	r = supervise_spawn_from(d->spawner, d->worker_path, job, &l->worker, &error);
	if (r < 0)
		run_fail(l->run, RUN_SKIPPED, 0, "no worker could be started: %s", error.text);
	if (l->worker.pid == 0) {
		hand_over(l);
		goto out;
	}
	note_process(l);
	if (r < 0)
		end_unwatched(l);
	else if ((r = add_sources(l)) < 0)
		give_up_watching(l, r);
	launch_link(l, true);
	stuck_save(d);
	l = NULL;
out:
	free(job);
	launch_free(l);
}

void launch_adopt(struct daemon *d, const struct worker_note *note)
{
	struct launch *l = calloc(1, sizeof(*l));

	if (!l) {
		log_error("%s: no memory to wait for the worker of an earlier daemon",
			note->repository);
		return;
	}
	l->d = d;
	l->note = *note;
	const struct present_repository *named =
		present_find_repository(d->core.present, note->repository);
	if (named)
		(void)strncat(l->path, named->config->path, JOB_PATH_MAX);
	l->worker = (struct supervise_worker)SUPERVISE_WORKER_INIT;
	if (notes_adopt(note, &l->worker) < 0) {
		launch_free(l);
		return;
	}
	bool is_stuck = note->stuck_since_usec > 0;
	log_warning("%s: process %d of an earlier daemon is still %s", note->repository,
		l->worker.pid, is_stuck ? "stuck" : "there");
	supervise_life_adopt(&l->life, now_nsec(l), note->started_nsec, is_stuck);
	int r = add_sources(l);
	if (r < 0)
		give_up_watching(l, r);
	launch_link(l, false);
	struct present_repository *repository = repository_of(l);
	if (repository)
		repository->place.stuck_count = note->stuck_count;
}

void launch_note_all(const struct daemon *d, struct buf *b)
{
	for (const struct launch *l = d->launches; l; l = l->next)
		if (l->note.pid > 0)
			worker_note_add(b, &l->note);
}

void launch_poll(struct daemon *d)
{
	struct launch *next;

	for (struct launch *l = d->launches; l; l = next) {
		next = l->next;
		if (!l->is_unwatched)
			continue;
		if (supervise_reap(&l->worker, &l->wait_status) == 0)
			(void)step(l, SUPERVISE_EVENT_EXIT);
		else
			(void)step(l, SUPERVISE_EVENT_TIME);
	}
}

static bool is_occupying(const struct launch *l)
{
	return l->life.state == SUPERVISE_RUNNING || l->life.state == SUPERVISE_REPORTED;
}

size_t launch_occupied(const struct daemon *d)
{
	size_t count = 0;

	for (const struct launch *l = d->launches; l; l = l->next)
		count += is_occupying(l);
	return count;
}

size_t launch_places(const struct daemon *d, struct exclusion_place *ret, size_t max)
{
	size_t count = 0;

	for (const struct launch *l = d->launches; l && count < max; l = l->next)
		if (is_occupying(l))
			ret[count++] = (struct exclusion_place){ .group = l->group,
				.identity = &l->identity };
	return count;
}

void launch_mark_all(struct daemon *d)
{
	for (struct launch *l = d->launches; l; l = l->next)
		mark_probe(l, l->run != NULL, true);
}

void launch_kill_all(struct daemon *d)
{
	for (struct launch *l = d->launches; l; l = l->next)
		supervise_kill(&l->worker);
}

bool launch_may_end(const struct daemon *d)
{
	for (const struct launch *l = d->launches; l; l = l->next)
		if (l->life.state != SUPERVISE_STUCK)
			return true;
	return false;
}

void launch_done(struct daemon *d)
{
	while (d->launches) {
		struct launch *l = d->launches;
		d->launches = l->next;
		launch_free(l);
	}
}
