/* SPDX-License-Identifier: Apache-2.0 */
/* Drops root before a file is opened. */
#ifndef REPOPROBE_PROBE_PRIVILEGE_H
#define REPOPROBE_PROBE_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

struct job_user;

/* Becomes this user and group permanently when the process is root and the user is not; else does
 * nothing. Returns 0 or -errno, after which the process must do nothing more. */
int privilege_drop(uid_t uid, gid_t gid);

/* Likewise with the user's groups, but keeps one capability, inactive at first: to override
 * permissions, so that a directory can be made where this user may not write. */
int privilege_drop_but_override(const struct job_user *user);

/* Activates or deactivates that capability. Does nothing without it or as root. */
int privilege_use_override(bool is_used);

/* Drops it permanently. */
int privilege_give_up_override(void);

#endif
