/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions are outbox.c's and alarm/'s; here they are carried out. */
#include "core/incidents.h"

#include "alarm/alarm.h"
#include "base/buf.h"
#include "base/error.h"
#include "config/mutes.h"
#include "core/core.h"
#include "core/grouping.h"
#include "core/outbox.h"
#include "core/verdict.h"
#include "model/batch.h"
#include "report/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "journal"
#define NAMES_MAX 4096

static bool is_muted(const struct core *core, const char *repository)
{
	return mutes_find(core->mutes, core->config, repository, core->now.usec).mode != MUTE_NONE;
}

/* --- Groups --------------------------------------------------------------- */

/* Who is to be told of what, among all repositories. */
struct members {
	size_t count;
	struct grouping_member list[];
};

static bool has_outage(const struct alarm_state *state)
{
	return alarm_state_level(state, NULL, ALARM_REASON_HANG) != ALARM_NONE ||
		alarm_state_level(state, NULL, ALARM_REASON_NO_DATA) != ALARM_NONE;
}

static void set_owed(struct grouping_member *m, const struct incident_event *event)
{
	m->owed_level = event->level;
	m->owed_usec = event->time_usec;
	m->is_slowness = !m->has_outage && alarm_reason_is_slowness(event->reason);
}

static void set_member(struct core *core, size_t i, struct grouping_member *ret)
{
	const struct present_repository *repository = &core->present->repositories[i];
	const struct alarm_state *state = repository->alarm;
	bool is_quiet = is_muted(core, repository->config->name);

	storage_group_from(&repository->place.identity, &ret->group);
	ret->told_level = state->incident_id != 0 ? state->told_level : ALARM_NONE;
	ret->told_usec = repository->told_usec;
	ret->has_outage = has_outage(state) && !is_quiet;
	if (repository->untold && outbox_is_owed(state, is_quiet))
		set_owed(ret, repository->untold);
}

/* NULL: no memory. */
static struct members *new_members(struct core *core)
{
	size_t count = core->present->repository_count;
	struct members *members = calloc(1, sizeof(*members) + count * sizeof(members->list[0]));

	if (!members)
		return NULL;
	members->count = count;
	for (size_t i = 0; i < count; i++)
		set_member(core, i, &members->list[i]);
	return members;
}

static size_t index_of(const struct core *core, const struct present_repository *repository)
{
	return (size_t)(repository - core->present->repositories);
}

/* Must the event wait for others of its group, for the end of another's outage, or for a moment,
 * because others that wait go with it? 1, 0 or -ENOMEM. A repository that is alone needs no look at
 * all. */
static int must_wait(struct core *core, const struct present_repository *repository,
	const struct incident_event *event)
{
	bool is_news = event->change == INCIDENT_OPENED || event->change == INCIDENT_WORSE;

	if (!repository || !is_news || core->present->repository_count == 1)
		return 0;
	struct members *members = new_members(core);
	if (!members)
		return -ENOMEM;
	size_t self = index_of(core, repository);
	set_owed(&members->list[self], event);
	bool waits = grouping_due_usec(members->list, members->count, self) > core->now.usec;
	for (size_t i = 0; !waits && i < members->count; i++)
		waits = i != self && grouping_joins(members->list, members->count, self, i);
	free(members);
	return waits;
}

/* --- Events --------------------------------------------------------------- */

/* The newest event that nobody was told of, for when nothing holds it back any more. What merely
 * joins says less than what it joined. */
static int hold_back(struct present_repository *repository, const struct incident_event *event,
	enum present_untold why)
{
	if (!repository)
		return 0;
	if (repository->untold && event->change == INCIDENT_JOINED &&
		repository->untold->incident_id == event->incident_id)
		return 0;
	if (!repository->untold)
		repository->untold = malloc(sizeof(*repository->untold));
	if (!repository->untold)
		return -ENOMEM;
	*repository->untold = *event;
	repository->untold_why = why;
	return 0;
}

static void forget_untold(struct present_repository *repository)
{
	free(repository->untold);
	repository->untold = NULL;
}

static int add_message(
	const struct incident_event *event, const struct message_words *words, struct batch *batch)
{
	struct message *message = malloc(sizeof(*message));
	int r = -ENOMEM;

	if (message) {
		report_message(message, CHANNEL, event, words);
		r = batch_add_message(batch, message);
	}
	free(message);
	return r;
}

/* is_told: it will be when the batch is committed. */
static void note_told(struct core *core, struct present_repository *repository, bool is_over)
{
	if (!repository)
		return;
	repository->told_usec = is_over ? 0 : core->now.usec;
	if (is_over)
		forget_untold(repository);
}

