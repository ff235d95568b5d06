/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes an examination, complete or in progress. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "wire/section.h"
#include "wire/wire.h"

enum examination_tag {
	EXAMINATION_TAG_STEP = 1,
	EXAMINATION_TAG_PLACE = 2,
	EXAMINATION_TAG_DEVICE = 3,
	EXAMINATION_TAG_HISTORY = 4,
	EXAMINATION_TAG_ACCESS = 5,
	EXAMINATION_TAG_FILES = 6,
	EXAMINATION_TAG_DIRECT = 7,
	EXAMINATION_TAG_URING = 8,
	EXAMINATION_TAG_REFUSALS = 9,
	EXAMINATION_TAG_PREPARATION = 10,
	EXAMINATION_TAG_CACHED_WRITES = 11,
	EXAMINATION_TAG_REMOVAL = 12,
};

#define ERRNO_MAX 4095 /* the kernel's */
#define MODE_MAX 07777

static uint16_t read_errno(struct buf_reader *r)
{
	uint16_t number = buf_read_u16(r);

	if (number <= ERRNO_MAX)
		return number;
	r->error = -EBADMSG;
	return 0;
}

/* 0 or a power of two. */
static uint32_t read_align(struct buf_reader *r)
{
	uint32_t bytes = buf_read_u32(r);

	if ((bytes & (bytes - 1)) == 0)
		return bytes;
	r->error = -EBADMSG;
	return 0;
}

static void add_step(struct buf *b, const struct examination *e)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_STEP);

	buf_add_u8(b, (uint8_t)e->step);
	section_end(b, begin);
}

static int read_step(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)reterr; /* no detail beyond "out of range" */
	e->step = (enum examination_step)section_read_below(r, EXAMINATION_STEPS);
	return 0;
}

static void add_place(struct buf *b, const struct examination *e)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_PLACE);

	section_add_text(b, e->real_path);
	buf_add_u8(b, (uint8_t)e->kind);
	buf_add_u8(b, e->is_in_memory);
	buf_add_u8(b, e->is_compressed);
	buf_add_u8(b, e->is_read_only);
	section_add_identity(b, &e->identity);
	section_add_text(b, e->identity.options.mount);
	section_add_text(b, e->identity.options.fs);
	buf_add_u64(b, e->inodes);
	buf_add_u64(b, e->free_inodes);
	buf_add_u64(b, e->file_target_bytes);
	buf_add_u8(b, e->has_room);
	section_end(b, begin);
}

static int read_place(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	section_read_text(r, e->real_path, sizeof(e->real_path));
	e->kind = (enum examination_kind)section_read_below(r, EXAMINATION_KINDS);
	e->is_in_memory = section_read_boolean(r);
	e->is_compressed = section_read_boolean(r);
	e->is_read_only = section_read_boolean(r);
	int result = section_read_identity(r, &e->identity, reterr);
	if (result < 0)
		return result;
	section_read_text(r, e->identity.options.mount, sizeof(e->identity.options.mount));
	section_read_text(r, e->identity.options.fs, sizeof(e->identity.options.fs));
	e->inodes = buf_read_u64(r);
	e->free_inodes = buf_read_u64(r);
	e->file_target_bytes = buf_read_u64(r);
	e->has_room = section_read_boolean(r);
	return 0;
}

static int read_device(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)reterr; /* as above */
	e->identity.has_device = true;
	section_read_device(r, &e->identity.device);
	return 0;
}

static void add_history(struct buf *b, const struct examination_history *h)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_HISTORY);

	buf_add_u16(b, (uint16_t)h->error_number);
	buf_add_u8(b, (uint8_t)h->kind);
	section_add_identity(b, &h->identity);
	buf_add_u8(b, h->is_same_file_system);
	buf_add_u8(b, h->shares_disk);
	section_end(b, begin);
}

static int read_history(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;
	struct examination_history *h = &e->history;

	e->has_history = true;
	h->error_number = read_errno(r);
	h->kind = (enum examination_kind)section_read_below(r, EXAMINATION_KINDS);
	int result = section_read_identity(r, &h->identity, reterr);
	if (result < 0)
		return result;
	h->is_same_file_system = section_read_boolean(r);
	h->shares_disk = section_read_boolean(r);
	return 0;
}

static void add_owner(struct buf *b, const struct examination_owner *o)
{
	buf_add_u32(b, o->uid);
	buf_add_u32(b, o->gid);
	buf_add_u16(b, o->mode);
	buf_add_u8(b, o->is_immutable);
}

static void read_owner(struct buf_reader *r, struct examination_owner *o)
{
	o->uid = buf_read_u32(r);
	o->gid = buf_read_u32(r);
	o->mode = buf_read_u16(r);
	o->is_immutable = section_read_boolean(r);
	if (o->mode > MODE_MAX)
		r->error = -EBADMSG;
}

