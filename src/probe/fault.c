/* SPDX-License-Identifier: Apache-2.0 */
/* Maps errno to status and sentence. */
#include "probe/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"
#include "model/job.h"

#define SENTENCE_MAX 512 /* finally cut to RUN_REASON_MAX */
#define PATH_SHOWN_MAX 120
#define WITHIN_SHOWN_MAX 60 /* bytes shown of a path component, beside the whole path */

/* This mount is read-only, but the file system is not. */
static bool is_sandboxed(const struct identity *identity, uid_t user)
{
	size_t len;

	(void)user; /* any user */
	return identity_find_option(identity->options.mount, "ro", &len) &&
		identity_find_option(identity->options.fs, "rw", &len);
}

static bool is_squashed(const struct identity *identity, uid_t user)
{
	return user == 0 && identity_is_nfs(identity);
}

static const struct fault faults[] = {
	{ EROFS, is_sandboxed, RUN_REFUSED,
		"the file system is writable, but its mount is read-only for this service (service "
		"sandbox: ReadWritePaths= in its unit)" },
	{ EROFS, NULL, RUN_READ_ONLY, NULL },
	{ ENOSPC, NULL, RUN_NO_SPACE, NULL },
	{ EDQUOT, NULL, RUN_NO_SPACE, NULL },
	{ EACCES, is_squashed, RUN_ERROR,
		"permission denied: the NFS server treats root as nobody (root_squash)" },
	{ EPERM, is_squashed, RUN_ERROR,
		"not permitted: the NFS server treats root as nobody (root_squash)" },
	/* Problems of this host, unrelated to the repository. */
	{ EMFILE, NULL, RUN_SKIPPED, "the worker may open no more files" },
	{ ENFILE, NULL, RUN_SKIPPED, "too many files are open on this host" },
	{ ENOMEM, NULL, RUN_SKIPPED, "this host has too little memory for it" },
};

int fault_path_len(const char *path)
{
	return (int)utf8_cut(path, PATH_SHOWN_MAX);
}

struct fault fault_find(int error_number, const struct identity *identity, uid_t user)
{
	struct fault fault = { error_number, NULL, RUN_ERROR, NULL };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (faults[i].error_number == error_number &&
			(!faults[i].applies || faults[i].applies(identity, user))) {
			fault = faults[i];
			break;
		}
	if (!fault.text)
		fault.text = errno_meaning(error_number);
	return fault;
}

static bool is_denial(int r)
{
	return r == -EACCES || r == -EPERM;
}

/* "user 65534 may not enter /srv (owner 0, mode 0700)" */
static void add_lack(struct buf *b, const char *verb, const char *where, const struct stat *st)
{
	buf_printf(b, "; user %u may not %s %.*s (owner %u, mode %04o)", (unsigned)geteuid(), verb,
		(int)utf8_cut(where, WITHIN_SHOWN_MAX), where, (unsigned)st->st_uid,
		(unsigned)(st->st_mode & ALLPERMS));
}

/* Reports the first directory on the path that cannot be entered. */
static bool add_closed_door(struct buf *b, const char *path)
{
	char part[JOB_PATH_MAX + 1];
	struct stat st;
	size_t len = strlen(path);

	if (path[0] != '/' || len > JOB_PATH_MAX)
		return false;
	memcpy(part, path, len + 1);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (stat(part, &st) < 0)
			return false;
		if (faccessat(AT_FDCWD, part, X_OK, AT_EACCESS) < 0) {
			add_lack(b, "enter", part, &st);
			return true;
		}
		*slash = '/';
	}
	return false;
}

static void add_lock_on_writing(struct buf *b, int directory_fd)
{
	struct stat st;

	if (directory_fd >= 0 && fstat(directory_fd, &st) == 0 &&
		faccessat(directory_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		add_lack(b, "write to", "its directory", &st);
	else
		buf_printf(b, " for user %u", (unsigned)geteuid());
}

int fault_set_in(struct run *run, int r, const char *doing, const char *path, int directory_fd)
{
	struct fault fault = fault_find(-r, &run->identity, geteuid());
	struct buf b = BUF_INIT(SENTENCE_MAX);

	buf_printf(&b, "cannot %s %.*s: %s", doing, fault_path_len(path), path,
		fault.text ? fault.text : errno_text(-r));
	if (is_denial(r) && !fault.applies && !add_closed_door(&b, path))
		add_lock_on_writing(&b, directory_fd);
	buf_printf(&b, " (%s)", errno_name(-r));
	run_fail(run, fault.status, -r, "%s", buf_text(&b));
	buf_done(&b);
	return r;
}

int fault_set(struct run *run, int r, const char *doing, const char *path)
{
	return fault_set_in(run, r, doing, path, -1);
}

int fault_refuse(struct run *run, const char *path, const char *why)
{
	run_fail(run, RUN_REFUSED, EPERM, "%.*s %s", fault_path_len(path), path, why);
	return -EPERM;
}
