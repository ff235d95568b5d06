/* SPDX-License-Identifier: Apache-2.0 */
/* What a batch is made of. Private to the store. */
#ifndef REPOPROBE_STORE_BATCH_H
#define REPOPROBE_STORE_BATCH_H

#include "store/store.h"

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
	uint8_t bytes[STORE_SAMPLE_MAX];
};

struct change_budget {
	char repository[RUN_NAME_MAX + 1];
	struct store_budget budget;
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
		struct store_first_identity *first_identity;
		struct mute *mute;
		struct change_sample *sample;
		struct store_baseline *baseline;
		struct store_acknowledgement *acknowledgement;
		struct change_budget *budget;
		char *watched;
		void *data; /* any of them */
	};
};

struct store_batch {
	struct change *first;
	struct change *last;
	uint64_t tag;
	bool is_told; /* its messages went out before it was committed */
	struct store_batch *next; /* in the writer's lists */
	int error; /* how it ended, in the writer's list of finished ones */
};

#endif
