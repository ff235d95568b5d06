/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, makes and removes the probe directory. */
#include "probe/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "model/run.h"
#include "probe/fault.h"
#include "probe/fresh.h"
#include "probe/guard.h"
#include "probe/holdings.h"
#include "probe/place.h"
#include "probe/privilege.h"
#include "probe/setup.h"

#define DIRECTORY_NEW_NAMES 3 /* directory, tag and probe file */

static const char tag_text[] =
	"Signature: 8a477f597d28d172789f06886806bc55\n"
	"# This directory holds the probe files of repoprobe, which need no backup.\n"
	"# For information about cache directory tags, see https://bford.info/cachedir/\n";

static void end_step(const struct directory *d)
{
	setup_end_step(d->place->setup, RUN_SETUP_DIRECTORY);
}

/* Opens the directory that contains a path, and stores the last component of the path. */
static int open_parent(struct directory *d, const char *path, struct run *run)
{
	char parent[JOB_PATH_MAX + 1];
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	memcpy(d->path, path, len);
	d->path[len] = '\0';
	const char *slash = strrchr(d->path, '/');
	size_t parent_len = slash ? (size_t)(slash - d->path) : 0;
	const char *name = slash ? slash + 1 : "";
	if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		strlen(name) >= sizeof(d->name))
		return fault_refuse(run, path, "cannot be the probe directory");
	memcpy(d->name, name, strlen(name) + 1);
	memcpy(parent, d->path, parent_len);
	memcpy(parent + parent_len, "/", 2);
	d->parent_fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->parent_fd < 0)
		return fault_set(run, -errno, "open", parent);
	return 0;
}

static int name_directory(struct directory *d, const struct job *job, struct run *run)
{
	d->is_default = job->probe_directory[0] == '\0';
	if (!d->is_default)
		return open_parent(d, job->probe_directory, run);
	size_t len = strlen(job->repository_path);
	if (len + sizeof("/" DIRECTORY_DEFAULT_NAME) > sizeof(d->path))
		return fault_set(run, -ENAMETOOLONG, "open", job->repository_path);
	memcpy(d->path, job->repository_path, len);
	memcpy(d->path + len, "/" DIRECTORY_DEFAULT_NAME, sizeof("/" DIRECTORY_DEFAULT_NAME));
	memcpy(d->name, DIRECTORY_DEFAULT_NAME, sizeof(DIRECTORY_DEFAULT_NAME));
	d->parent_fd = fcntl(d->place->fd, F_DUPFD_CLOEXEC, 0);
	return d->parent_fd < 0 ? fault_set(run, -errno, "open", d->path) : 0;
}

/* Adds the reason to a creation failure where it is known. */
int directory_explain(const struct directory *d, int r, int parent_fd, struct run *run)
{
	if (r == -EPERM && place_facts(parent_fd).is_immutable)
		return fault_refuse(
			run, d->path, "is immutable or in an immutable directory (chattr +i, +a)");
	if (r == -ENOSPC) {
		int lack = place_check_inodes(d->place, 1, run);
		if (lack < 0)
			return lack;
	}
	return fault_set_in(run, r, "create", d->path, parent_fd);
}

/* The rest is done as the directory's owner. */
static int become_owner(const struct directory *d, int fd, struct run *run)
{
	struct stat st;
	int r = fstat(fd, &st) < 0 ? -errno : privilege_drop(st.st_uid, st.st_gid);

	return r < 0 ? fault_set(run, r, "become the owner of", d->path) : 0;
}

static int make_directory(struct directory *d, struct run *run)
{
	int r = become_owner(d, d->parent_fd, run);

	if (r == 0)
		r = place_check_inodes(d->place, DIRECTORY_NEW_NAMES, run);
	if (r < 0)
		return r;
	r = guard_make_directory(d->parent_fd, d->name, 0700);
	end_step(d);
	if (r < 0)
		return directory_explain(d, r, d->parent_fd, run);
	d->is_new = true;
	return 0;
}

