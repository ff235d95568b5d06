/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the place of the probe directory and creates it as the user it is for, with permission
 * checks overridden for that moment. That user owns it from the start; no chown is needed. */
#include "probe/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/examiner.h"
#include "probe/fault.h"
#include "probe/privilege.h"

#define BESIDE_PREFIX ".repoprobe-" /* followed by the repository's last path component */

/* --- User ------------------------------------------------------------------ */

static int become_user(struct examiner *x, bool was_root)
{
	struct job_user user = x->job->user;

	if (x->job->is_for_owner)
		user = (struct job_user){ .uid = x->place.owner, .gid = x->place.owner_group };
	/* The file system admitted only the user who mounted it. */
	if (was_root && geteuid() != 0 && !x->job->is_for_owner && user.uid != geteuid()) {
		run_fail(x->run, RUN_REFUSED, EPERM,
			"%.*s admits only user %u, who mounted it: user %u has no access",
			fault_path_len(x->place.path), x->place.path, (unsigned)geteuid(),
			user.uid);
		return -EPERM;
	}
	int r = privilege_drop_but_override(&user);
	if (r < 0)
		return fault_set(
			x->run, r, "become the user that is to own a directory in", x->place.path);
	x->e->worker_uid = geteuid();
	x->e->worker_gid = getegid();
	return 0;
}

/* --- Place ----------------------------------------------------------------- */

/* Whether this user can access the whole path. */
static bool is_open(const char *path, int rights)
{
	return faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0;
}

static int refuse_user(const struct examiner *x, const char *what, const char *path)
{
	run_fail(x->run, RUN_REFUSED, EACCES, "user %u may not enter %.*s%s", (unsigned)geteuid(),
		fault_path_len(path), path, what);
	return -EACCES;
}

/* A name in the directory above the repository that contains the repository's name. */
static int choose_beside(const struct examiner *x, char ret[JOB_PATH_MAX + 1])
{
	const char *path = x->e->real_path;
	const char *slash = strrchr(path, '/');
	char parent[JOB_PATH_MAX + 1];
	struct stat st;

	if (!slash || slash[1] == '\0')
		return refuse_user(x, ", and there is nothing above it", path);
	int parent_len = (int)(slash - path);
	(void)snprintf(parent, sizeof(parent), "%.*s/", parent_len, path); /* shorter than path */
	if (stat(parent, &st) < 0 || !is_open(parent, X_OK))
		return refuse_user(x, ", nor the directory above it", path);
	if (st.st_dev != x->place.device)
		return refuse_user(
			x, ", and the directory above it is on another file system", path);
	int len = snprintf(ret, JOB_PATH_MAX + 1, "%s" BESIDE_PREFIX "%s", parent, slash + 1);
	if (len < 0 || len > JOB_PATH_MAX)
		return fault_set(x->run, -ENAMETOOLONG, "name a directory beside", path);
	return 0;
}

/* Completes the job's probe directory. A root daemon can enter any directory. */
static int choose_place(struct examiner *x, struct job *job)
{
	x->e->preparation.is_beside = false;
	if (x->job->is_daemon_root || job->probe_directory[0] != '\0' ||
		is_open(x->e->real_path, X_OK))
		return 0;
	x->e->preparation.is_beside = true;
	return choose_beside(x, job->probe_directory);
}

/* --- Creation -------------------------------------------------------------- */

/* A root daemon works as the directory's owner, whoever that is; any other daemon needs access. */
static int check_use(struct examiner *x)
{
	const struct directory *d = &x->directory;

	if (x->job->is_daemon_root)
		return 0;
	if (!is_open(x->place.path, F_OK))
		return refuse_user(x, ": a directory above it keeps that user out", x->place.path);
	if (is_open(d->path, R_OK | W_OK | X_OK))
		return 0;
	if (x->directory.is_new)
		return refuse_user(x, ": a directory above it keeps that user out", d->path);
	run_fail(x->run, RUN_REFUSED, EACCES,
		"%.*s exists already, belongs to user %u, and user %u may not write in it; it "
		"was left as it is",
		fault_path_len(d->path), d->path, (unsigned)d->owner, (unsigned)geteuid());
	return -EACCES;
}

static void describe(struct examiner *x)
{
	struct stat st;

	x->e->has_directory = x->directory.fd >= 0;
	if (!x->e->has_directory)
		return;
	if (fstat(x->directory.fd, &st) == 0)
		x->e->directory = (struct examination_owner){
			.uid = st.st_uid,
			.gid = st.st_gid,
			.mode = (uint16_t)(st.st_mode & ALLPERMS),
		};
}

static int make(struct examiner *x, const struct job *job)
{
	int r = privilege_use_override(true);

	if (r < 0)
		return fault_set(x->run, r, "pass by the permissions of", x->place.path);
	r = directory_open(&x->directory, job, &x->place, x->run);
	if (r == 0 && x->directory.is_new)
		r = directory_write_tag(&x->directory, x->run);
	if (r == 0) {
		(void)privilege_use_override(false); /* dropping a privilege cannot fail */
		r = check_use(x);
		(void)privilege_use_override(true); /* needed only to clean up */
	}
	if (r < 0)
		directory_undo(&x->directory);
	(void)privilege_give_up_override(); /* as above */
	return r;
}

static int prepare_directory(struct examiner *x, bool was_root)
{
	struct examination_preparation *p = &x->e->preparation;
	struct job *job = malloc(sizeof(*job));

	if (!job)
		return fault_set(x->run, -ENOMEM, "prepare", x->place.path);
	*job = *x->job;
	int r = become_user(x, was_root);
	if (r == 0)
		r = choose_place(x, job);
	if (r == 0)
		r = make(x, job);
	free(job);
	memcpy(p->path, x->directory.path, sizeof(p->path));
	if (r < 0)
		return r;
	describe(x);
	p->is_new = x->directory.is_new;
	p->is_ready = true;
	return 0;
}

static void prepare(struct examiner *x, const struct examine_observer *observer)
{
	bool was_root = geteuid() == 0;

	x->e->has_preparation = true;
	examiner_begin(x, observer, EXAMINATION_PLACE);
	if (examiner_look_at_place(x) == 0) {
		examiner_begin(x, observer, EXAMINATION_DIRECTORY);
		if (prepare_directory(x, was_root) < 0)
			examiner_refuse(x, SUBJECT_DIRECTORY);
	}
	examiner_begin(x, observer, EXAMINATION_COMPLETE);
}

void prepare_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret)
{
	examiner_run(job, observer, prepare, ret);
}
