/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes job and progress. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "wire/section.h"
#include "wire/wire.h"

enum job_tag {
	JOB_TAG_TARGET = 1,
	JOB_TAG_WORKLOAD = 2,
	JOB_TAG_FILE = 3,
	JOB_TAG_DEADLINE = 4,
	JOB_TAG_NULL = 5,
	JOB_TAG_EXAMINE = 6,
	JOB_TAG_EXPECTATION = 7,
	JOB_TAG_INIT = 8,
};

enum progress_tag {
	PROGRESS_TAG_PHASE = 1,
};

static void add_file(struct buf *b, const struct job *job)
{
	size_t begin = section_begin(b, JOB_TAG_FILE);

	buf_add_u64(b, job->file_target_bytes);
	buf_add_u64(b, job->first_layout_bytes);
	buf_add_u64(b, job->growth_bytes);
	buf_add_u64(b, job->min_free_bytes);
	buf_add_u8(b, job->min_free_percent);
	buf_add_u8(b, job->keep_file);
	section_end(b, begin);
}

static void add_init(struct buf *b, const struct job *job)
{
	size_t begin = section_begin(b, JOB_TAG_INIT);

	buf_add_u8(b, job->is_daemon_root);
	buf_add_u8(b, job->is_for_owner);
	buf_add_u32(b, job->user.uid);
	buf_add_u32(b, job->user.gid);
	buf_add_u16(b, (uint16_t)job->user.group_count);
	for (size_t i = 0; i < job->user.group_count; i++)
		buf_add_u32(b, job->user.groups[i]);
	section_end(b, begin);
}

static void add_expectation(struct buf *b, const struct job_expectation *e)
{
	size_t begin = section_begin(b, JOB_TAG_EXPECTATION);

	buf_add_u8(b, e->requires_mount);
	section_add_text(b, e->fs_type);
	section_add_text(b, e->source);
	buf_add_u8(b, e->seen.is_set);
	buf_add_u8(b, e->seen.is_mount);
	section_add_text(b, e->seen.fs_type);
	section_add_text(b, e->seen.source);
	section_add_text(b, e->seen.mount_point);
	section_add_text(b, e->seen.fs_uuid);
	section_end(b, begin);
}

void wire_encode_job(const struct job *job, struct buf *b)
{
	section_add_header(b, WIRE_JOB);

	size_t begin = section_begin(b, JOB_TAG_TARGET);
	buf_add_u8(b, (uint8_t)job->kind);
	section_add_text(b, job->repository_path);
	section_add_text(b, job->probe_directory);
	section_add_text(b, job->file_name);
	section_end(b, begin);

	begin = section_begin(b, JOB_TAG_WORKLOAD);
	section_add_workload(b, &job->workload);
	section_end(b, begin);

	add_file(b, job);
	add_expectation(b, &job->expected);

	begin = section_begin(b, JOB_TAG_DEADLINE);
	buf_add_u64(b, job->deadline_usec);
	section_end(b, begin);

	if (job->kind == JOB_NULL) {
		begin = section_begin(b, JOB_TAG_NULL);
		buf_add_u64(b, job->null_latency_nsec);
		section_end(b, begin);
	}
	if (job->kind == JOB_EXAMINE) {
		begin = section_begin(b, JOB_TAG_EXAMINE);
		section_add_text(b, job->state_directory);
		section_end(b, begin);
	}
	if (job->kind == JOB_INIT)
		add_init(b, job);
}

static int read_target(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	job->kind = (enum job_kind)section_read_below(r, JOB_REMOVE + 1);
	section_read_text(r, job->repository_path, sizeof(job->repository_path));
	section_read_text(r, job->probe_directory, sizeof(job->probe_directory));
	section_read_text(r, job->file_name, sizeof(job->file_name));
	if (r->error < 0)
		return 0; /* the caller reports it */
	if (job->repository_path[0] != '/')
		return error_set(reterr, -EBADMSG, "the repository's path is not absolute");
	if (job->probe_directory[0] != '\0' && job->probe_directory[0] != '/')
		return error_set(reterr, -EBADMSG, "the probe directory's path is not absolute");
	/* A name with a path could make a job write outside its directory. */
	if (job->file_name[0] == '\0' || job->file_name[0] == '.' || strchr(job->file_name, '/'))
		return error_set(reterr, -EBADMSG, "the probe file's name is not a plain name");
	return 0;
}

static int read_workload(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	section_read_workload(r, &job->workload);
	if (r->error < 0)
		return 0;
	return workload_check(&job->workload, reterr) < 0 ? -EBADMSG : 0;
}