/* Opens the directory. A missing one is created only if is_to_be_made. */
static int open_directory(struct directory *d, bool is_to_be_made, struct run *run)
{
	int fd = guard_open(d->parent_fd, d->name, O_PATH);

	/* A server with root_squash denies root but admits the owner. */
	if (fd == -EACCES && geteuid() == 0) {
		int r = become_owner(d, d->parent_fd, run);
		if (r < 0)
			return r;
		fd = guard_open(d->parent_fd, d->name, O_PATH);
	}
	if (fd == -ENOENT && !is_to_be_made)
		return become_owner(d, d->parent_fd, run);
	if (fd == -ENOENT) {
		int r = make_directory(d, run);
		if (r < 0)
			return r;
		fd = guard_open(d->parent_fd, d->name, O_PATH);
	}
	if (fd < 0)
		return fault_set(run, fd, "open", d->path);
	d->fd = fd;
	return 0;
}

static int check_directory(struct directory *d, struct run *run)
{
	struct guard_facts facts = {
		.place_device = d->place->device,
		.place_inode = d->place->inode,
	};

	if (fstat(d->fd, &facts.directory) < 0)
		return fault_set(run, -errno, "examine", d->path);
	d->owner = facts.directory.st_uid;
	int r = guard_check(GUARD_AT_DIRECTORY, &facts, d->path, NULL, run);
	return r < 0 ? r : become_owner(d, d->fd, run);
}

/* --- Contents -------------------------------------------------------------- */

/* By size: reading the tag would be one more wait on a slow file system in each run. */
static bool is_marked(const struct directory *d)
{
	struct stat st;

	return fstatat(d->fd, DIRECTORY_TAG_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISREG(st.st_mode) && st.st_size == (off_t)sizeof(tag_text) - 1;
}

/* .repoprobe, or .repoprobe-NAME, which init makes beside a repository. */
static bool is_our_name(const char *name)
{
	size_t len = strlen(DIRECTORY_DEFAULT_NAME);

	return strncmp(name, DIRECTORY_DEFAULT_NAME, len) == 0 &&
		(name[len] == '\0' || name[len] == '-');
}

struct search {
	const char *file_name; /* the run's own */
	char *foreign_name;
};

/* Files of this host and user have their own rules. */
static bool is_file_of_run(const struct search *s, const char *name)
{
	static const char *const ends[] = { "-run.dat", "-run.dat" FRESH_SUFFIX, ".dat",
		".dat" FRESH_SUFFIX };
	const char *run_part = strstr(s->file_name, ends[0]);
	size_t len = run_part ? (size_t)(run_part - s->file_name) : strcspn(s->file_name, ".");

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strncmp(name, s->file_name, len) == 0 && strcmp(name + len, ends[i]) == 0)
			return true;
	return false;
}

static int look_for_foreign(void *data, const struct holding *holding)
{
	struct search *s = data;

	if (holding->kind != HOLDING_FOREIGN || is_file_of_run(s, holding->name))
		return 0;
	s->foreign_name = strdup(holding->name);
	return s->foreign_name ? 1 : -ENOMEM;
}

/* A directory with user data must not get probe files or, above all, the tag. */
static int check_holdings(const struct directory *d, const char *file_name, struct run *run)
{
	struct guard_facts facts = {
		.is_named_ours = is_our_name(d->name),
		.is_marked_ours = is_marked(d),
	};
	struct search search = { .file_name = file_name };

	if (facts.is_named_ours && facts.is_marked_ours)
		return 0; /* the usual case: no listing needed */
	int r = holdings_list(d->fd, look_for_foreign, &search);
	facts.foreign_name = search.foreign_name;
	r = r < 0 ? fault_set(run, r, "look into", d->path)
		  : guard_check(GUARD_AT_HOLDINGS, &facts, d->path, NULL, run);
	free(search.foreign_name);
	return r;
}

