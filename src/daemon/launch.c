/* SPDX-License-Identifier: Apache-2.0 */
/* Wires one worker's pidfd, socket and deadline to its life. Every decision is
 * supervise_life_step's; here is only what each action does. */
#include "daemon/launch.h"

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "daemon/sampler.h"
#include "supervise/reading.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct launch {
	struct launch *next;
	struct daemon *d;
	struct supervise_worker worker;
	struct supervise_life life;
	struct run *run; /* NULL once handed to the pipeline */
	struct reading begin; /* counters at the start, where nobody knew yet which to keep */
	int64_t stuck_run_id;
	int64_t stuck_since_usec;
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	sd_event_source *exit_source;
	sd_event_source *socket_source;
	sd_event_source *timer;
	int wait_status;
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

/* The probe may have left the configuration meanwhile: then there is nothing to mark. */
static void mark_probe(struct launch *l, bool is_running, bool has_worker)
{
	struct live_repository *repository = live_find_repository(l->d->live, l->repository);
	struct live_probe *probe = live_find_probe(repository, l->probe);

	if (repository)
		repository->has_worker = has_worker;
	if (!probe)
		return;
	probe->is_running = is_running;
	if (!has_worker)
		probe->stuck_since_usec = 0;
}

static void hand_over(struct launch *l)
{
	struct run *run = l->run;

	l->run = NULL;
	/* What a stuck worker may still say when the kernel lets it go is not asked for. */
	if (l->socket_source)
		(void)sd_event_source_set_enabled(l->socket_source, SD_EVENT_OFF);
	run->duration_nsec = now_nsec(l) - l->life.started_nsec;
	l->stuck_run_id = run->status == RUN_STUCK ? l->d->next_run_id : 0;
	pipeline_finish(l->d, &l->begin, run);
	reading_done(&l->begin);
}

static void declare_stuck(struct launch *l)
{
	struct live_repository *repository = live_find_repository(l->d->live, l->repository);
	struct live_probe *probe = live_find_probe(repository, l->probe);

	mark_probe(l, false, true);
	l->stuck_since_usec = clock_realtime_usec(&l->d->clock);
	if (probe)
		probe->stuck_since_usec = l->stuck_since_usec;
	supervise_explain_stuck(&l->life, now_nsec(l), l->run);
	hand_over(l);
}

static void finish(struct launch *l)
{
	mark_probe(l, false, false);
	if (l->run) {
		if (!l->life.has_result)
			supervise_explain_end(&l->life, l->wait_status, l->run);
		if (!l->d->is_stopping)
			hand_over(l);
	} else if (l->stuck_run_id > 0) {
		pipeline_complete_stuck(
			l->d, l->repository, l->stuck_run_id, now_nsec(l) - l->life.started_nsec);
	}
	launch_unlink(l);
	struct daemon *d = l->d;
	launch_free(l);
	if (d->is_stopping && !d->launches)
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
	(void)sd_event_source_set_time(l->timer, l->life.deadline_nsec / NSEC_PER_USEC);
	(void)sd_event_source_set_enabled(
		l->timer, l->life.deadline_nsec == UINT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
	return true;
}

/* Reads all that is there. Returns false when the launch is gone. */
static bool drain_socket(struct launch *l)
{
	struct job_progress progress;
	struct error error = { 0 };

	for (;;) {
		enum supervise_message message = SUPERVISE_MESSAGE_NONE;
		struct run *into = l->run;
		if (!into)
			return true;
		int r = supervise_receive(&l->worker, &progress, into, &message, &error);
		if (r < 0) {
			run_fail(into, RUN_ERROR, -r, "the worker's answer cannot be read: %s",
				error.text);
			l->life.has_result = true;
			return step(l, SUPERVISE_EVENT_STOP);
		}
		if (message == SUPERVISE_MESSAGE_NONE)
			return true;
		if (message == SUPERVISE_MESSAGE_END) {
			(void)sd_event_source_set_enabled(l->socket_source, SD_EVENT_OFF);
			return true;
		}
		if (!step(l,
			    message == SUPERVISE_MESSAGE_RESULT ? SUPERVISE_EVENT_RESULT
								: SUPERVISE_EVENT_PROGRESS))
			return false;
	}
}

static int on_socket(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)source;
	(void)fd;
	(void)revents;
	(void)drain_socket(data);
	return 0;
}

