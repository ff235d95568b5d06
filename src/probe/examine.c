/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an examination in their order, including the first one, the place. */
#include "probe/examine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "probe/compression.h"
#include "probe/examiner.h"
#include "probe/fs_uuid.h"

void examiner_refuse(struct examiner *x, enum examination_subject about)
{
	examination_add_refusal(x->e, about, x->run);
	x->run->status = RUN_OK;
	x->run->error_number = 0;
	x->run->reason[0] = '\0';
}

/* Examines what needs an open descriptor. */
static void look_inside(struct examiner *x)
{
	int fd = openat(x->place.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fs_uuid_read(fd, &x->e->identity);
		x->e->is_compressed = compression_find(fd, 0, false);
	}
	fd_close(fd);
}

int examiner_look_at_place(struct examiner *x)
{
	struct examination *e = x->e;
	struct statvfs fs;
	struct stat st;
	int r = place_open(x->job, NULL, &x->place, x->run);

	e->identity = x->run->identity;
	e->kind = examination_kind_of(e->identity.fs_type, e->identity.has_device);
	if (r < 0) {
		examiner_refuse(x, SUBJECT_PATH);
		return r;
	}
	e->is_in_memory = x->place.is_in_memory;
	(void)place_read_real_path(x->place.fd, e->real_path, sizeof(e->real_path)); /* or "" */
	if (fstatvfs(x->place.fd, &fs) == 0) {
		e->is_read_only = (fs.f_flag & ST_RDONLY) != 0;
		e->inodes = fs.f_files;
		e->free_inodes = fs.f_favail;
	}
	if (fstat(x->place.fd, &st) == 0)
		e->repository = (struct examination_owner){
			.uid = st.st_uid,
			.gid = st.st_gid,
			.mode = (uint16_t)(st.st_mode & ALLPERMS),
			.is_immutable = place_facts(x->place.fd).is_immutable,
		};
	look_inside(x);
	return 0;
}

void examiner_begin(
	struct examiner *x, const struct examine_observer *observer, enum examination_step step)
{
	x->e->step = step;
	observer->tell(observer->data, x->e);
}

static void examine(struct examiner *x, const struct examine_observer *observer)
{
	examiner_begin(x, observer, EXAMINATION_PLACE);
	bool has_place = examiner_look_at_place(x) == 0;
	if (x->job->state_directory[0] != '\0') {
		examiner_begin(x, observer, EXAMINATION_HISTORY);
		examiner_look_at_history(x);
	}
	if (has_place) {
		examiner_begin(x, observer, EXAMINATION_DIRECTORY);
		if (examiner_look_at_access(x) == 0) {
			examiner_begin(x, observer, EXAMINATION_DIRECT);
			examiner_try_direct(x);
		}
		examiner_begin(x, observer, EXAMINATION_URING);
		examiner_try_uring(&x->job->workload, &x->e->uring);
	}
	examiner_begin(x, observer, EXAMINATION_COMPLETE);
}

static void look(struct examiner *x, const struct examine_observer *observer)
{
	examiner_begin(x, observer, EXAMINATION_PLACE);
	if (examiner_look_at_place(x) == 0) {
		examiner_begin(x, observer, EXAMINATION_DIRECTORY);
		if (directory_find(&x->directory, x->job, &x->place, x->run) < 0)
			examiner_refuse(x, SUBJECT_DIRECTORY);
	}
	examiner_begin(x, observer, EXAMINATION_COMPLETE);
}

void examiner_run(const struct job *job, const struct examine_observer *observer,
	void (*work)(struct examiner *x, const struct examine_observer *observer),
	struct examination *ret)
{
	struct examiner *x = calloc(1, sizeof(*x));
	struct run *run = run_new("", "");

	memset(ret, 0, sizeof(*ret));
	ret->caller_uid = getuid();
	ret->worker_uid = geteuid();
	ret->worker_gid = getegid();
	if (x && run) {
		x->job = job;
		x->e = ret;
		x->run = run;
		x->place.fd = x->directory.fd = x->directory.parent_fd = -1;
		x->file.fd = x->run_file.fd = -1;
		work(x, observer);
		fd_close(x->file.fd);
		fd_close(x->run_file.fd);
		directory_close(&x->directory);
		place_close(&x->place);
	} else {
		ret->step = EXAMINATION_COMPLETE;
		ret->refusals[ret->refusal_count++] = (struct examination_refusal){
			.about = SUBJECT_PATH,
			.status = RUN_ERROR,
			.error_number = ENOMEM,
			.text = "no memory to look at the repository",
		};
		observer->tell(observer->data, ret);
	}
	free(run);
	free(x);
}

void examine_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret)
{
	examiner_run(job, observer, examine, ret);
}

void examine_look(
	const struct job *job, const struct examine_observer *observer, struct examination *ret)
{
	examiner_run(job, observer, look, ret);
}
