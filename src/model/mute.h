/* SPDX-License-Identifier: Apache-2.0 */
/* A requested mute: once, from one instant to another, with a reason. Recurring mutes are in the
 * configuration (alarm/mute_time.h). */
#ifndef REPOPROBE_MODEL_MUTE_H
#define REPOPROBE_MODEL_MUTE_H

#include <stdint.h>

#include "model/run.h"

#define MUTE_REASON_MAX 200

enum mute_mode {
	MUTE_NONE,
	MUTE_MESSAGES, /* "mute": still probed and judged, but no message is sent */
	MUTE_PROBING, /* "pause": also not probed */
};
#define MUTE_MODES 3

struct mute {
	int64_t id; /* above 0 */
	char repository[RUN_NAME_MAX + 1]; /* "": all */
	enum mute_mode mode;
	int64_t from_usec;
	int64_t until_usec; /* excluded */
	uint32_t uid; /* of the requesting user */
	char reason[MUTE_REASON_MAX + 1];
};

const char *mute_mode_name(enum mute_mode mode); /* "none", "mute", "pause" */
int mute_mode_parse(const char *text, enum mute_mode *ret); /* 0 or -EINVAL; not "none" */

#endif
