/* SPDX-License-Identifier: Apache-2.0 */
/* Finds users by name, by number, and as owners of files. */
#include "cli/daemon_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"

#define USUAL_NAME "repoprobe"

/* Copies a user's entry and groups. Groups beyond a job's capacity are dropped, so the user may
 * seem to have fewer rights than it has. */
static void set_user(const struct passwd *entry, struct job_user *ret)
{
	gid_t groups[JOB_GROUPS_MAX];
	int count = JOB_GROUPS_MAX;

	*ret = (struct job_user){ .uid = entry->pw_uid, .gid = entry->pw_gid };
	if (getgrouplist(entry->pw_name, entry->pw_gid, groups, &count) < 0)
		count = JOB_GROUPS_MAX;
	for (int i = 0; i < count; i++)
		ret->groups[ret->group_count++] = groups[i];
}

static void set_user_by_id(uint32_t uid, uint32_t gid, struct job_user *ret)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry)
		set_user(entry, ret);
	else
		*ret = (struct job_user){ .uid = uid, .gid = gid };
}

static int find_given(const char *given, struct job_user *ret, struct error *reterr)
{
	const struct passwd *entry = getpwnam(given);
	uint64_t uid;

	if (entry) {
		set_user(entry, ret);
		return 0;
	}
	if (parse_uint(given, 0, UINT32_MAX - 1, &uid, NULL) < 0)
		return error_set(reterr, -ENOENT, "there is no user %s", given);
	if (!getpwuid((uid_t)uid))
		return error_set(
			reterr, -ENOENT, "there is no user %s, so its group is not known", given);
	set_user_by_id((uint32_t)uid, 0, ret);
	return 0;
}

int daemon_user_find(const char *given, const char *state_directory, struct daemon_user *ret,
	struct error *reterr)
{
	const struct passwd *usual;
	struct stat st;

	*ret = (struct daemon_user){ .source = DAEMON_USER_OWNER, .is_daemon_root = true };
	if (given) {
		int r = find_given(given, &ret->user, reterr);
		ret->is_daemon_root = ret->user.uid == 0;
		if (!ret->is_daemon_root)
			ret->source = DAEMON_USER_GIVEN;
		return r;
	}
	ret->has_state = stat(state_directory, &st) == 0;
	if (!ret->has_state && errno != ENOENT)
		return error_set(reterr, -errno, "the state directory %s: %s", state_directory,
			errno_text(errno));
	if (ret->has_state && st.st_uid != 0) {
		ret->source = DAEMON_USER_STATE;
		ret->is_daemon_root = false;
		set_user_by_id(st.st_uid, st.st_gid, &ret->user);
		return 0;
	}
	usual = getpwnam(USUAL_NAME);
	if (usual && usual->pw_uid != 0) {
		ret->source = DAEMON_USER_USUAL;
		set_user(usual, &ret->user);
	}
	return 0;
}

void daemon_user_name(uint32_t uid, struct buf *b)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry)
		buf_printf(b, "user %s (%u)", entry->pw_name, uid);
	else
		buf_printf(b, "user %u", uid);
}
