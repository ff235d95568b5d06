/* SPDX-License-Identifier: Apache-2.0 */
/* One message for one channel: a row of the outbox. */
#ifndef REPOPROBE_MODEL_MESSAGE_H
#define REPOPROBE_MODEL_MESSAGE_H

#include "model/alarm_state.h"

#define MESSAGE_KEY_MAX 63
#define MESSAGE_TEXT_MAX 1023

struct message {
	char key[MESSAGE_KEY_MAX +
		1]; /* idempotency key: "journal/12/0" is channel, incident, sequence */
	char channel[RUN_NAME_MAX + 1]; /* "journal" */
	int64_t created_usec;
	uint32_t tries; /* delivery attempts so far, including those interrupted by a crash */
	char text[MESSAGE_TEXT_MAX + 1];
	struct incident_event event;
};

#endif
