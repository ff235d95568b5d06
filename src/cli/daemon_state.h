/* SPDX-License-Identifier: Apache-2.0 */
/* Where a running daemon keeps its history, when no configuration says so. */
#ifndef REPOPROBE_CLI_DAEMON_STATE_H
#define REPOPROBE_CLI_DAEMON_STATE_H

#include <sys/types.h>

struct buf;

/* Appends the state directory that a running repoprobed was given on its command line, if it reads
 * that configuration (NULL: the usual one). Only daemons of root and of uid are looked at: others
 * could name any directory. Returns 0; -ENOENT when there is none, or several that differ; or
 * another -errno. */
int daemon_state_find(const char *config_path, uid_t uid, struct buf *ret);

/* One of them by what /proc/PID has: the words of its command line, each with a NUL at its end, and
 * its working directory, from which relative paths count. Returns 0 or -ENOENT. */
int daemon_state_of(const char *words, size_t len, const char *directory, const char *config_path,
	struct buf *ret);

#endif
