/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the history into the present, once, when it is open: at the start, or later when that took
 * long. Uses a reader of its own. */
#include "daemon/restore.h"

#include "daemon/daemon.h"
#include "daemon/incidents.h"
#include "daemon/mutes.h"
#include "daemon/pipeline.h"
#include "daemon/seen.h"
#include "notify/notify.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>

static int each_run(void *data, const struct run *run)
{
	return live_restore_run(data, run);
}

/* What left the configuration while no daemon ran is forgotten here. */
static int each_alarm(void *data, const struct alarm_state *state)
{
	struct daemon *d = data;
	struct live_repository *repository = live_find_repository(d->live, state->repository);
	struct alarm_state *gone;
	int r = live_restore_alarm(d->live, state);

	if (r < 0)
		return r;
	if (repository) {
		pipeline_forget(d, repository->alarm, repository->config);
		return 0;
	}
	gone = malloc(sizeof(*gone));
	if (!gone)
		return -ENOMEM;
	*gone = *state;
	pipeline_forget(d, gone, NULL);
	free(gone);
	return 0;
}

static int each_first_identity(void *data, const struct store_first_identity *first)
{
	return seen_restore(data, first);
}

/* Nobody knows whether it went out before the process ended: it counts as tried. */
static int each_message(void *data, const struct message *message)
{
	struct daemon *d = data;
	struct message again = *message;

	if (again.tries == 0)
		again.tries = 1;
	int r = notifier_submit(d->notifier, &again);
	if (r >= 0)
		d->notifications_pending++;
	return r == -ENOBUFS ? 0 : r; /* it stays in the outbox until the next start */
}

static int each_incident(void *data, const struct incident *incident)
{
	return incidents_restore(data, &incident->last_event);
}

/* More than there is room for were never taken in. */
static int each_mute(void *data, const struct mute *mute)
{
	struct daemon *d = data;

	(void)mutes_add(d->mutes, mute, clock_realtime_usec(&d->clock));
	return 0;
}

static int each_budget(void *data, const char *repository, const struct store_budget *budget)
{
	struct daemon *d = data;

	return ledger_restore(&d->ledger, repository, budget, clock_monotonic_nsec(&d->clock),
		clock_realtime_usec(&d->clock));
}

static int read_limits(struct daemon *d, struct store_reader *reader, struct error *reterr)
{
	int r = store_read_first_identities(reader, each_first_identity, d->live, reterr);

	if (r >= 0)
		r = store_read_budgets(reader, each_budget, d, reterr);
	if (r >= 0)
		r = ledger_open(&d->ledger, d->config, clock_monotonic_nsec(&d->clock));
	d->record.is_safe = r >= 0;
	return r;
}

static int read_all(struct daemon *d, struct store_reader *reader, struct error *reterr)
{
	const struct store_run_filter newest = { .is_newest_per_probe = true, .limit = SIZE_MAX };
	const struct store_incident_filter open = {
		.state = STORE_INCIDENTS_OPEN,
		.limit = SIZE_MAX,
	};
	struct store_next_ids ids;
	int r = store_read_next_ids(reader, &ids, reterr);

	if (r < 0)
		return r;
	/* Never back: a new database may have taken the place of one that had higher ones. */
	if (ids.run_id > d->next_run_id)
		d->next_run_id = ids.run_id;
	if (ids.incident_id > d->next_incident_id)
		d->next_incident_id = ids.incident_id;
	if (ids.mute_id > d->next_mute_id)
		d->next_mute_id = ids.mute_id;
	r = store_read_runs(reader, &newest, each_run, d->live, reterr);
	if (r >= 0 && !d->record.is_safe)
		r = read_limits(d, reader, reterr);
	if (r >= 0)
		seen_restore_from_runs(d->live);
	if (r >= 0)
		r = store_read_alarms(reader, each_alarm, d, reterr);
	if (r >= 0)
		r = store_read_mutes(reader, clock_realtime_usec(&d->clock), each_mute, d, reterr);
	if (r >= 0)
		r = store_read_incidents(reader, &open, each_incident, d, reterr);
	if (r >= 0)
		r = store_read_outbox(reader, each_message, d, reterr);
	return r;
}

int restore_limits(struct daemon *d, struct error *reterr)
{
	struct store_reader *reader = NULL;
	int r = store_reader_open_older(d->database_path, &reader, reterr);

	if (r >= 0)
		r = read_limits(d, reader, reterr);
	store_reader_close(reader);
	return r;
}

int restore_history(struct daemon *d, struct error *reterr)
{
	struct store_reader *reader = NULL;
	int r = store_reader_open(d->database_path, &reader, reterr);

	if (r >= 0)
		r = read_all(d, reader, reterr);
	store_reader_close(reader);
	return r;
}
