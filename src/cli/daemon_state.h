/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where a running daemon keeps its history if the configuration does not say. */
#ifndef REPOPROBE_CLI_DAEMON_STATE_H
#define REPOPROBE_CLI_DAEMON_STATE_H

#include <sys/types.h>

struct buf;

/* Appends the state directory that a running repoprobed was given on its command line, if it reads
 * that configuration (NULL: the usual one). Only daemons of root and of uid count: others could
 * name any directory. Returns 0; -ENOENT when there is none, or several that differ; or
 * another -errno. */
int daemon_state_find(const char *config_path, uid_t uid, struct buf *ret);

/* The same for one process, from /proc/PID: the words of its command line, each ended by a NUL, and
 * its working directory, to which relative paths refer. Returns 0 or -ENOENT. */
int daemon_state_of(const char *words, size_t len, const char *directory, const char *config_path,
	struct buf *ret);

#endif
