/* SPDX-License-Identifier: Apache-2.0 */
/* Errno to status and sentence. */
#include "probe/fault.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "model/run.h"

#define PATH_SHOWN_MAX 120

struct meaning {
	int error_number;
	enum run_status status;
	const char *text; /* NULL: the C library's */
};

static const struct meaning meanings[] = {
	{ EROFS, RUN_READ_ONLY, "the file system is read-only" },
	{ ENOSPC, RUN_NO_SPACE, "no space left on the file system" },
	{ EDQUOT, RUN_NO_SPACE, "the disk quota is used up" },
	{ ESTALE, RUN_ERROR,
		"stale file handle: the server does not know it any more; mount the file system anew" },
	{ ENOTCONN, RUN_ERROR, "the program behind this file system is gone; mount it anew" },
	{ ENODATA, RUN_ERROR, "the file became shorter while it was read" },
	{ ECANCELED, RUN_ERROR, "the run was stopped before it ended" },
	{ ENOLCK, RUN_ERROR, "the file system grants no locks" },
};

int fault_path_len(const char *path)
{
	return (int)utf8_cut(path, PATH_SHOWN_MAX);
}

int fault_set(struct run *run, int r, const char *doing, const char *path)
{
	struct meaning meaning = { .error_number = -r, .status = RUN_ERROR };

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].error_number == -r)
			meaning = meanings[i];
	if (r == -EACCES || r == -EPERM)
		run_fail(run, RUN_ERROR, -r, "cannot %s %.*s: permission denied for user %u (%s)",
			doing, fault_path_len(path), path, (unsigned)geteuid(), errno_name(-r));
	else
		run_fail(run, meaning.status, -r, "cannot %s %.*s: %s (%s)", doing,
			fault_path_len(path), path, meaning.text ? meaning.text : errno_text(-r),
			errno_name(-r));
	return r;
}

int fault_refuse(struct run *run, const char *path, const char *why)
{
	run_fail(run, RUN_REFUSED, EPERM, "%.*s %s", fault_path_len(path), path, why);
	return -EPERM;
}
