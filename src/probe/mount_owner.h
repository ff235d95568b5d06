/* SPDX-License-Identifier: Apache-2.0 */
/* User-space file systems that admit only the user who mounted them, not even root. */
#ifndef REPOPROBE_PROBE_MOUNT_OWNER_H
#define REPOPROBE_PROBE_MOUNT_OWNER_H

/* Makes a root process permanently the user who mounted the file system of an absolute path, by the
 * kernel's list of mounts (user_id, group_id of FUSE). Returns 0; -ENOENT when no such user is
 * listed, and -EPERM when the process is not root, both without a change; or another -errno, after
 * which the process must do nothing more. */
int mount_owner_become(const char *path);

#endif
