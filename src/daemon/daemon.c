/* SPDX-License-Identifier: Apache-2.0 */
/* Opens everything in order, runs the loop, closes everything in the opposite order. The loop
 * thread makes no call on a repository path, runs no SQL after the start and does not touch the
 * network. */
#include "daemon/daemon.h"

#include "base/fd.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/zone.h"
#include "config/mutes.h"
#include "core/normal.h"
#include "daemon/control.h"
#include "daemon/launch.h"
#include "daemon/normal_query.h"
#include "daemon/pipeline.h"
#include "daemon/question.h"
#include "daemon/record.h"
#include "daemon/reload.h"
#include "daemon/sampler.h"
#include "daemon/stuck.h"
#include "daemon/tend.h"
#include "http/http.h"
#include "notify/notify.h"
#include "store/store.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define GROUP_NAME "repoprobe"
#define NOTIFY_QUEUE_MAX 1024
#define READER_THREADS 2
#define READER_QUEUE_MAX 64
/* Together below two seconds, also when each of them is used up. */
#define STOP_REAP_USEC (500 * USEC_PER_MSEC)
#define STOP_HTTP_NSEC (200 * NSEC_PER_MSEC)
#define STOP_READERS_NSEC (100 * NSEC_PER_MSEC)
#define STOP_NOTES_NSEC (100 * NSEC_PER_MSEC)
#define STOP_NOTIFY_NSEC (200 * NSEC_PER_MSEC)
#define STOP_STORE_NSEC (600 * NSEC_PER_MSEC)
#define STOP_LOG_NSEC (100 * NSEC_PER_MSEC)

/* --- Sources of the loop ------------------------------------------------ */

static int on_due(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	launch_poll(data);
	daemon_dispatch(data);
	return 0;
}

static int on_store(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)source;
	(void)fd;
	(void)revents;
	record_follow(data);
	pipeline_committed(data);
	return 0;
}

static int on_notify(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)source;
	(void)fd;
	(void)revents;
	pipeline_notified(data);
	return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	(void)source;
	(void)info;
	(void)daemon_reload(data, NULL); /* it has logged and shown what was wrong */
	return 0;
}

static int on_stop_limit(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	const struct daemon *d = data;
	return sd_event_exit(d->event, 0);
}

/* Kills the workers and gives the kernel a moment to let them go; then the loop ends either way. */
static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct daemon *d = data;

	(void)source;
	(void)info;
	if (d->is_stopping)
		return 0;
	log_notice("stopping");
	(void)sd_notify(0, "STOPPING=1");
	d->is_stopping = true;
	launch_kill_all(d);
	if (!launch_may_end(d))
		return sd_event_exit(d->event, 0);
	int r = sd_event_add_time_relative(
		d->event, &d->stop_timer, CLOCK_MONOTONIC, STOP_REAP_USEC, 0, on_stop_limit, d);
	return r < 0 ? sd_event_exit(d->event, 0) : 0; /* no limit: no wait */
}

static int on_child(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	(void)source;
	(void)info;
	launch_reap_strangers(data);
	return 0;
}

static int add_sources(struct daemon *d)
{
	sd_event *event = d->event;
	int r = sd_event_add_signal(event, NULL, SIGTERM, on_stop, d);

	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGINT, on_stop, d);
	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGHUP, on_hangup, d);
	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGCHLD, on_child, d);
	if (r >= 0)
		r = sd_event_add_time_relative(
			event, &d->due_timer, CLOCK_MONOTONIC, 0, USEC_PER_MSEC, on_due, d);
	if (r >= 0)
		r = sd_event_add_io(
			event, &d->store_source, store_writer_fd(d->writer), EPOLLIN, on_store, d);
	if (r >= 0)
		r = sd_event_add_io(
			event, &d->notify_source, notifier_fd(d->notifier), EPOLLIN, on_notify, d);
	if (r >= 0)
		r = sampler_start(d);
	if (r >= 0)
		r = tend_start(d);
	if (r >= 0)
		r = sd_event_set_watchdog(event, 1);
	if (r >= 0)
		r = daemon_publish_init(d);
	return r < 0 ? r : 0;
}