static int on_ended(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct launch *l = data;

	(void)source;
	(void)fd;
	(void)revents;
	/* The exit may be seen before the result: read that first. */
	if (!drain_socket(l))
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

	if (r >= 0)
		r = sd_event_add_io(
			event, &l->socket_source, l->worker.socket, EPOLLIN, on_socket, l);
	if (r >= 0)
		r = sd_event_add_time(event, &l->timer, CLOCK_MONOTONIC,
			l->life.deadline_nsec / NSEC_PER_USEC, 10 * USEC_PER_MSEC, on_deadline, l);
	return r < 0 ? r : 0;
}

/* Layout may take as long again as the run, but only while the file is not whole. */
static uint64_t limit_usec(
	const struct live_repository *repository, const struct workload *workload)
{
	bool is_whole = repository->file_target_bytes > 0 &&
		repository->file_bytes >= repository->file_target_bytes;

	return workload->timeout_usec * (is_whole ? 1 : 2);
}

static struct job *job_new(
	struct daemon *d, const struct live_repository *repository, const struct live_probe *probe)
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
	job->first_layout_bytes = JOB_FIRST_LAYOUT_BYTES;
	job->growth_bytes = JOB_GROWTH_BYTES;
	job->min_free_bytes = config->min_free_bytes;
	job->min_free_percent = config->min_free_percent;
	job->keep_file = config->keep_file;
	job->deadline_usec = limit_usec(repository, &job->workload);
	return job;
}

static struct launch *launch_new(
	struct daemon *d, const struct live_repository *repository, const struct live_probe *probe)
{
	struct launch *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->d = d;
	l->worker = (struct supervise_worker)SUPERVISE_WORKER_INIT;
	(void)strncat(l->repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(l->probe, probe->config->name, RUN_NAME_MAX);
	l->run = run_new(l->repository, l->probe);
	if (!l->run)
		return launch_free(l);
	l->run->workload = probe->config->workload;
	if (!repository->has_identity)
		sampler_read(d, &l->begin);
	l->run->started_usec = clock_realtime_usec(&d->clock);
	supervise_life_init(&l->life, now_nsec(l),
		limit_usec(repository, &probe->config->workload) * NSEC_PER_USEC, false);
	return l;
}

void launch_start(struct daemon *d, struct live_repository *repository, struct live_probe *probe)
{
	struct launch *l = launch_new(d, repository, probe);
	struct job *job = job_new(d, repository, probe);
	struct error error = { 0 };
	uint64_t late_nsec = clock_monotonic_nsec(&d->clock) - probe->due_nsec;
	int r = -ENOMEM;

	if (!l || !job) {
		log_error("%s: no memory to start a run", repository->config->name);
		goto out;
	}
	l->run->start_delay_usec = late_nsec / NSEC_PER_USEC;
	r = supervise_spawn_from(d->spawner, d->worker_path, job, &l->worker, &error);
	if (r >= 0)
		r = add_sources(l);
	if (r < 0) {
		run_fail(l->run, RUN_ERROR, -r, "no worker could be started: %s", error.text);
		if (l->worker.pidfd >= 0)
			supervise_kill(&l->worker);
		hand_over(l);
		goto out;
	}
	l->next = d->launches;
	d->launches = l;
	mark_probe(l, true, true);
	l = NULL; /* the list owns it */
out:
	free(job);
	launch_free(l);
}

size_t launch_occupied(const struct daemon *d)
{
	size_t count = 0;

	for (const struct launch *l = d->launches; l; l = l->next)
		count += l->life.state == SUPERVISE_RUNNING || l->life.state == SUPERVISE_REPORTED;
	return count;
}

void launch_mark_all(struct daemon *d)
{
	for (struct launch *l = d->launches; l; l = l->next) {
		struct live_repository *repository = live_find_repository(d->live, l->repository);
		struct live_probe *probe = live_find_probe(repository, l->probe);
		mark_probe(l, l->run != NULL, true);
		if (probe)
			probe->stuck_since_usec = l->stuck_since_usec;
	}
}

void launch_kill_all(struct daemon *d)
{
	for (struct launch *l = d->launches; l; l = l->next)
		supervise_kill(&l->worker);
}

void launch_done(struct daemon *d)
{
	while (d->launches) {
		struct launch *l = d->launches;
		d->launches = l->next;
		launch_free(l);
	}
}
