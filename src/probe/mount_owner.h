/* SPDX-License-Identifier: Apache-2.0 */
/* File systems in user space that let in whoever mounted them and nobody else, not even root. */
#ifndef REPOPROBE_PROBE_MOUNT_OWNER_H
#define REPOPROBE_PROBE_MOUNT_OWNER_H

/* A process that is root becomes, for good, the user who mounted the file system that an absolute
 * path lies on, as the kernel's list of mounts names him (user_id, group_id of FUSE). Returns 0;
 * -ENOENT when no such user is named, and -EPERM when the process is not root: it is then what it
 * was; or another -errno, after which it must do nothing more. */
int mount_owner_become(const char *path);

#endif
