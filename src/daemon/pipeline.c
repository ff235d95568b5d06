/* SPDX-License-Identifier: Apache-2.0 */
/* run -> facts -> present state -> alarm -> store -> notify. Nothing here waits: the store and the
 * notifier are threads behind queues. A message leaves when the transaction that caused it is
 * committed; when that takes too long (a full or dead disk, a lock) it leaves before, under the
 * same key. */
#include "daemon/pipeline.h"

#include "alarm/alarm.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/parse.h"
#include "config/mutes.h"
#include "core/incidents.h"
#include "core/plan.h"
#include "core/seen.h"
#include "core/verdict.h"
#include "daemon/daemon.h"
#include "daemon/record.h"
#include "daemon/sampler.h"
#include "model/message.h"
#include "notify/notify.h"
#include "report/report.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERDUE_NSEC (10 * NSEC_PER_SEC)
#define OVERDUE_AGAIN_USEC USEC_PER_SEC
#define WATCHED_MAX (1 << 20) /* names of repositories */

/* What keeps a run from beginning stays as it is until somebody does something: it is told once, by
 * its status and, where that has many reasons, its sentence. 0: nothing of that kind. */
static uint64_t refusal_of(const struct run *run)
{
	switch (run->status) {
	case RUN_NOT_MOUNTED:
	case RUN_WRONG_TARGET:
	case RUN_READ_ONLY:
	case RUN_NO_SPACE:
		return (uint64_t)run->status;
	case RUN_REFUSED:
		return hash_text(run->reason);
	case RUN_SKIPPED:
		return run_is_own_trouble(run) ? hash_text(run->reason) : 0;
	case RUN_OK:
	case RUN_ERROR:
	case RUN_STALLED:
	case RUN_TIMEOUT:
	case RUN_STUCK:
		break;
	}
	return 0;
}

/* One line a run: for people in the foreground, for debugging otherwise. */
static enum log_level level_of_run(
	const struct daemon *d, struct present_repository *repository, const struct run *run)
{
	enum log_level usual = d->options->is_foreground ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG;
	uint64_t refusal = refusal_of(run);

	if (!repository || (run->status == RUN_SKIPPED && !run_is_own_trouble(run)))
		return usual;
	bool is_told = refusal != 0 && refusal == repository->place.told_refusal;
	repository->place.told_refusal = refusal;
	if (is_told)
		return LOG_LEVEL_DEBUG;
	return refusal != 0 ? LOG_LEVEL_WARNING : usual;
}

static void log_run(
	const struct daemon *d, struct present_repository *repository, const struct run *run)
{
	struct buf line = BUF_INIT(1024);

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct run_operation_result *o = &run->operations[i];
		if (o->latency.count == 0)
			continue;
		buf_printf(&line, ", %s ", run_operation_name((enum run_operation)i));
		format_latency(&line, histogram_mean_nsec(&o->latency));
		buf_add_text(&line, " on average, ");
		format_size_rounded(&line, run_throughput_bytes_per_sec(run, o));
		buf_add_text(&line, "/s");
	}
	if (run->reason[0] != '\0')
		buf_printf(&line, ": %s", run->reason);
	log_line(level_of_run(d, repository, run), "%s/%s: %s%s", run->repository, run->probe,
		run_status_name(run->status), buf_text(&line));
	buf_done(&line);
}

/* Once for each repository: a worker left io_uring, which is the default, because it must. */
static void log_engine(struct present_repository *repository, const struct run *run)
{
	if (!run_had_no_uring(run) || !repository || repository->place.has_told_engine)
		return;
	repository->place.has_told_engine = true;
	log_notice("%s: io_uring is not available; a thread for each I/O is used instead "
		   "(engine = threads selects this)",
		run->repository);
}

