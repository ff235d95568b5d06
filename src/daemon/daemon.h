/* SPDX-License-Identifier: Apache-2.0 */
/* The loop thread's world. Everything here is touched by that thread alone; other threads are
 * reached through store/, notify/ and http/, which know nothing of this. */
#ifndef REPOPROBE_DAEMON_DAEMON_H
#define REPOPROBE_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/config.h"
#include "core/core.h"
#include "daemon/tend.h"
#include "model/worker_note.h"

struct control;
struct http_server;
struct launch;
struct questions;
struct notifier;
struct record_run;
struct saver;
struct store_bad_rows;
struct store_pool;
struct store_writer;
struct supervise_spawner;

#define DAEMON_PATH_MAX 4096
#define DAEMON_LISTEN_MAX 8
#define DAEMON_REPOSITORIES_MAX 256

/* The command line, parsed; strings are lent from argv. */
struct daemon_options {
	const char *config_path;
	bool is_config_given;
	bool is_foreground; /* for people: a line for each finished run, the dashboard's address */
	bool is_check;
	const char *state_directory;
	bool is_listen_given;
	size_t listen_count;
	const char *listen[DAEMON_LISTEN_MAX];
	size_t repository_count;
	const char *repositories[DAEMON_REPOSITORIES_MAX];
};

/* What the log says of writes that fail. */
struct record_trouble {
	uint64_t since_nsec; /* monotonic; 0: there is none */
	uint64_t committed; /* the store's number at the last look */
	bool is_told;
	bool are_files_told; /* that they are gone, and cannot be put back */
};

/* record.c's. */
struct daemon_record {
	bool is_open;
	bool is_judging; /* what was normal before has been asked for, too: runs are held no more */
	bool is_asked; /* for what was before: a reader thread has the question */
	unsigned failures; /* in a row, to read that */
	bool is_safe; /* repositories as first seen and budgets are known: probes may start */
	struct record_run *first; /* runs that wait for it */
	struct record_run *last;
	size_t held;
	uint64_t lost; /* of them, and for want of memory */
	uint64_t notices; /* of the store that were told */
	struct record_trouble trouble;
	uint64_t begun_anew; /* histories in the place of another whose loss was made up for */
	struct identity place;
};

struct daemon {
	const struct daemon_options *options;
	struct clock clock;
	sd_event *event;
	struct core core;
	struct questions *questions; /* to the history */
	bool is_normal_asked; /* one at a time, for people ask the same threads */
	char worker_path[DAEMON_PATH_MAX];
	char database_path[DAEMON_PATH_MAX];
	char host_id[17];

	struct daemon_record record;
	struct store_bad_rows *bad_rows; /* of the history, that are skipped */
	struct store_writer *writer;
	struct store_pool *pool;
	struct notifier *notifier;
	struct http_server *http;
	struct control *control;

	struct supervise_spawner *spawner;
	struct launch *launches; /* every worker that is not reaped yet */
	struct saver *saver; /* of the file that says which these are */
	int saver_error; /* what the log says of it */
	char boot_id[WORKER_NOTE_BOOT_ID_LEN + 1];
	bool is_stopping;

	int64_t started_usec;
	uint64_t dispatched_nsec; /* monotonic: the last look at what is due */
	uint64_t revision; /* of what is shown */
	uint64_t rendered_revision;
	uint64_t render_usec; /* what the last rendering took */
	bool is_reload_ok;
	int64_t reload_usec;
	struct error reload_error;
	uint64_t notifications;
	uint64_t notification_failures;
	uint64_t notifications_pending;

	bool is_counters_warned; /* that /proc could not be understood has been said */

	sd_event_source *due_timer;
	sd_event_source *sample_timer;
	sd_event_source *tend_timer;
	bool is_tend_failing;
	struct tend_trust tend_trust;
	sd_event_source *render_timer;
	sd_event_source *stop_timer;
	sd_event_source *overdue_timer; /* messages whose commit takes too long */
	sd_event_source *store_source;
	sd_event_source *notify_source;
};

/* daemon.c: opens everything and runs the loop until a signal. Returns the exit code. */
int daemon_run(const struct daemon_options *options);

/* reload.c: reads the configuration anew, all or nothing. On failure the old one stays and *reterr
 * says why.
 */
int daemon_reload(struct daemon *d, struct error *reterr);

/* Reads the clock for what the core is asked next: once for each event. */
void daemon_set_time(struct daemon *d);

/* dispatch.c: starts what is due as far as parallel_runs allows, counts skipped slots, arms the
 * timer. */
void daemon_dispatch(struct daemon *d);
/* Makes a probe due now (NULL: all of the repository). -ENOENT with a sentence. */
int daemon_probe_now(
	struct daemon *d, const char *repository, const char *probe, struct error *reterr);

/* An extra run of a probe, to see whether what was bad still is, beside its schedule; 0: none is
 * wanted (any more). */
void daemon_confirm(struct daemon *d, struct present_probe *probe, int64_t at_usec);

/* publish.c: renders what is shown, soon (changes within a moment are shown together). */
void daemon_changed(struct daemon *d);
/* Renders once, so that there is something to hand out, and goes on by timer. */
int daemon_publish_init(struct daemon *d);

#endif
