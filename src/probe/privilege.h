/* SPDX-License-Identifier: Apache-2.0 */
/* Giving up root before a file is opened. */
#ifndef REPOPROBE_PROBE_PRIVILEGE_H
#define REPOPROBE_PROBE_PRIVILEGE_H

#include <sys/types.h>

/* Becomes this user and group, for good, when the process is root and the user is not; else does
 * nothing. Returns 0 or -errno, after which the process must do nothing more. */
int privilege_drop(uid_t uid, gid_t gid);

#endif