/* Once for each: links and mounts show only where they lead. */
static void log_twin(struct present *present, struct present_repository *repository)
{
	for (size_t i = 0; repository && i < present->repository_count; i++) {
		struct present_repository *other = &present->repositories[i];
		if (other == repository || repository->place.has_told_twin ||
			!identity_is_same_directory(
				&repository->place.identity, &other->place.identity))
			continue;
		repository->place.has_told_twin = other->place.has_told_twin = true;
		log_warning("repositories %s and %s are one directory: %s and %s lead to it; they "
			    "are never probed at once; remove one from the configuration",
			other->config->name, repository->config->name, other->config->path,
			repository->config->path);
	}
}

/* How large the file was to be before this run: as configured, or else as it was said to grow. */
static uint64_t wanted_file_bytes(const struct present_repository *repository)
{
	uint64_t chosen_bytes = repository->config->file_target_bytes;

	return chosen_bytes > 0 ? chosen_bytes : repository->place.file_target_bytes;
}

/* Once, for what is taken in then is the size that it stays at. */
static void log_file(const struct present_repository *repository, const struct run *run)
{
	struct buf kept = BUF_INIT(64);
	struct buf wanted = BUF_INIT(64);

	if (!repository || run->file_bytes == 0 || run->file_bytes < run->file_target_bytes ||
		run->file_bytes >= wanted_file_bytes(repository) ||
		run->file_target_bytes == repository->place.file_target_bytes)
		return;
	format_size_rounded(&kept, run->file_bytes);
	format_size_rounded(&wanted, wanted_file_bytes(repository));
	log_notice(
		"%s: the probe file stays at %s instead of %s: it did not become whole within an "
		"hour, or there is no room for more; runs are judged on it as it is, and when it "
		"is removed it grows anew",
		run->repository, buf_text(&kept), buf_text(&wanted));
	buf_done(&wanted);
	buf_done(&kept);
}

/* Judges the run and moves the repository's alarm state on. */
static int judge(struct daemon *d, struct present_repository *repository,
	struct present_probe *probe, const struct run *run, struct alarm_outcome *outcome)
{
	int r = verdict_take(&d->core, repository, probe, run, outcome);

	if (r >= 0 && run->status != RUN_SKIPPED)
		daemon_confirm(d, probe, outcome->confirm_at_usec);
	return r;
}

/* What came of it: behind the run, which these rows refer to. */
static int keep_verdict(struct daemon *d, struct present_repository *repository,
	struct present_probe *probe, const struct run *run, const struct alarm_outcome *outcome,
	struct batch *batch)
{
	int r = incidents_add(&d->core, repository, repository->alarm, outcome, batch);

	return r < 0 ? r
		     : normal_learn(repository, probe, run, outcome, clock_realtime_usec(&d->clock),
			       batch);
}

static int note_first_identity(
	struct present_repository *repository, const struct run *run, struct batch *batch)
{
	struct first_identity first;

	if (!seen_note(repository, run))
		return 0;
	seen_to_store(repository, &first);
	return batch_add_first_identity(batch, &first);
}

static int add_budget(struct daemon *d, struct ledger_account *account, struct batch *batch)
{
	struct saved_budget budget;

	if (account->budget.day_bytes == 0)
		return 0;
	ledger_save(
		account, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock), &budget);
	return batch_add_budget(batch, account->repository, &budget);
}

/* Also of a repository that left the configuration meanwhile. */
static int settle(struct daemon *d, const struct run *run, struct batch *batch)
{
	struct ledger_account *account = ledger_find(&d->core.ledger, run->repository);

	if (!account || (run->status == RUN_SKIPPED && run->reserved_bytes == 0))
		return 0;
	ledger_settle(account, run);
	return add_budget(d, account, batch);
}

