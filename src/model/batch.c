/* SPDX-License-Identifier: Apache-2.0 */
/* Changes in the order in which they were added, each with its own copy of what it writes. */
#include "model/batch.h"

#include "base/buf.h"
#include "model/alarm_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct batch *batch_new(void)
{
	return calloc(1, sizeof(struct batch));
}

struct batch *batch_free(struct batch *batch)
{
	if (!batch)
		return NULL;
	struct change *next = batch->first;
	while (next) {
		struct change *change = next;
		next = change->next;
		free(change->data);
		free(change);
	}
	free(batch);
	return NULL;
}

/* Takes data (malloc'ed, may be NULL) in any case. */
static int add(struct batch *batch, enum change_kind kind, void *data)
{
	struct change *change = data ? malloc(sizeof(*change)) : NULL;

	if (!change) {
		free(data);
		return -ENOMEM;
	}
	*change = (struct change){ .kind = kind, .data = data };
	if (batch->last)
		batch->last->next = change;
	else
		batch->first = change;
	batch->last = change;
	return 0;
}

static void *copy(const void *data, size_t size)
{
	void *copied = malloc(size);

	if (copied)
		memcpy(copied, data, size);
	return copied;
}

int batch_add_run(struct batch *batch, struct run *run)
{
	return add(batch, CHANGE_RUN, run);
}

static bool has_memory(const struct alarm_state *state)
{
	return state->incident_id != 0 || state->last_incident_id != 0 || state->series_count > 0 ||
		state->probe_count > 0;
}

int batch_add_alarm(struct batch *batch, const struct alarm_state *state)
{
	struct buf code = BUF_INIT(ALARM_CODE_MAX);

	if (has_memory(state))
		alarm_code(state, &code);
	struct change_alarm *alarm = code.error < 0 ? NULL : malloc(sizeof(*alarm) + code.len);
	if (alarm) {
		*alarm = (struct change_alarm){
			.incident_id = state->incident_id,
			.incident_opened_usec = state->incident_opened_usec,
			.incident_level = state->incident_level,
			.incident_changes = state->incident_changes,
			.len = code.len,
		};
		memcpy(alarm->repository, state->repository, sizeof(alarm->repository));
		if (code.len > 0)
			memcpy(alarm->code, code.data, code.len);
	}
	buf_done(&code);
	return add(batch, CHANGE_ALARM, alarm);
}

int batch_add_event(struct batch *batch, const struct incident_event *event)
{
	return add(batch, CHANGE_EVENT, copy(event, sizeof(*event)));
}

int batch_add_message(struct batch *batch, const struct message *message)
{
	return add(batch, CHANGE_MESSAGE, copy(message, sizeof(*message)));
}

int batch_add_delivery(struct batch *batch, const char *key, int64_t time_usec)
{
	struct change_mark mark = { .time_usec = time_usec };
	size_t len = strlen(key);

	if (len >= sizeof(mark.key))
		return -ENAMETOOLONG;
	memcpy(mark.key, key, len);
	return add(batch, CHANGE_DELIVERY, copy(&mark, sizeof(mark)));
}

int batch_add_duration(struct batch *batch, int64_t run_id, uint64_t duration_nsec)
{
	struct change_duration duration = { .run_id = run_id, .duration_nsec = duration_nsec };

	return add(batch, CHANGE_DURATION, copy(&duration, sizeof(duration)));
}

int batch_add_first_identity(struct batch *batch, const struct first_identity *first)
{
	return add(batch, CHANGE_FIRST_IDENTITY, copy(first, sizeof(*first)));
}

int batch_add_mute(struct batch *batch, const struct mute *mute)
{
	return add(batch, CHANGE_MUTE, copy(mute, sizeof(*mute)));
}

int batch_add_sample(struct batch *batch, int64_t run_id, enum run_operation operation,
	const void *bytes, size_t len)
{
	struct change_sample sample = { .run_id = run_id, .operation = operation, .len = len };

	if (len > sizeof(sample.bytes))
		return -EMSGSIZE;
	memcpy(sample.bytes, bytes, len);
	return add(batch, CHANGE_SAMPLE, copy(&sample, sizeof(sample)));
}

int batch_add_baseline(struct batch *batch, const struct saved_baseline *baseline)
{
	return add(batch, CHANGE_BASELINE, copy(baseline, sizeof(*baseline)));
}

int batch_add_acknowledgement(struct batch *batch, const struct acknowledgement *acknowledgement)
{
	return add(batch, CHANGE_ACKNOWLEDGEMENT, copy(acknowledgement, sizeof(*acknowledgement)));
}

int batch_add_budget(struct batch *batch, const char *repository, const struct saved_budget *budget)
{
	struct change_budget change = { .budget = *budget };
	size_t len = strlen(repository);

	if (len >= sizeof(change.repository))
		return -ENAMETOOLONG;
	memcpy(change.repository, repository, len);
	return add(batch, CHANGE_BUDGET, copy(&change, sizeof(change)));
}

int batch_add_watched(struct batch *batch, const char *names)
{
	return add(batch, CHANGE_WATCHED, copy(names, strlen(names) + 1));
}

const struct message *batch_message(const struct batch *batch, size_t i)
{
	for (const struct change *c = batch->first; c; c = c->next)
		if (c->kind == CHANGE_MESSAGE && i-- == 0)
			return c->message;
	return NULL;
}

const struct run *batch_run(const struct batch *batch)
{
	for (const struct change *c = batch->first; c; c = c->next)
		if (c->kind == CHANGE_RUN)
			return c->run;
	return NULL;
}

void batch_set_tag(struct batch *batch, uint64_t tag)
{
	batch->tag = tag;
}

uint64_t batch_tag(const struct batch *batch)
{
	return batch->tag;
}

bool batch_is_told(const struct batch *batch)
{
	return batch->is_told;
}