static int enter(struct directory *d, const struct job *job, const struct place *place,
	bool is_to_be_made, struct run *run)
{
	*d = (struct directory){ .place = place, .parent_fd = -1, .fd = -1 };
	int r = name_directory(d, job, run);
	end_step(d);
	if (r == 0)
		r = open_directory(d, is_to_be_made, run);
	end_step(d);
	if (r == 0 && d->fd >= 0)
		r = check_directory(d, run);
	/* Our own files may be removed from any directory. */
	if (r == 0 && d->fd >= 0 && !d->is_new && job->kind != JOB_REMOVE)
		r = check_holdings(d, job->file_name, run);
	end_step(d);
	return r;
}

int directory_open(
	struct directory *d, const struct job *job, const struct place *place, struct run *run)
{
	return enter(d, job, place, true, run);
}

int directory_find(
	struct directory *d, const struct job *job, const struct place *place, struct run *run)
{
	return enter(d, job, place, false, run);
}

void directory_close(struct directory *d)
{
	d->fd = fd_close(d->fd);
	d->parent_fd = fd_close(d->parent_fd);
}

/* True for any kind of entry of that name. */
bool directory_has_tag(const struct directory *d)
{
	struct stat st;

	return fstatat(d->fd, DIRECTORY_TAG_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int directory_write_tag(struct directory *d, struct run *run)
{
	/* On a frozen file system creation blocks, even of a file that exists. */
	bool has_tag = directory_has_tag(d);

	end_step(d);
	if (has_tag)
		return 0;
	int fd = guard_create(d->fd, DIRECTORY_TAG_NAME, O_WRONLY, 0644);

	end_step(d);
	if (fd < 0)
		return directory_explain(d, fd, d->fd, run);
	d->is_tag_new = true;
	int r = fd_write_all(fd, tag_text, sizeof(tag_text) - 1);
	fd_close(fd);
	end_step(d);
	return r < 0 ? fault_set(run, r, "write " DIRECTORY_TAG_NAME " in", d->path) : 0;
}

/* True when the directory holds only the tag. */
static bool is_empty(const struct directory *d)
{
	int fd = guard_open(d->parent_fd, d->name, O_RDONLY | O_DIRECTORY);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	bool is_alone = true;

	if (!stream) {
		fd_close(fd);
		return false;
	}
	for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			strcmp(entry->d_name, DIRECTORY_TAG_NAME) != 0)
			is_alone = false;
	(void)closedir(stream); /* was only read */
	return is_alone;
}

static bool is_our_tag(int fd)
{
	char text[sizeof(tag_text)];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	bool is_whole = n == (ssize_t)sizeof(tag_text) - 1;

	return is_whole && memcmp(text, tag_text, sizeof(tag_text) - 1) == 0;
}

/* Removes the tag if its content is ours. */
bool directory_remove_tag(const struct directory *d)
{
	struct guard_id id;
	int fd = guard_open_to_look(d->fd, DIRECTORY_TAG_NAME);
	/* A tag that we failed to write may be incomplete. */
	bool is_ours = fd >= 0 && (d->is_tag_new || is_our_tag(fd));
	bool is_gone = is_ours && guard_identify(fd, &id) == 0 &&
		guard_remove(d->fd, DIRECTORY_TAG_NAME, &id) == 0;

	fd_close(fd);
	return is_gone;
}

/* A directory that was made for us because we lack permission must stay. */
void directory_remove(struct directory *d)
{
	bool is_ours =
		d->is_new || (d->is_default && faccessat(d->parent_fd, ".", W_OK, AT_EACCESS) == 0);

	if (!is_ours || d->fd < 0 || !is_empty(d))
		return;
	(void)directory_remove_tag(d); /* best effort */
	(void)guard_remove_directory(d->parent_fd, d->name); /* best effort */
}

void directory_undo(struct directory *d)
{
	if (d->is_new)
		directory_remove(d);
	else if (d->is_tag_new)
		(void)directory_remove_tag(d); /* best effort */
}