void pipeline_submit(struct daemon *d, struct batch *batch)
{
	bool has_message = batch_message(batch, 0) != NULL;

	batch_set_tag(batch, clock_monotonic_nsec(&d->clock));
	if (store_writer_submit(d->writer, batch) == -ENOBUFS)
		log_error(
			"the history cannot be written and its queue is full: the oldest result is lost");
	if (!has_message || sd_event_source_get_enabled(d->overdue_timer, NULL) > 0)
		return;
	(void)sd_event_source_set_time_relative(d->overdue_timer, OVERDUE_NSEC / NSEC_PER_USEC);
	(void)sd_event_source_set_enabled(d->overdue_timer, SD_EVENT_ONESHOT);
}

void pipeline_act(struct daemon *d, struct core_actions *actions)
{
	struct batch *batch;

	while ((batch = core_actions_take(actions)) != NULL)
		pipeline_submit(d, batch);
	if (actions->error < 0)
		log_error("%s: the alarm could not be updated: %s", actions->failed,
			errno_text(-actions->error));
	if (actions->is_changed)
		daemon_changed(d);
}

/* What happened on its disk meanwhile. A run that did not take place says nothing of that. */
static void observe(struct daemon *d, struct present_repository *repository,
	const struct reading *begin, struct run *run)
{
	if (run->status != RUN_SKIPPED)
		sampler_conclude(d, repository, begin, run);
}

/* What follows from a run is kept as a whole or not at all: an incident that opened in memory alone
 * would never be told. The next run is judged as if this one had not been. */
static void take_back(struct daemon *d, struct present_repository *repository,
	const struct alarm_state *before, int r)
{
	if (repository && before)
		*repository->alarm = *before;
	log_error("a run's result could not be kept: %s", errno_text(-r));
	d->record.lost++;
}

static struct alarm_state *copy_alarm(const struct alarm_state *state)
{
	struct alarm_state *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *state;
	return copy;
}

void pipeline_keep(struct daemon *d, struct run *run)
{
	struct present_repository *repository = present_find_repository_of(d->core.present, run);
	struct present_probe *probe = present_find_probe(repository, run->probe);
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	struct alarm_state *before = repository ? copy_alarm(repository->alarm) : NULL;
	struct batch *batch = batch_new();
	int r = batch && outcome && (before || !repository) ? 0 : -ENOMEM;
	bool is_taken = false;

	daemon_set_time(d);
	if (run->id == 0) {
		run->id = d->core.next_run_id++;
		if (probe)
			present_number_run(probe, run);
	}
	if (r >= 0)
		r = settle(d, run, batch);
	if (r >= 0 && repository && probe)
		r = judge(d, repository, probe, run, outcome);
	if (r >= 0 && repository)
		r = note_first_identity(repository, run, batch);
	if (r >= 0) {
		r = batch_add_run(batch, run);
		run = r >= 0 ? run : NULL; /* taken, also on failure */
		is_taken = true;
	}
	if (r >= 0 && repository && probe)
		r = keep_verdict(d, repository, probe, run, outcome, batch);
	if (r >= 0) {
		pipeline_submit(d, batch);
		batch = NULL;
	} else {
		take_back(d, repository, before, r);
	}
	if (!is_taken)
		free(run);
	free(before);
	free(outcome);
	batch_free(batch);
}

void pipeline_finish(struct daemon *d, const struct reading *begin, struct run *run)
{
	struct present_repository *repository = present_find_repository_of(d->core.present, run);
	struct present_probe *probe = present_find_probe(repository, run->probe);

	if (d->record.is_judging)
		run->id = d->core.next_run_id++;
	log_run(d, repository, run);
	observe(d, repository, begin, run);
	log_engine(repository, run);
	log_file(repository, run);
	if (probe && present_add_run(repository, probe, run) < 0)
		log_error("a run's result could not be shown: no memory");
	record_compare_place(d, repository);
	log_twin(d->core.present, repository);
	if (probe && run->skip == RUN_SKIP_IN_USE)
		plan_retry_in_use(
			probe, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock));
	if (!record_hold(d, run))
		pipeline_keep(d, run);
	daemon_changed(d);
}

