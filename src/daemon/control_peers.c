/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by user. */
#include "daemon/control_peers.h"

#include "base/error.h"

#include <errno.h>
#include <stdbool.h>

/* Root's share and that of the daemon's own user are not for others. */
#define OTHERS_MAX (CONTROL_PEERS_MAX - 2 * CONTROL_PEERS_OF_UID_MAX)

static bool is_privileged(uid_t uid, uid_t own_uid)
{
	return uid == 0 || uid == own_uid;
}

int control_peers_admit(
	const uid_t *held, size_t count, uid_t uid, uid_t own_uid, struct error *reterr)
{
	size_t same = 0;
	size_t others = 0;

	for (size_t i = 0; i < count; i++) {
		same += held[i] == uid;
		others += !is_privileged(held[i], own_uid);
	}
	if (same >= CONTROL_PEERS_OF_UID_MAX)
		return error_set(reterr, -EBUSY,
			"uid %u has %zu connections open that ask nothing; try again in a few seconds",
			uid, same);
	if (!is_privileged(uid, own_uid) && others >= OTHERS_MAX)
		return error_set(reterr, -EBUSY,
			"%zu connections are open that ask nothing; try again in a few seconds",
			others);
	return 0;
}
