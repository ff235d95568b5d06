/* SPDX-License-Identifier: Apache-2.0 */
/* First opens, verifies and locks all files, then removes them: all or none. */
#include "probe/clear.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/examiner.h"
#include "probe/fault.h"
#include "probe/guard.h"
#include "probe/holdings.h"
#include "probe/privilege.h"

#define FILES_MAX 256 /* of one host: a few for each user */

struct clear_file {
	char *name;
	int fd; /* holds the lock; -1: not opened yet */
	struct guard_id id;
	uint64_t bytes;
};

struct clear {
	struct examiner *x;
	size_t host_len; /* of the job's file name: "<host>-" */
	size_t count;
	struct clear_file files[FILES_MAX];
};

static void clear_done(struct clear *c)
{
	for (size_t i = 0; i < c->count; i++) {
		fd_close(c->files[i].fd);
		free(c->files[i].name);
	}
	free(c);
}

/* --- Selection ------------------------------------------------------------- */

static int add_file(struct clear *c, const char *name)
{
	if (c->count == FILES_MAX)
		return -ENOBUFS;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	c->files[c->count++] = (struct clear_file){ .name = copy, .fd = -1 };
	return 0;
}

static int sort_in(void *data, const struct holding *holding)
{
	struct clear *c = data;
	struct examination_removal *removal = &c->x->e->removal;

	switch (holding->kind) {
	case HOLDING_TAG:
		break;
	case HOLDING_FOREIGN:
		removal->foreign_names++;
		break;
	case HOLDING_FILE:
		if (strncmp(holding->name, c->x->job->file_name, c->host_len) == 0)
			return add_file(c, holding->name);
		removal->other_files++;
		break;
	}
	return 0;
}

/* --- Verification ----------------------------------------------------------- */

static int open_known(const struct directory *d, const char *name, struct guard_facts *facts)
{
	int fd = guard_open(d->fd, name, O_PATH);
	int r = fd < 0 ? fd : fstat(fd, &facts->file) < 0 ? -errno : 0;

	facts->is_immutable = fd >= 0 && place_facts(fd).is_immutable;
	facts->known = facts->file;
	fd_close(fd);
	return r;
}

/* The checks that a run makes before it writes, in the same order. */
static int prove(const struct clear *c, struct clear_file *f, struct guard_facts *facts)
{
	static const enum guard_stage stages[] = { GUARD_AT_REOPEN, GUARD_AT_LOCK,
		GUARD_AT_CONTENT };
	const struct directory *d = &c->x->directory;
	struct header header;
	int r = fstat(f->fd, &facts->file) < 0 ? -errno : guard_identify(f->fd, &f->id);

	if (r < 0)
		return r;
	facts->lock_error = guard_lock(f->fd);
	if (facts->file.st_size > 0)
		facts->header_error = guard_read_header(f->fd, &header);
	for (size_t i = 0; r == 0 && i < sizeof(stages) / sizeof(stages[0]); i++)
		r = guard_check(stages[i], facts, d->path, f->name, c->x->run);
	f->bytes = (uint64_t)facts->file.st_size;
	if (r == 0)
		r = facts->lock_error < 0 ? facts->lock_error : facts->header_error;
	return r;
}

static int take(const struct clear *c, struct clear_file *f)
{
	const struct directory *d = &c->x->directory;
	struct guard_facts facts = {
		.directory = { .st_uid = d->owner },
		.user = geteuid(),
	};
	int r = open_known(d, f->name, &facts);

	if (r == 0)
		r = guard_check(GUARD_AT_FILE, &facts, d->path, f->name, c->x->run);
	if (r == 0) {
		f->fd = guard_open(d->fd, f->name, O_RDWR);
		r = f->fd < 0 ? f->fd : prove(c, f, &facts);
	}
	return r < 0 && c->x->run->status == RUN_OK
		? fault_set(c->x->run, r, "take hold of a probe file in", d->path)
		: r;
}

/* --- Removal ---------------------------------------------------------------- */

static int remove_files(const struct clear *c)
{
	const struct directory *d = &c->x->directory;
	struct examination_removal *removal = &c->x->e->removal;

	for (size_t i = 0; i < c->count; i++) {
		int r = guard_remove(d->fd, c->files[i].name, &c->files[i].id);
		if (r < 0)
			return fault_set(c->x->run, r, "remove a probe file in", d->path);
		removal->files++;
		removal->bytes += c->files[i].bytes;
	}
	return 0;
}

/* The tag is removed with our last file, or at once when it lies beside foreign data. */
static void remove_directory(struct clear *c)
{
	struct examination_removal *removal = &c->x->e->removal;

	/* NFS renames a file that is removed while open. */
	for (size_t i = 0; i < c->count; i++)
		c->files[i].fd = fd_close(c->files[i].fd);
	if (removal->other_files > 0 && removal->foreign_names == 0)
		return;
	removal->is_tag_removed = directory_remove_tag(&c->x->directory);
	if (removal->other_files > 0 || removal->foreign_names > 0)
		return;
	int r = guard_remove_directory(c->x->directory.parent_fd, c->x->directory.name);
	removal->is_directory_removed = r == 0;
	removal->error_number = -r;
}

static int clear(struct clear *c)
{
	struct examiner *x = c->x;
	struct directory *d = &x->directory;

	c->host_len = strcspn(x->job->file_name, "-") + 1;
	int r = holdings_list(d->fd, sort_in, c);
	if (r < 0)
		return fault_set(x->run, r, "look into", d->path);
	for (size_t i = 0; r == 0 && i < c->count; i++)
		r = take(c, &c->files[i]);
	if (r == 0)
		r = remove_files(c);
	if (r == 0)
		remove_directory(c);
	return r;
}

/* --- Privilege --------------------------------------------------------------- */

/* The owner may lack search permission above the directory, or write permission to remove its name,
 * so one privilege is kept. */
static int become_owner(const struct examiner *x)
{
	const char *path = x->job->probe_directory;
	struct stat st;
	int r = path[0] != '\0'
		? fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW)
		: fstatat(x->place.fd, DIRECTORY_DEFAULT_NAME, &st, AT_SYMLINK_NOFOLLOW);

	if (r < 0)
		return 0; /* reported later as missing or not allowed */
	const struct job_user owner = { .uid = st.st_uid, .gid = st.st_gid };
	r = privilege_drop_but_override(&owner);
	return r < 0 ? r : privilege_use_override(true);
}

static int clear_directory(struct examiner *x)
{
	struct clear *c = calloc(1, sizeof(*c));
	int r = c ? become_owner(x) : -ENOMEM;

	if (r < 0) {
		free(c);
		return fault_set(x->run, r, "become the owner of a directory in", x->place.path);
	}
	c->x = x;
	r = directory_find(&x->directory, x->job, &x->place, x->run);
	memcpy(x->e->removal.path, x->directory.path, sizeof(x->e->removal.path));
	x->e->has_directory = r == 0 && x->directory.fd >= 0;
	if (x->e->has_directory)
		r = clear(c);
	x->e->removal.is_done = r == 0;
	clear_done(c);
	return r;
}

static void run(struct examiner *x, const struct examine_observer *observer)
{
	x->e->has_removal = true;
	examiner_begin(x, observer, EXAMINATION_PLACE);
	if (examiner_look_at_place(x) == 0) {
		examiner_begin(x, observer, EXAMINATION_DIRECTORY);
		if (clear_directory(x) < 0)
			examiner_refuse(x, SUBJECT_DIRECTORY);
	}
	examiner_begin(x, observer, EXAMINATION_COMPLETE);
}

void clear_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret)
{
	examiner_run(job, observer, run, ret);
}