static int read_file(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	(void)reterr; /* no detail beyond "out of range" */
	job->file_target_bytes = buf_read_u64(r);
	job->first_layout_bytes = buf_read_u64(r);
	job->growth_bytes = buf_read_u64(r);
	job->min_free_bytes = buf_read_u64(r);
	job->min_free_percent = (uint8_t)section_read_below(r, 101);
	job->keep_file = section_read_boolean(r);
	return 0;
}

static int read_deadline(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	(void)reterr; /* as above */
	job->deadline_usec = buf_read_u64(r);
	return 0;
}

static int read_expectation(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job_expectation *e = &((struct job *)into)->expected;

	(void)reterr; /* as above */
	e->requires_mount = section_read_boolean(r);
	section_read_text(r, e->fs_type, sizeof(e->fs_type));
	section_read_text(r, e->source, sizeof(e->source));
	e->seen.is_set = section_read_boolean(r);
	e->seen.is_mount = section_read_boolean(r);
	section_read_text(r, e->seen.fs_type, sizeof(e->seen.fs_type));
	section_read_text(r, e->seen.source, sizeof(e->seen.source));
	section_read_text(r, e->seen.mount_point, sizeof(e->seen.mount_point));
	section_read_text(r, e->seen.fs_uuid, sizeof(e->seen.fs_uuid));
	return 0;
}

static int read_null(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	(void)reterr; /* as above */
	job->null_latency_nsec = buf_read_u64(r);
	return 0;
}

static int read_examine(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	section_read_text(r, job->state_directory, sizeof(job->state_directory));
	if (r->error == 0 && job->state_directory[0] != '\0' && job->state_directory[0] != '/')
		return error_set(reterr, -EBADMSG, "the state directory's path is not absolute");
	return 0;
}

static int read_init(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job *job = into;

	(void)reterr; /* as above */
	job->is_daemon_root = section_read_boolean(r);
	job->is_for_owner = section_read_boolean(r);
	job->user.uid = buf_read_u32(r);
	job->user.gid = buf_read_u32(r);
	unsigned count = buf_read_u16(r);
	if (count > JOB_GROUPS_MAX)
		r->error = -EBADMSG;
	else
		job->user.group_count = count;
	for (size_t i = 0; i < job->user.group_count; i++)
		job->user.groups[i] = buf_read_u32(r);
	return 0;
}

int wire_decode_job(const uint8_t *data, size_t len, struct job *ret, struct error *reterr)
{
	static const struct section_kind kinds[] = {
		{ JOB_TAG_TARGET, "target", true, read_target },
		{ JOB_TAG_WORKLOAD, "workload", true, read_workload },
		{ JOB_TAG_FILE, "file", true, read_file },
		{ JOB_TAG_DEADLINE, "deadline", true, read_deadline },
		{ JOB_TAG_NULL, "null", false, read_null },
		{ JOB_TAG_EXAMINE, "examine", false, read_examine },
		{ JOB_TAG_INIT, "init", false, read_init },
		{ JOB_TAG_EXPECTATION, "expectation", true, read_expectation },
	};
	struct job job;

	memset(&job, 0, sizeof(job));
	int r = section_decode(
		data, len, WIRE_JOB, kinds, sizeof(kinds) / sizeof(kinds[0]), &job, reterr);
	if (r == 0)
		*ret = job;
	return r;
}

void wire_encode_progress(const struct job_progress *progress, struct buf *b)
{
	section_add_header(b, WIRE_PROGRESS);
	size_t begin = section_begin(b, PROGRESS_TAG_PHASE);
	buf_add_u8(b, (uint8_t)progress->phase);
	buf_add_u64(b, progress->done);
	buf_add_u64(b, progress->total);
	section_end(b, begin);
}

static int read_phase(struct buf_reader *r, void *into, struct error *reterr)
{
	struct job_progress *progress = into;

	(void)reterr; /* as above */
	progress->phase = (enum job_phase)section_read_below(r, JOB_PHASE_EXAMINE + 1);
	progress->done = buf_read_u64(r);
	progress->total = buf_read_u64(r);
	return 0;
}

int wire_decode_progress(
	const uint8_t *data, size_t len, struct job_progress *ret, struct error *reterr)
{
	static const struct section_kind kinds[] = {
		{ PROGRESS_TAG_PHASE, "phase", true, read_phase },
	};
	struct job_progress progress = { 0 };

	int r = section_decode(data, len, WIRE_PROGRESS, kinds, sizeof(kinds) / sizeof(kinds[0]),
		&progress, reterr);
	if (r == 0)
		*ret = progress;
	return r;
}
