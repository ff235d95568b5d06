/* SPDX-License-Identifier: Apache-2.0 */
/* Which user the daemon runs as, and who shall own its probe directories. */
#ifndef REPOPROBE_CLI_DAEMON_USER_H
#define REPOPROBE_CLI_DAEMON_USER_H

#include "model/job.h"

struct buf;
struct error;

/* How the user was found. */
enum daemon_user_source {
	DAEMON_USER_GIVEN, /* on the command line: the daemon runs as this user */
	DAEMON_USER_STATE, /* the owner of the state directory: the daemon runs as this user */
	DAEMON_USER_USUAL, /* user "repoprobe" exists, and the daemon is root */
	DAEMON_USER_OWNER, /* the daemon is root: each repository's own owner */
};

struct daemon_user {
	enum daemon_user_source source;
	bool is_daemon_root;
	bool has_state; /* the state directory exists: its owner is the daemon's user */
	struct job_user user; /* not with DAEMON_USER_OWNER */
};

/* given: a name or a number; NULL: not given. Without it and without a state directory the daemon
 * is assumed to be root, as in the shipped unit. Returns 0 or -errno with a sentence. */
int daemon_user_find(const char *given, const char *state_directory, struct daemon_user *ret,
	struct error *reterr);

/* Appends "user backup (1001)", or "user 1001" without a name. */
void daemon_user_name(uint32_t uid, struct buf *b);

#endif