/* --- Start and stop ----------------------------------------------------- */

/* Its readers are a group's members; a directory that was there is somebody else's choice. */
static int give_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -errno : fd_set_group(fd, GROUP_NAME);

	fd_close(fd);
	return r;
}

static int open_directories(struct daemon *d, struct error *reterr)
{
	const char *const directories[] = { d->core.config->state_directory,
		d->core.config->runtime_directory };

	for (size_t i = 0; i < 2; i++) {
		bool is_new = access(directories[i], F_OK) < 0;
		int r = fd_make_directories(directories[i], 0750);
		if (r >= 0 && is_new)
			r = give_directory(directories[i]);
		if (r < 0)
			return error_set(
				reterr, r, "%s cannot be made: %s", directories[i], errno_text(-r));
	}
	int n = snprintf(d->database_path, sizeof(d->database_path), "%s/history.db",
		d->core.config->state_directory);
	if (n < 0 || (size_t)n >= sizeof(d->database_path))
		return error_set(reterr, -ENAMETOOLONG, "state_directory %s is too long",
			d->core.config->state_directory);
	return 0;
}

static int open_history(struct daemon *d, struct error *reterr)
{
	int r = notifier_start(NOTIFY_QUEUE_MAX, &d->notifier, reterr);

	if (r >= 0 && pipeline_start(d) < 0)
		r = error_set(reterr, -ENOMEM, "no timer for messages");
	if (r >= 0)
		r = record_open(d, reterr);
	if (r >= 0)
		r = store_pool_open(d->database_path, READER_THREADS, READER_QUEUE_MAX, d->bad_rows,
			&d->pool, reterr);
	if (r >= 0)
		r = questions_start(d, reterr);
	if (r >= 0)
		normal_query_ask(d);
	return r;
}

static int open_http(struct daemon *d, struct error *reterr)
{
	const struct http_settings settings = {
		.listen = (const char *const *)d->core.config->listen,
		.listen_count = d->core.config->listen_count,
		.allowed_hosts = (const char *const *)d->core.config->allowed_hosts,
		.allowed_host_count = d->core.config->allowed_host_count,
		.max_connections = d->core.config->max_connections,
		.pool = d->pool,
		.clock = &d->clock,
	};

	if (settings.listen_count == 0)
		return 0;
	return http_server_start(&settings, &d->http, reterr);
}

/* Without it seasons go by UTC. */
static void open_zone(struct daemon *d)
{
	const struct zone_places places = zone_places_system();
	struct error error = { 0 };

	if (zone_open_local(&places, &d->core.zone, &error) < 0)
		log_warning("local time is not known, UTC is used: %s", error.text);
}

static int open_identity(struct daemon *d, struct error *reterr)
{
	int r = hash_host_id(d->host_id);

	open_zone(d);

	if (r < 0)
		return error_set(
			reterr, r, "this machine cannot be identified: %s", errno_text(-r));
	r = supervise_find_worker(d->worker_path, sizeof(d->worker_path), reterr);
	/* Before the history is opened: workers shall not know its files. */
	return r < 0 ? r : supervise_spawner_start(&d->spawner, reterr);
}

/* Everything that can fail, in the order in which the one needs the other. */
static int (*const opening_steps[])(struct daemon *d, struct error *reterr) = {
	open_identity,
	open_directories,
	open_history,
	stuck_open,
	open_http,
};

static int open_all(struct daemon *d, struct error *reterr)
{
	sigset_t signals;

	/* Blocked before any thread exists, so that only the loop sees them. */
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigaddset(&signals, SIGHUP);
	(void)sigaddset(&signals, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)signal(SIGPIPE, SIG_IGN);

	int r = sd_event_default(&d->event);
	if (r < 0)
		return error_set(reterr, r, "no event loop: %s", errno_text(-r));
	d->core.present = present_new(d->core.config, NULL, clock_monotonic_nsec(&d->clock),
		clock_realtime_usec(&d->clock));
	d->core.mutes = calloc(1, sizeof(*d->core.mutes));
	if (!d->core.present || !d->core.mutes)
		return error_set(reterr, -ENOMEM, "no memory");
	for (size_t i = 0; i < sizeof(opening_steps) / sizeof(opening_steps[0]); i++) {
		r = opening_steps[i](d, reterr);
		if (r < 0)
			return r;
	}
	r = add_sources(d);
	if (r < 0)
		return error_set(reterr, r, "event loop: %s", errno_text(-r));
	return control_open(d, &d->control, reterr);
}

