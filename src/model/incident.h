/* SPDX-License-Identifier: Apache-2.0 */
/* An incident as stored in history: one period of trouble of one repository. */
#ifndef REPOPROBE_MODEL_INCIDENT_H
#define REPOPROBE_MODEL_INCIDENT_H

#include "model/alarm_state.h"
#include "model/identity.h"
#include "model/mute.h"

struct incident {
	int64_t id;
	char repository[RUN_NAME_MAX + 1];
	enum alarm_level level; /* highest reached */
	int64_t opened_usec;
	int64_t closed_usec; /* 0: open */
	int64_t acknowledged_usec; /* 0: not acknowledged */
	uint32_t acknowledged_uid;
	char acknowledged_text[MUTE_REASON_MAX + 1]; /* "": no comment */
	struct incident_event last_event;
};

/* Incidents of repositories on the same storage that open within this time of each other are
 * grouped. */
#define INCIDENT_GROUP_USEC INT64_C(300000000)
#define INCIDENT_GROUP_MAX 16

/* Other repositories in trouble when an incident opened. */
struct incident_group {
	char name[IDENTITY_TEXT_MAX + 1]; /* of the storage they share */
	size_t count; /* of the other repositories; 0: none */
	char repositories[INCIDENT_GROUP_MAX][RUN_NAME_MAX + 1]; /* the first ones by name */
};

#endif
