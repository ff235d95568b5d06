/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the control socket: one table. Knows nothing of sockets and peers. */
#ifndef REPOPROBE_DAEMON_CONTROL_COMMANDS_H
#define REPOPROBE_DAEMON_CONTROL_COMMANDS_H

#include <sys/types.h>

struct daemon;
struct error;
struct json_t;

/* Carries out a request of an allowed peer and logs it. What there is to say besides "ok" goes into
 * reply. Returns 0, or -errno with a sentence for the peer. */
int control_commands_run(struct daemon *d, const struct json_t *request, uid_t uid,
	struct json_t *reply, struct error *reterr);

#endif