static void drain_store(struct daemon *d)
{
	record_done(d);
	size_t lost = store_writer_close(d->writer, STOP_STORE_NSEC);

	if (lost > 0)
		log_error("%zu results could not be written before the stop", lost);
	d->writer = NULL;
}

static void close_all(struct daemon *d)
{
	d->is_stopping = true;
	d->control = control_close(d->control);
	d->http = http_server_stop(d->http, STOP_HTTP_NSEC);
	d->pool = store_pool_close(d->pool, STOP_READERS_NSEC);
	questions_stop(d);
	stuck_close(d, STOP_NOTES_NSEC);
	launch_done(d);
	d->spawner = supervise_spawner_stop(d->spawner);
	d->notifier = notifier_stop(d->notifier, STOP_NOTIFY_NSEC);
	drain_store(d);
	sd_event_source *const sources[] = { d->due_timer, d->sample_timer, d->tend_timer,
		d->render_timer, d->stop_timer, d->overdue_timer, d->store_source,
		d->notify_source };
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		(void)sd_event_source_disable_unref(sources[i]);
	(void)sd_event_unref(d->event);
	d->bad_rows = store_bad_rows_free(d->bad_rows);
	d->core.present = present_free(d->core.present);
	free(d->core.mutes);
	ledger_done(&d->core.ledger);
	d->core.zone = zone_free(d->core.zone);
	d->core.config = config_free(d->core.config);
}

/* By now the first pages are rendered: who sees these lines can ask for them. */
static void tell_addresses(struct daemon *d)
{
	if (!d->http)
		return;
	if (d->record.is_open)
		http_server_set_ready(d->http, true, "ready");
	else
		http_server_set_ready(d->http, false, "the history is not open yet");
	for (size_t i = 0; http_server_address(d->http, i); i++)
		log_info("dashboard at http://%s/", http_server_address(d->http, i));
}

static int run_loop(struct daemon *d)
{
	record_look_at_place(d);
	tell_addresses(d);
	(void)sd_notify(0, "READY=1");
	log_notice("watching %zu %s", d->core.config->repository_count,
		d->core.config->repository_count == 1 ? "repository" : "repositories");
	reload_log_remarks(d->core.config);
	daemon_changed(d);

	int r = sd_event_loop(d->event);
	if (r < 0)
		log_error("the event loop failed: %s", errno_text(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int daemon_run(const struct daemon_options *options)
{
	struct daemon d = { .options = options, .clock = clock_system(), .is_reload_ok = true };
	struct config_errors errors = { 0 };
	struct error error = { 0 };
	int code = EXIT_FAILURE;

	int r = reload_read(options, &d.core.config, &errors);
	if (r < 0) {
		reload_log_errors(r, &errors);
		code = errors.count > 0 ? EXIT_USAGE : EXIT_FAILURE;
		config_errors_done(&errors);
		return code;
	}
	if (options->is_check) {
		(void)printf(
			"%zu repositories, configuration ok\n", d.core.config->repository_count);
		config_free(d.core.config);
		return EXIT_SUCCESS;
	}
	log_set_level(d.core.config->log_level);
	d.started_usec = clock_realtime_usec(&d.clock);
	d.reload_usec = d.started_usec;
	d.core.listening_usec = d.started_usec;
	r = log_start();
	if (r < 0)
		(void)error_set(&error, r, "no thread for the log: %s", errno_text(-r));
	else
		r = open_all(&d, &error);
	if (r < 0)
		log_error("%s", error.text);
	else
		code = run_loop(&d);
	close_all(&d);
	(void)log_stop(STOP_LOG_NSEC); /* nobody reads what is left */
	return code;
}
