/* SPDX-License-Identifier: Apache-2.0 */
/* The probe directory and its files as a run would find them, and what it would have to create. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "probe/examiner.h"
#include "probe/fault.h"
#include "probe/guard.h"
#include "probe/header.h"

struct names {
	const char *file;
	char run_file[JOB_FILE_NAME_MAX + 1];
};

/* "x.dat" becomes "x-run.dat". */
void examiner_name_run_file(const struct job *job, char *ret, size_t size)
{
	const char *dot = strrchr(job->file_name, '.');
	size_t stem_len = dot ? (size_t)(dot - job->file_name) : strlen(job->file_name);

	/* A truncated name matches no file. */
	(void)snprintf(ret, size, "%.*s-run%s", (int)stem_len, job->file_name, dot ? dot : "");
}

static void look_at_file(struct examiner *x, const char *name, struct target_found *found,
	struct examination_file *ret)
{
	int r = target_find(&x->directory, name, found, x->run);

	*ret = (struct examination_file){
		.exists = r < 0 || found->fd >= 0,
		.is_ours = r == 0 && found->fd >= 0,
		.size_bytes = found->size_bytes,
	};
	if (r < 0)
		examiner_refuse(
			x, x->run->status == RUN_READ_ONLY ? SUBJECT_FILE_SYSTEM : SUBJECT_FILE);
}

static bool is_other(const struct names *names, const char *name)
{
	return name[0] != '.' && strcmp(name, DIRECTORY_TAG_NAME) != 0 &&
		strcmp(name, names->file) != 0 && strcmp(name, names->run_file) != 0;
}

/* Mostly files of other hosts and users. */
static void count_others(struct examiner *x, const struct names *names)
{
	int fd = guard_open(x->directory.parent_fd, x->directory.name, O_RDONLY | O_DIRECTORY);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct stat st;

	if (!stream) {
		fd_close(fd);
		return;
	}
	for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
		if (!is_other(names, entry->d_name) ||
			fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		x->e->other_files++;
		x->e->other_bytes += (uint64_t)st.st_size;
	}
	(void)closedir(stream); /* was only read */
}

static void look_at_directory(struct examiner *x)
{
	struct examination *e = x->e;
	struct names names = { .file = x->job->file_name };
	struct stat st;

	e->has_directory = x->directory.fd >= 0;
	if (!e->has_directory)
		return;
	if (fstat(x->directory.fd, &st) == 0)
		e->directory = (struct examination_owner){
			.uid = st.st_uid,
			.gid = st.st_gid,
			.mode = (uint16_t)(st.st_mode & ALLPERMS),
			.is_immutable = place_facts(x->directory.fd).is_immutable,
		};
	examiner_name_run_file(x->job, names.run_file, sizeof(names.run_file));
	look_at_file(x, names.file, &x->file, &e->file);
	look_at_file(x, names.run_file, &x->run_file, &e->run_file);
	count_others(x, &names);
}

/* Counts the missing names that a run would create. */
static unsigned count_missing(const struct examiner *x)
{
	unsigned count = x->e->has_directory ? 0 : 1;

	if (!x->e->has_directory || !directory_has_tag(&x->directory))
		count++;
	if (!x->e->file.exists)
		count++;
	if (!x->e->run_file.exists)
		count++;
	return count;
}

static enum examination_subject subject_of_creation(const struct run *run)
{
	if (run->status == RUN_READ_ONLY)
		return SUBJECT_FILE_SYSTEM;
	return run->status == RUN_REFUSED ? SUBJECT_DIRECTORY : SUBJECT_USER;
}

/* Checks whether this user may create the missing names where they belong. */
static void check_creation(struct examiner *x, unsigned missing)
{
	const struct directory *d = &x->directory;
	int fd = x->e->has_directory ? d->fd : d->parent_fd;

	if (missing == 0)
		return;
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		x->e->write_error_number = errno;
		(void)directory_explain(d, -errno, fd, x->run); /* the error is kept in the run */
		examiner_refuse(x, subject_of_creation(x->run));
	}
	if (place_check_inodes(&x->place, missing, x->run) < 0)
		examiner_refuse(x, x->run->status == RUN_NO_SPACE ? SUBJECT_INODES : SUBJECT_PATH);
}

static uint64_t choose_target_bytes(const struct examiner *x)
{
	uint64_t least = (uint64_t)x->job->workload.block_size_bytes * JOB_FILE_BLOCKS_MIN;
	uint64_t bytes = x->job->file_target_bytes;

	if (bytes == 0)
		bytes = x->file.auto_bytes > 0 ? x->file.auto_bytes
					       : target_auto_bytes(&x->e->identity);
	return bytes < least ? least : bytes;
}

/* Checks the space for the layout that a first run needs, and for the whole file. */
static void check_space(struct examiner *x)
{
	struct examination *e = x->e;
	uint64_t size_bytes = x->file.size_bytes;
	uint64_t data_bytes = size_bytes > HEADER_DATA_OFFSET ? size_bytes - HEADER_DATA_OFFSET : 0;
	const struct clock clock = clock_system();

	if (place_check_space(&x->place, 0, x->run) < 0)
		examiner_refuse(x, SUBJECT_SPACE);
	e->identity.size_bytes = x->run->identity.size_bytes;
	e->identity.free_bytes = x->run->identity.free_bytes;
	e->file_target_bytes = choose_target_bytes(x);
	bool is_kept = data_bytes > 0 &&
		growth_is_over(&x->file.growth, e->file_target_bytes, clock_realtime_usec(&clock));
	if (e->file_target_bytes < data_bytes && x->job->file_target_bytes > 0)
		data_bytes = e->file_target_bytes; /* a run truncates it */
	else if (e->file_target_bytes < data_bytes || is_kept)
		e->file_target_bytes = data_bytes;

	uint64_t first_bytes = x->job->first_layout_bytes;
	if (first_bytes == 0 || first_bytes > e->file_target_bytes)
		first_bytes = e->file_target_bytes;
	uint64_t head_bytes = data_bytes == 0 ? HEADER_DATA_OFFSET : 0;
	e->has_room = place_has_space(&x->place, e->file_target_bytes + head_bytes - data_bytes);
	if (e->refusal_count > 0 && e->refusals[e->refusal_count - 1].about == SUBJECT_SPACE)
		return;
	if (first_bytes > data_bytes &&
		place_check_space(&x->place, first_bytes + head_bytes - data_bytes, x->run) < 0)
		examiner_refuse(x, SUBJECT_SPACE);
}

int examiner_look_at_access(struct examiner *x)
{
	int r = directory_find(&x->directory, x->job, &x->place, x->run);

	x->e->worker_uid = geteuid();
	x->e->worker_gid = getegid();
	if (r < 0)
		examiner_refuse(x, SUBJECT_DIRECTORY);
	else
		look_at_directory(x);
	check_space(x);
	if (r == 0)
		check_creation(x, count_missing(x));
	return r;
}
