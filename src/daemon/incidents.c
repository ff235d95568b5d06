/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions are outbox.c's and alarm/'s; here they are carried out. */
#include "daemon/incidents.h"

#include "alarm/alarm.h"
#include "base/error.h"
#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/mutes.h"
#include "daemon/outbox.h"
#include "daemon/pipeline.h"
#include "daemon/verdict.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "journal"

static bool is_muted(const struct daemon *d, const char *repository)
{
	return mutes_find(d->mutes, d->config, repository, clock_realtime_usec(&d->clock)).mode !=
		MUTE_NONE;
}

/* The newest event that nobody was told of, for the end of the mute. */
static int hold_back(struct live_repository *repository, const struct incident_event *event)
{
	if (!repository)
		return 0;
	if (!repository->untold)
		repository->untold = malloc(sizeof(*repository->untold));
	if (!repository->untold)
		return -ENOMEM;
	*repository->untold = *event;
	return 0;
}

static int add_message(const struct incident_event *event, bool is_late, struct store_batch *batch)
{
	struct message *message = malloc(sizeof(*message));
	int r = -ENOMEM;

	if (message) {
		outbox_write(message, CHANNEL, event, is_late);
		r = store_batch_add_message(batch, message);
	}
	free(message);
	return r;
}

static int add_event(struct live_repository *repository, struct alarm_state *state,
	const struct incident_event *event, bool is_quiet, struct store_batch *batch)
{
	int r = store_batch_add_event(batch, event);

	if (r < 0)
		return r;
	if (outbox_is_told(state, event, is_quiet))
		return add_message(event, false, batch);
	return event->change == INCIDENT_CLEARED ? 0 : hold_back(repository, event);
}

int incidents_add(struct daemon *d, struct live_repository *repository, struct alarm_state *state,
	const struct alarm_outcome *outcome, struct store_batch *batch)
{
	bool is_quiet = is_muted(d, state->repository);
	int r = 0;

	if (state->incident_id == d->next_incident_id)
		d->next_incident_id++;
	if (repository)
		repository->next_check_usec = outcome->next_check_usec;
	for (size_t i = 0; r >= 0 && i < outcome->event_count; i++)
		r = add_event(repository, state, &outcome->events[i], is_quiet, batch);
	return r < 0 ? r : store_batch_add_alarm(batch, state);
}

static int tell_late(struct live_repository *repository, struct store_batch *batch)
{
	struct alarm_state *state = repository->alarm;

	/* Whatever it was, it is the first that is told of it. */
	repository->untold->change =
		state->told_level == ALARM_NONE ? INCIDENT_OPENED : INCIDENT_WORSE;
	int r = add_message(repository->untold, true, batch);

	outbox_note_told(state, state->incident_level);
	free(repository->untold);
	repository->untold = NULL;
	return r < 0 ? r : store_batch_add_alarm(batch, state);
}

static int check(struct daemon *d, struct live_repository *repository, struct store_batch *batch)
{
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	int r = -ENOMEM;

	if (outcome) {
		verdict_tick(d, repository, outcome);
		r = incidents_add(d, repository, repository->alarm, outcome, batch);
	}
	free(outcome);
	return r;
}

static void tick(struct daemon *d, struct live_repository *repository, int64_t now_usec)
{
	bool is_due = repository->next_check_usec != 0 && now_usec >= repository->next_check_usec;
	bool is_owed = repository->untold && repository->alarm->incident_id != 0 &&
		outbox_is_owed(repository->alarm, is_muted(d, repository->config->name));
	struct store_batch *batch = is_due || is_owed ? store_batch_new() : NULL;
	int r = batch ? 0 : -ENOMEM;

	if (!is_due && !is_owed)
		return;
	if (r >= 0 && is_owed)
		r = tell_late(repository, batch);
	if (r >= 0 && is_due)
		r = check(d, repository, batch);
	if (r < 0) {
		log_error("%s: the alarm could not be looked at: %s", repository->config->name,
			errno_text(-r));
		store_batch_free(batch);
		return;
	}
	pipeline_submit(d, batch);
	daemon_changed(d);
}

void incidents_tick(struct daemon *d)
{
	int64_t now_usec = clock_realtime_usec(&d->clock);

	for (size_t i = 0; i < d->live->repository_count; i++)
		tick(d, &d->live->repositories[i], now_usec);
}

int incidents_restore(struct daemon *d, const struct incident_event *event)
{
	struct live_repository *repository = live_find_repository(d->live, event->repository);

	if (!repository || repository->alarm->incident_id != event->incident_id)
		return 0;
	return hold_back(repository, event);
}

int incidents_acknowledge(struct daemon *d, const char *repository, uint32_t uid, const char *text,
	struct error *reterr)
{
	struct live_repository *found = live_find_repository(d->live, repository);
	struct store_acknowledgement acknowledgement = {
		.time_usec = clock_realtime_usec(&d->clock),
		.uid = uid,
	};

	if (!found || found->alarm->incident_id == 0)
		return error_set(reterr, -ENOENT, "%s has no open incident", repository);
	acknowledgement.incident_id = found->alarm->incident_id;
	(void)strncat(acknowledgement.text, text ? text : "", MUTE_REASON_MAX);
	outbox_note_told(found->alarm, found->alarm->incident_level);
	found->alarm->is_acknowledged = true;
	struct store_batch *batch = store_batch_new();
	int r = batch ? store_batch_add_alarm(batch, found->alarm) : -ENOMEM;
	if (r >= 0)
		r = store_batch_add_acknowledgement(batch, &acknowledgement);
	if (r < 0) {
		store_batch_free(batch);
		return error_set(reterr, r, "no memory");
	}
	pipeline_submit(d, batch);
	daemon_changed(d);
	return 0;
}