static void add_access(struct buf *b, const struct examination *e)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_ACCESS);

	buf_add_u32(b, e->caller_uid);
	buf_add_u32(b, e->worker_uid);
	buf_add_u32(b, e->worker_gid);
	add_owner(b, &e->repository);
	buf_add_u8(b, e->has_directory);
	add_owner(b, &e->directory);
	buf_add_u16(b, (uint16_t)e->write_error_number);
	section_end(b, begin);
}

static int read_access(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)reterr; /* as above */
	e->caller_uid = buf_read_u32(r);
	e->worker_uid = buf_read_u32(r);
	e->worker_gid = buf_read_u32(r);
	read_owner(r, &e->repository);
	e->has_directory = section_read_boolean(r);
	read_owner(r, &e->directory);
	e->write_error_number = read_errno(r);
	return 0;
}

static void add_file(struct buf *b, const struct examination_file *f)
{
	buf_add_u8(b, f->exists);
	buf_add_u8(b, f->is_ours);
	buf_add_u64(b, f->size_bytes);
}

static void read_file(struct buf_reader *r, struct examination_file *f)
{
	f->exists = section_read_boolean(r);
	f->is_ours = section_read_boolean(r);
	f->size_bytes = buf_read_u64(r);
}

static void add_files(struct buf *b, const struct examination *e)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_FILES);

	add_file(b, &e->file);
	add_file(b, &e->run_file);
	buf_add_u32(b, e->other_files);
	buf_add_u64(b, e->other_bytes);
	section_end(b, begin);
}

static int read_files(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)reterr; /* as above */
	read_file(r, &e->file);
	read_file(r, &e->run_file);
	e->other_files = buf_read_u32(r);
	e->other_bytes = buf_read_u64(r);
	return 0;
}

static void add_direct(struct buf *b, const struct examination_direct *d)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_DIRECT);

	buf_add_u8(b, (uint8_t)d->trial);
	buf_add_u16(b, (uint16_t)d->error_number);
	buf_add_u8(b, d->is_written);
	buf_add_u32(b, d->read_align_bytes);
	buf_add_u32(b, d->offset_align_bytes);
	buf_add_u32(b, d->memory_align_bytes);
	section_end(b, begin);
	if (d->are_writes_cached) {
		begin = section_begin(b, EXAMINATION_TAG_CACHED_WRITES);
		section_end(b, begin);
	}
}

/* The section's presence is its value. */
static int read_cached_writes(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)r;
	(void)reterr;
	e->direct.are_writes_cached = true;
	return 0;
}

static int read_direct(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;
	struct examination_direct *d = &e->direct;

	(void)reterr; /* as above */
	d->trial = (enum examination_trial)section_read_below(r, EXAMINATION_TRIALS);
	d->error_number = read_errno(r);
	d->is_written = section_read_boolean(r);
	d->read_align_bytes = read_align(r);
	d->offset_align_bytes = read_align(r);
	d->memory_align_bytes = read_align(r);
	return 0;
}

static void add_uring(struct buf *b, const struct examination_uring *u)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_URING);

	buf_add_u16(b, (uint16_t)u->error_number);
	buf_add_u8(b, u->disabled);
	buf_add_u8(b, u->has_seccomp);
	buf_add_u8(b, u->has_threads_engine);
	buf_add_u16(b, (uint16_t)u->buffers_error_number);
	buf_add_u64(b, u->buffer_bytes);
	buf_add_u64(b, u->memory_lock_bytes);
	section_end(b, begin);
}

static int read_uring(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;
	struct examination_uring *u = &e->uring;

	(void)reterr; /* as above */
	u->error_number = read_errno(r);
	u->disabled = buf_read_u8(r);
	u->has_seccomp = section_read_boolean(r);
	u->has_threads_engine = section_read_boolean(r);
	u->buffers_error_number = read_errno(r);
	u->buffer_bytes = buf_read_u64(r);
	u->memory_lock_bytes = buf_read_u64(r);
	return 0;
}

static void add_refusals(struct buf *b, const struct examination *e)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_REFUSALS);

	buf_add_u8(b, (uint8_t)e->refusal_count);
	for (size_t i = 0; i < e->refusal_count; i++) {
		buf_add_u8(b, (uint8_t)e->refusals[i].about);
		buf_add_u8(b, (uint8_t)e->refusals[i].status);
		buf_add_u16(b, (uint16_t)e->refusals[i].error_number);
		section_add_text(b, e->refusals[i].text);
	}
	section_end(b, begin);
}