static int add_event(struct core *core, struct present_repository *repository,
	struct alarm_state *state, const struct incident_event *event, bool is_quiet,
	struct batch *batch)
{
	static const struct message_words no_words = { .before = NULL };
	bool is_over = event->change == INCIDENT_CLEARED;
	int r = batch_add_event(batch, event);

	if (r >= 0)
		r = must_wait(core, repository, event);
	if (r < 0)
		return r;
	bool is_told = outbox_is_told(state, event, is_quiet || r > 0);
	if (is_told || is_over)
		note_told(core, repository, is_over);
	if (is_told)
		return add_message(event, &no_words, batch);
	return is_over ? 0
		       : hold_back(repository, event,
				 is_quiet ? PRESENT_UNTOLD_MUTED : PRESENT_UNTOLD_WAITS);
}

int incidents_add(struct core *core, struct present_repository *repository,
	struct alarm_state *state, const struct alarm_outcome *outcome, struct batch *batch)
{
	bool is_quiet = is_muted(core, state->repository);
	int r = 0;

	if (state->incident_id == core->next_incident_id)
		core->next_incident_id++;
	if (repository)
		repository->next_check_usec = outcome->next_check_usec;
	for (size_t i = 0; r >= 0 && i < outcome->event_count; i++)
		r = add_event(core, repository, state, &outcome->events[i], is_quiet, batch);
	return r < 0 ? r : batch_add_alarm(batch, state);
}

/* --- What was held back --------------------------------------------------- */

static const char *const late_words[] = {
	[PRESENT_UNTOLD_WAITS] = "",
	[PRESENT_UNTOLD_MUTED] = " (told now: it was muted until now)",
	[PRESENT_UNTOLD_OUTAGE] =
		" (told now: another repository on the same storage did not answer until now)",
};

/* Of all that go into one message, the worst; of equals that which came first. */
static const struct present_repository *choose_first(
	const struct core *core, const bool *joins, size_t self)
{
	const struct present_repository *first = &core->present->repositories[self];

	for (size_t i = 0; i < core->present->repository_count; i++) {
		const struct present_repository *r = &core->present->repositories[i];
		if (joins[i] &&
			(r->untold->level > first->untold->level ||
				(r->untold->level == first->untold->level &&
					r->untold->time_usec < first->untold->time_usec)))
			first = r;
	}
	return first;
}

static void add_names(const struct core *core, const bool *joins,
	const struct present_repository *repository, struct message_group *ret)
{
	if (!repository->untold || !joins[index_of(core, repository)])
		return;
	ret->events[ret->count++] = repository->untold;
}

/* "4 repositories on nas1 are slow: …; ", or nothing for one alone. */
static int write_names(const struct core *core, const struct members *members, const bool *joins,
	size_t self, struct buf *b)
{
	const struct present_repository *first = choose_first(core, joins, self);
	struct message_group names = {
		.events = calloc(members->count, sizeof(const struct incident_event *)),
		.told = grouping_count_told(members->list, members->count, self),
	};

	if (!names.events)
		return -ENOMEM;
	add_names(core, joins, first, &names);
	for (size_t i = 0; i < members->count; i++)
		if (&core->present->repositories[i] != first)
			add_names(core, joins, &core->present->repositories[i], &names);
	if (names.count > 1)
		report_message_group(members->list[self].group.name, &names, b);
	free(names.events);
	return b->error;
}

/* Whatever it was, it is the first that is told of it. */
static void make_first(struct present_repository *repository)
{
	repository->untold->change =
		repository->alarm->told_level == ALARM_NONE ? INCIDENT_OPENED : INCIDENT_WORSE;
}

static int note_all_told(struct core *core, const bool *joins, struct batch *batch)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < core->present->repository_count; i++) {
		struct present_repository *repository = &core->present->repositories[i];
		if (!joins[i])
			continue;
		outbox_note_told(repository->alarm, repository->alarm->incident_level);
		note_told(core, repository, false);
		forget_untold(repository);
		r = batch_add_alarm(batch, repository->alarm);
	}
	return r;
}

/* One message for all of the group that is owed now; and what they know of it, in one transaction.
 */
static int tell_late(
	struct core *core, const struct members *members, size_t self, struct batch *batch)
{
	bool *joins = calloc(members->count, sizeof(*joins));
	struct buf before = BUF_INIT(NAMES_MAX);

	if (!joins)
		return -ENOMEM;
	for (size_t i = 0; i < members->count; i++) {
		joins[i] = grouping_joins(members->list, members->count, self, i);
		if (joins[i])
			make_first(&core->present->repositories[i]);
	}
	const struct present_repository *first = choose_first(core, joins, self);
	int r = write_names(core, members, joins, self, &before);
	const struct message_words words = {
		.before = buf_text(&before),
		.after = late_words[first->untold_why],
	};
	if (r >= 0)
		r = add_message(first->untold, &words, batch);
	if (r >= 0)
		r = note_all_told(core, joins, batch);
	buf_done(&before);
	free(joins);
	return r;
}