void pipeline_reserve(struct daemon *d, const char *repository, uint64_t bytes)
{
	struct ledger_account *account = ledger_find(&d->core.ledger, repository);
	struct batch *batch = account && bytes > 0 ? batch_new() : NULL;

	if (!account || bytes == 0)
		return;
	ledger_reserve(account, bytes);
	if (!batch || add_budget(d, account, batch) < 0) {
		log_error("%s: what a run may write could not be kept: no memory", repository);
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
}

void pipeline_complete_stuck(
	struct daemon *d, const char *repository, int64_t run_id, uint64_t duration_nsec)
{
	struct batch *batch = batch_new();

	sampler_note_release(d, repository);
	if (!batch || batch_add_duration(batch, run_id, duration_nsec) < 0) {
		log_error(
			"the duration of run %lld could not be kept: no memory", (long long)run_id);
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
}

void pipeline_note_watched(struct daemon *d)
{
	struct buf names = BUF_INIT(WATCHED_MAX);
	struct batch *batch = batch_new();

	for (size_t i = 0; i < d->core.config->repository_count; i++)
		buf_printf(&names, "\n%s", d->core.config->repositories[i].name);
	buf_add_char(&names, '\n');
	if (!batch || names.error < 0 || batch_add_watched(batch, buf_text(&names)) < 0) {
		log_error("which repositories are watched could not be kept: no memory");
		batch_free(batch);
	} else {
		pipeline_submit(d, batch);
	}
	buf_done(&names);
}

static bool is_gone(const char *probe, const struct config_repository *repository)
{
	return !config_find_probe(repository, probe);
}

/* A probe that the repository no longer has, of which something is remembered; or NULL. */
static const char *find_gone(
	const struct alarm_state *alarm, const struct config_repository *repository)
{
	for (size_t i = 0; i < alarm->probe_count; i++)
		if (is_gone(alarm->probes[i].probe, repository))
			return alarm->probes[i].probe;
	for (size_t i = 0; i < alarm->series_count; i++)
		if (is_gone(alarm->series[i].probe, repository))
			return alarm->series[i].probe;
	return NULL;
}

static int forget_gone(struct daemon *d, struct alarm_state *alarm,
	const struct config_repository *repository, struct batch *batch)
{
	struct present_repository *present =
		present_find_repository(d->core.present, repository->name);
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	char probe[RUN_NAME_MAX + 1] = "";
	const char *gone;
	int r = outcome ? 0 : -ENOMEM;

	while (r >= 0 && (gone = find_gone(alarm, repository)) != NULL) {
		(void)snprintf(probe, sizeof(probe), "%s", gone); /* it is in what is forgotten */
		alarm_forget_probe(alarm, probe, clock_realtime_usec(&d->clock), outcome);
		r = incidents_add(&d->core, present, alarm, outcome, batch);
	}
	free(outcome);
	return r;
}

static int forget_all(struct daemon *d, struct alarm_state *alarm, struct batch *batch)
{
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	int r = -ENOMEM;

	if (outcome) {
		alarm_forget_repository(alarm, clock_realtime_usec(&d->clock), outcome);
		r = incidents_add(&d->core, NULL, alarm, outcome, batch);
	}
	free(outcome);
	return r;
}

static bool is_empty(const struct alarm_state *alarm)
{
	return alarm->incident_id == 0 && alarm->probe_count == 0 && alarm->series_count == 0;
}

void pipeline_forget(
	struct daemon *d, struct alarm_state *alarm, const struct config_repository *repository)
{
	if (repository ? !find_gone(alarm, repository) : is_empty(alarm))
		return;
	daemon_set_time(d);
	struct batch *batch = batch_new();
	int r = -ENOMEM;
	if (batch)
		r = repository ? forget_gone(d, alarm, repository, batch)
			       : forget_all(d, alarm, batch);
	if (r < 0) {
		log_error("%s: the alarm of what is gone could not be ended: %s", alarm->repository,
			errno_text(-r));
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
}

void pipeline_keep_mute(struct daemon *d, const struct mute *mute)
{
	struct batch *batch = batch_new();

	if (!batch || batch_add_mute(batch, mute) < 0) {
		log_error("a mute will be forgotten at the next start: no memory");
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
}

static int add_repository(struct present_repository *repository, struct batch *batch)
{
	struct first_identity first;
	int r = batch_add_alarm(batch, repository->alarm);

	if (r >= 0 && repository->place.seen.is_set) {
		seen_to_store(repository, &first);
		r = batch_add_first_identity(batch, &first);
		repository->place.is_seen_stored = true;
	}
	for (size_t i = 0; r >= 0 && i < repository->probe_count; i++)
		if (repository->probes[i].normal.is_read)
			r = normal_keep(repository, &repository->probes[i], batch);
	return r;
}

void pipeline_keep_present(struct daemon *d)
{
	struct batch *batch = batch_new();
	int r = batch ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < d->core.present->repository_count; i++)
		r = add_repository(&d->core.present->repositories[i], batch);
	for (size_t i = 0; r >= 0 && i < d->core.ledger.count; i++)
		r = add_budget(d, &d->core.ledger.accounts[i], batch);
	for (size_t i = 0; r >= 0 && i < d->core.mutes->count; i++)
		r = batch_add_mute(batch, &d->core.mutes->items[i]);
	if (r < 0) {
		log_error("what is known at present could not be kept in the new history: %s",
			errno_text(-r));
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
	pipeline_note_watched(d);
}

static void send_message(void *data, const struct message *message)
{
	struct daemon *d = data;
	int r = notifier_submit(d->notifier, message);

	if (r < 0)
		log_error("message %s waits in the outbox: %s", message->key, errno_text(-r));
	else
		d->notifications_pending++;
}

static void send_messages(struct daemon *d, const struct batch *batch)
{
	const struct message *message;

	if (batch_is_told(batch))
		return;
	for (size_t i = 0; (message = batch_message(batch, i)) != NULL; i++)
		send_message(d, message);
}

/* The mark of its delivery waits in the same queue behind the message. */
static int on_overdue(sd_event_source *source, uint64_t usec, void *data)
{
	struct daemon *d = data;
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);

	(void)usec;
	if (now_nsec <= OVERDUE_NSEC ||
		!store_writer_tell(d->writer, now_nsec - OVERDUE_NSEC, send_message, d))
		return 0;
	(void)sd_event_source_set_time_relative(source, OVERDUE_AGAIN_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int pipeline_start(struct daemon *d)
{
	int r = sd_event_add_time_relative(
		d->event, &d->overdue_timer, CLOCK_MONOTONIC, UINT64_MAX / 4, 0, on_overdue, d);

	return r < 0 ? r : sd_event_source_set_enabled(d->overdue_timer, SD_EVENT_OFF);
}

void pipeline_committed(struct daemon *d)
{
	int error = 0;
	struct batch *batch;

	while ((batch = store_writer_take(d->writer, &error)) != NULL) {
		if (error < 0 && error != -ENOBUFS) /* which was said when it was given up */
			log_error("a result could not be written to the history and is lost: %s",
				errno_text(-error));
		send_messages(d, batch);
		batch_free(batch);
	}
	daemon_changed(d);
}

static void mark_delivered(struct daemon *d, const char *key)
{
	struct batch *batch = batch_new();

	if (!batch || batch_add_delivery(batch, key, clock_realtime_usec(&d->clock)) < 0) {
		log_error("message %s could not be marked as delivered: no memory", key);
		batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
}

void pipeline_notified(struct daemon *d)
{
	struct notify_result result;

	while (notifier_take(d->notifier, &result) == 0) {
		d->notifications_pending--;
		if (result.error < 0) {
			d->notification_failures++;
			log_error("message %s was not delivered: %s", result.key,
				errno_text(-result.error));
			continue;
		}
		d->notifications++;
		mark_delivered(d, result.key);
	}
	daemon_changed(d);
}
