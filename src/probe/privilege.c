/* SPDX-License-Identifier: Apache-2.0 */
/* From root to an ordinary user. */
#include "probe/privilege.h"

#include <errno.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

int privilege_drop(uid_t uid, gid_t gid)
{
	if (geteuid() != 0 || uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	/* There must be no way back. */
	if (setresuid((uid_t)-1, 0, (uid_t)-1) == 0)
		return -EPERM;
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	return 0;
}
