/* SPDX-License-Identifier: Apache-2.0 */
/* A batch: changes of the history that are committed together or not at all, in the order in which
 * they were added. Plain values; who writes them is store/. */
#ifndef REPOPROBE_MODEL_BATCH_H
#define REPOPROBE_MODEL_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/alarm_state.h"
#include "model/message.h"
#include "model/mute.h"
#include "model/run.h"

/* What a repository was when it was first seen, in place of what is recorded of that. */
struct first_identity {
	char repository[RUN_NAME_MAX + 1];
	int64_t wanted; /* stands for the configuration that it holds for */
	struct identity_seen seen;
};

/* What may still be written to a repository, as of an instant. */
struct saved_budget {
	uint64_t day_bytes;
	int64_t level_bytes;
	int64_t saved_usec;
};

/* What outlives the samples of a series. */
struct saved_baseline {
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	char key[WORKLOAD_SERIES_KEY_MAX + 1]; /* workload_series_key's */
	enum run_operation operation;
	int64_t built_usec;
	int32_t anchor; /* 0: none yet */
	int64_t anchor_usec;
	uint64_t valley_nsec; /* 0: none */
	int64_t since_usec; /* samples before that count no more */
};

struct acknowledgement {
	int64_t incident_id;
	int64_t time_usec;
	uint32_t uid;
	char text[MUTE_REASON_MAX + 1]; /* "": nothing was said */
};

#define BATCH_SAMPLE_MAX 64

enum change_kind {
	CHANGE_RUN,
	CHANGE_ALARM,
	CHANGE_EVENT,
	CHANGE_MESSAGE,
	CHANGE_DELIVERY,
	CHANGE_DURATION,
	CHANGE_FIRST_IDENTITY,
	CHANGE_MUTE,
	CHANGE_SAMPLE,
	CHANGE_BASELINE,
	CHANGE_ACKNOWLEDGEMENT,
	CHANGE_BUDGET,
	CHANGE_WATCHED,
};

struct change_mark {
	char key[MESSAGE_KEY_MAX + 1];
	int64_t time_usec;
};

struct change_duration {
	int64_t run_id;
	uint64_t duration_nsec;
};

/* A state as the database keeps it: most of its room is unused, and a queue may hold a thousand. */
struct change_alarm {
	char repository[RUN_NAME_MAX + 1];
	int64_t incident_id; /* 0: none is open */
	int64_t incident_opened_usec;
	enum alarm_level incident_level;
	uint32_t incident_changes;
	size_t len; /* 0: there is nothing to remember */
	uint8_t code[];
};

struct change_sample {
	int64_t run_id;
	enum run_operation operation;
	size_t len;
	uint8_t bytes[BATCH_SAMPLE_MAX];
};

struct change_budget {
	char repository[RUN_NAME_MAX + 1];
	struct saved_budget budget;
};

struct change {
	struct change *next;
	enum change_kind kind;
	union {
		struct run *run;
		struct change_alarm *alarm;
		struct incident_event *event;
		struct message *message;
		struct change_mark *mark;
		struct change_duration *duration;
		struct first_identity *first_identity;
		struct mute *mute;
		struct change_sample *sample;
		struct saved_baseline *baseline;
		struct acknowledgement *acknowledgement;
		struct change_budget *budget;
		char *watched;
		void *data; /* any of them */
	};
};

struct batch {
	struct change *first;
	struct change *last;
	uint64_t tag;
	bool is_told; /* its messages went out before it was committed */
	struct batch *next; /* in the writer's lists */
	int error; /* how it ended, in the writer's list of finished ones */
};

struct batch *batch_new(void); /* NULL when memory is short */
struct batch *batch_free(struct batch *batch);

/* Each returns 0 or -ENOMEM. The run is taken (freed with the batch) also on failure; its id (above
 * 0) and start (not before 1970) must be set by the caller. Others are copied. */
int batch_add_run(struct batch *batch, struct run *run);
/* Replaces the repository's alarm state. */
int batch_add_alarm(struct batch *batch, const struct alarm_state *state);
/* The event, and the incident row it opens, changes or closes. */
int batch_add_event(struct batch *batch, const struct incident_event *event);
int batch_add_message(struct batch *batch, const struct message *message);
/* It was delivered. No such message: nothing happens. -ENAMETOOLONG: no key is that long. */
int batch_add_delivery(struct batch *batch, const char *key, int64_t time_usec);
/* A stuck run whose worker is gone at last: its true duration. */
int batch_add_duration(struct batch *batch, int64_t run_id, uint64_t duration_nsec);

int batch_add_first_identity(struct batch *batch, const struct first_identity *first);

/* Replaces the repository's. -ENAMETOOLONG: no repository is called so. */
int batch_add_budget(
	struct batch *batch, const char *repository, const struct saved_budget *budget);

/* Replaces the names of the repositories that the daemon watches, each between line ends
 * ("\na\nb\n"). */
int batch_add_watched(struct batch *batch, const char *names);

/* A new mute, or with the id of an earlier one its new end. */
int batch_add_mute(struct batch *batch, const struct mute *mute);

/* What the rules keep of a run of this batch or an earlier one, in the caller's own code; no such
 * run: nothing happens. -EMSGSIZE: longer than BATCH_SAMPLE_MAX. */
int batch_add_sample(struct batch *batch, int64_t run_id, enum run_operation operation,
	const void *bytes, size_t len);

/* Replaces what was kept of that series and operation. */
int batch_add_baseline(struct batch *batch, const struct saved_baseline *baseline);

/* No such incident: nothing happens. */
int batch_add_acknowledgement(struct batch *batch, const struct acknowledgement *acknowledgement);

/* Lent: the messages of a batch, in order (NULL past the end); the run (NULL: none). */
const struct message *batch_message(const struct batch *batch, size_t i);
const struct run *batch_run(const struct batch *batch);
/* Free use by the caller, 0 at first. */
void batch_set_tag(struct batch *batch, uint64_t tag);
uint64_t batch_tag(const struct batch *batch);
/* Its messages were handed out by store_writer_tell. */
bool batch_is_told(const struct batch *batch);

/* --- Rows that cannot be read (bad_rows.c) ------------------------------ */

/* The rows that readers and the writer skipped because a value in them is out of range. For any
 * thread. */
struct store_bad_rows;

/* say() is told of each row once, on the thread that found it; NULL: nobody. NULL when memory is
 * short. */
struct store_bad_rows *store_bad_rows_new(void (*say)(void *data, const char *line), void *data);
/* One more owner, who frees it as well. */
struct store_bad_rows *store_bad_rows_share(struct store_bad_rows *bad_rows);
struct store_bad_rows *store_bad_rows_free(struct store_bad_rows *bad_rows);
size_t store_bad_rows_count(struct store_bad_rows *bad_rows); /* 0 for NULL */

#endif