static int read_refusals(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;

	(void)reterr; /* as above */
	e->refusal_count = section_read_below(r, EXAMINATION_REFUSALS_MAX + 1);
	for (size_t i = 0; i < e->refusal_count; i++) {
		struct examination_refusal *refusal = &e->refusals[i];
		refusal->about =
			(enum examination_subject)section_read_below(r, EXAMINATION_SUBJECTS);
		refusal->status = (enum run_status)section_read_below(r, RUN_STATUSES);
		refusal->error_number = read_errno(r);
		section_read_text(r, refusal->text, sizeof(refusal->text));
	}
	return 0;
}

static void add_preparation(struct buf *b, const struct examination_preparation *p)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_PREPARATION);

	section_add_text(b, p->path);
	buf_add_u8(b, p->is_ready);
	buf_add_u8(b, p->is_new);
	buf_add_u8(b, p->is_beside);
	section_end(b, begin);
}

static int read_preparation(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;
	struct examination_preparation *p = &e->preparation;

	(void)reterr; /* as above */
	e->has_preparation = true;
	section_read_text(r, p->path, sizeof(p->path));
	p->is_ready = section_read_boolean(r);
	p->is_new = section_read_boolean(r);
	p->is_beside = section_read_boolean(r);
	return 0;
}

static void add_removal(struct buf *b, const struct examination_removal *removal)
{
	size_t begin = section_begin(b, EXAMINATION_TAG_REMOVAL);

	section_add_text(b, removal->path);
	buf_add_u8(b, removal->is_done);
	buf_add_u32(b, removal->files);
	buf_add_u64(b, removal->bytes);
	buf_add_u32(b, removal->other_files);
	buf_add_u32(b, removal->foreign_names);
	buf_add_u8(b, removal->is_tag_removed);
	buf_add_u8(b, removal->is_directory_removed);
	buf_add_u16(b, (uint16_t)removal->error_number);
	section_end(b, begin);
}

static int read_removal(struct buf_reader *r, void *into, struct error *reterr)
{
	struct examination *e = into;
	struct examination_removal *removal = &e->removal;

	(void)reterr; /* as above */
	e->has_removal = true;
	section_read_text(r, removal->path, sizeof(removal->path));
	removal->is_done = section_read_boolean(r);
	removal->files = buf_read_u32(r);
	removal->bytes = buf_read_u64(r);
	removal->other_files = buf_read_u32(r);
	removal->foreign_names = buf_read_u32(r);
	removal->is_tag_removed = section_read_boolean(r);
	removal->is_directory_removed = section_read_boolean(r);
	removal->error_number = read_errno(r);
	return 0;
}

void wire_encode_examination(const struct examination *e, struct buf *b)
{
	section_add_header(b, WIRE_EXAMINATION);
	add_step(b, e);
	add_place(b, e);
	if (e->identity.has_device) {
		size_t begin = section_begin(b, EXAMINATION_TAG_DEVICE);
		section_add_device(b, &e->identity.device);
		section_end(b, begin);
	}
	if (e->has_history)
		add_history(b, &e->history);
	add_access(b, e);
	add_files(b, e);
	add_direct(b, &e->direct);
	add_uring(b, &e->uring);
	if (e->has_preparation)
		add_preparation(b, &e->preparation);
	if (e->has_removal)
		add_removal(b, &e->removal);
	add_refusals(b, e);
}

int wire_decode_examination(
	const uint8_t *data, size_t len, struct examination *ret, struct error *reterr)
{
	static const struct section_kind kinds[] = {
		{ EXAMINATION_TAG_STEP, "step", true, read_step },
		{ EXAMINATION_TAG_PLACE, "place", true, read_place },
		{ EXAMINATION_TAG_DEVICE, "device", false, read_device },
		{ EXAMINATION_TAG_HISTORY, "history", false, read_history },
		{ EXAMINATION_TAG_ACCESS, "access", true, read_access },
		{ EXAMINATION_TAG_FILES, "files", true, read_files },
		{ EXAMINATION_TAG_DIRECT, "direct", true, read_direct },
		{ EXAMINATION_TAG_URING, "io_uring", true, read_uring },
		{ EXAMINATION_TAG_REFUSALS, "refusals", true, read_refusals },
		{ EXAMINATION_TAG_PREPARATION, "preparation", false, read_preparation },
		{ EXAMINATION_TAG_CACHED_WRITES, "cached writes", false, read_cached_writes },
		{ EXAMINATION_TAG_REMOVAL, "removal", false, read_removal },
	};

	memset(ret, 0, sizeof(*ret));
	int r = section_decode(
		data, len, WIRE_EXAMINATION, kinds, sizeof(kinds) / sizeof(kinds[0]), ret, reterr);
	if (r < 0)
		memset(ret, 0, sizeof(*ret));
	return r;
}
