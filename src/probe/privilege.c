/* SPDX-License-Identifier: Apache-2.0 */
/* Switches from root to an ordinary user. */
#include "probe/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/job.h"

#define OVERRIDE (UINT32_C(1) << CAP_DAC_OVERRIDE)

/* Sets real, effective and saved ids, and the groups. */
static int become(uid_t uid, gid_t gid, const gid_t *groups, size_t group_count)
{
	if (setgroups(group_count, groups) < 0 || setresgid(gid, gid, gid) < 0 ||
		setresuid(uid, uid, uid) < 0)
		return -errno;
	return 0;
}

/* Verifies that root cannot be regained. */
static int check_no_return(void)
{
	if (setresuid((uid_t)-1, 0, (uid_t)-1) == 0)
		return -EPERM;
	return prctl(PR_SET_DUMPABLE, 0) < 0 ? -errno : 0;
}

int privilege_drop(uid_t uid, gid_t gid)
{
	if (geteuid() != 0 || uid == 0)
		return 0;
	int r = become(uid, gid, NULL, 0);
	return r < 0 ? r : check_no_return();
}

static int set_capabilities(uint32_t permitted, uint32_t effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .permitted = permitted, .effective = effective },
	};

	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static bool has_override(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { .permitted = 0 } };

	return geteuid() != 0 && syscall(SYS_capget, &header, data) == 0 &&
		(data[0].permitted & OVERRIDE) != 0;
}

int privilege_drop_but_override(const struct job_user *user)
{
	_Static_assert(sizeof(gid_t) == sizeof(user->groups[0]), "a group is a group");

	if (geteuid() != 0 || user->uid == 0)
		return 0;
	if (prctl(PR_SET_KEEPCAPS, 1) < 0)
		return -errno;
	int r = become(user->uid, user->gid, user->groups, user->group_count);
	if (r == 0)
		r = set_capabilities(OVERRIDE, 0);
	return r < 0 ? r : check_no_return();
}

int privilege_use_override(bool is_used)
{
	return has_override() ? set_capabilities(OVERRIDE, is_used ? OVERRIDE : 0) : 0;
}

int privilege_give_up_override(void)
{
	return has_override() ? set_capabilities(0, 0) : 0;
}