static int check(struct core *core, struct present_repository *repository, struct batch *batch)
{
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	int r = -ENOMEM;

	if (outcome) {
		verdict_tick(core, repository, outcome);
		r = incidents_add(core, repository, repository->alarm, outcome, batch);
	}
	free(outcome);
	return r;
}

static void finish(struct core_actions *actions, const struct present_repository *repository, int r,
	struct batch *batch)
{
	if (r >= 0) {
		core_actions_add(actions, batch);
		return;
	}
	batch_free(batch);
	actions->error = r;
	actions->failed = repository->config->name;
}

static void check_silence(
	struct core *core, struct present_repository *repository, struct core_actions *actions)
{
	if (repository->next_check_usec == 0 || core->now.usec < repository->next_check_usec)
		return;
	struct batch *batch = batch_new();
	finish(actions, repository, batch ? check(core, repository, batch) : -ENOMEM, batch);
}

/* What holds its event back now, so that it can be said when it is told. */
static bool is_owed(struct core *core, struct present_repository *repository)
{
	if (!repository->untold || repository->alarm->incident_id == 0)
		return false;
	bool is_quiet = is_muted(core, repository->config->name);
	if (is_quiet)
		repository->untold_why = PRESENT_UNTOLD_MUTED;
	return outbox_is_owed(repository->alarm, is_quiet);
}

/* Is it due? A clock that was set back does not keep it waiting. */
static bool is_due(const struct members *members, struct present_repository *repository,
	size_t self, int64_t now_usec)
{
	if (grouping_find_outage(members->list, members->count, self) < members->count) {
		repository->untold_why = PRESENT_UNTOLD_OUTAGE;
		return false;
	}
	return repository->untold->time_usec > now_usec ||
		now_usec >= grouping_due_usec(members->list, members->count, self);
}

/* True when something was told, or could not be. */
static bool tell_owed(
	struct core *core, const struct members *members, size_t self, struct core_actions *actions)
{
	struct present_repository *repository = &core->present->repositories[self];
	struct batch *batch = NULL;
	int r = -ENOMEM;

	if (members && !is_due(members, repository, self, core->now.usec))
		return false;
	if (members)
		batch = batch_new();
	if (batch)
		r = tell_late(core, members, self, batch);
	finish(actions, repository, r, batch);
	return true;
}

static void tell_all_owed(struct core *core, struct core_actions *actions)
{
	struct members *members = NULL;

	for (size_t i = 0; i < core->present->repository_count; i++) {
		if (!is_owed(core, &core->present->repositories[i]))
			continue;
		if (!members)
			members = new_members(core);
		if (!tell_owed(core, members, i, actions))
			continue;
		free(members);
		members = NULL;
	}
	free(members);
}

void incidents_tick(struct core *core, struct core_actions *actions)
{
	for (size_t i = 0; i < core->present->repository_count; i++)
		check_silence(core, &core->present->repositories[i], actions);
	tell_all_owed(core, actions);
}

int incidents_restore(struct core *core, const struct incident_event *event)
{
	struct present_repository *repository =
		present_find_repository(core->present, event->repository);

	if (!repository || repository->alarm->incident_id != event->incident_id)
		return 0;
	/* It may have been told somewhat later. */
	if (repository->alarm->told_level != ALARM_NONE)
		repository->told_usec = event->time_usec;
	return hold_back(repository, event, PRESENT_UNTOLD_WAITS);
}

int incidents_acknowledge(struct core *core, const char *repository, uint32_t uid, const char *text,
	struct core_actions *actions, struct error *reterr)
{
	struct present_repository *found = present_find_repository(core->present, repository);
	struct acknowledgement acknowledgement = {
		.time_usec = core->now.usec,
		.uid = uid,
	};

	if (!found || found->alarm->incident_id == 0)
		return error_set(reterr, -ENOENT, "%s has no open incident", repository);
	acknowledgement.incident_id = found->alarm->incident_id;
	(void)strncat(acknowledgement.text, text ? text : "", MUTE_REASON_MAX);
	outbox_note_told(found->alarm, found->alarm->incident_level);
	found->alarm->is_acknowledged = true;
	struct batch *batch = batch_new();
	int r = batch ? batch_add_alarm(batch, found->alarm) : -ENOMEM;
	if (r >= 0)
		r = batch_add_acknowledgement(batch, &acknowledgement);
	if (r < 0) {
		batch_free(batch);
		return error_set(reterr, r, "no memory");
	}
	core_actions_add(actions, batch);
	return 0;
}
