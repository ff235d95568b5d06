/* SPDX-License-Identifier: Apache-2.0 */
/* Who may hold one of the control socket's connections while others do. Pure. */
#ifndef REPOPROBE_DAEMON_CONTROL_PEERS_H
#define REPOPROBE_DAEMON_CONTROL_PEERS_H

#include <stddef.h>
#include <sys/types.h>

struct error;

#define CONTROL_PEERS_MAX 64
#define CONTROL_PEERS_OF_UID_MAX 16

/* held: the users of the connections that are open. Root and the daemon's own user have their
 * CONTROL_PEERS_OF_UID_MAX connections whatever others do. Returns 0, or -EBUSY with a sentence for
 * the peer. */
int control_peers_admit(
	const uid_t *held, size_t count, uid_t uid, uid_t own_uid, struct error *reterr);

#endif
