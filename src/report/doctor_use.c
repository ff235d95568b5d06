/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of doctor's table about how the repository can be used, by whom, and at what cost. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/checkup.h"
#include "report/doctor.h"

/* --- How it can be used ---------------------------------------------------- */

static enum doctor_fact add_direct(const struct checkup *c, struct buf *b)
{
	const struct examination_direct *d = &c->examination->direct;

	if (!checkup_has(c, EXAMINATION_DIRECT))
		return DOCTOR_ABSENT;
	switch (d->trial) {
	case EXAMINATION_NOT_TRIED:
		buf_add_text(b, "not tried: there is no probe file yet");
		if (d->error_number != 0)
			buf_printf(b, ", and no nameless one can be made (%s)",
				errno_name(d->error_number));
		return DOCTOR_UNKNOWN;
	case EXAMINATION_WORKED:
		buf_printf(b, "works: tried with %s",
			d->is_written ? "a write to a nameless file" : "a read of the probe file");
		break;
	case EXAMINATION_DECLINED:
		buf_printf(b, "declined (%s)", errno_name(d->error_number));
		break;
	case EXAMINATION_FAILED:
		buf_printf(b, "failed (%s)", errno_name(d->error_number));
		break;
	}
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_alignment(const struct checkup *c, struct buf *b)
{
	const struct examination_direct *d = &c->examination->direct;

	if (!checkup_has(c, EXAMINATION_DIRECT))
		return DOCTOR_ABSENT;
	if (d->offset_align_bytes > 0)
		buf_printf(b, "offsets %u, memory %u bytes", d->offset_align_bytes,
			d->memory_align_bytes);
	if (d->read_align_bytes > 0)
		buf_printf(
			b, "%sreads of %u bytes work", b->len > 0 ? "; " : "", d->read_align_bytes);
	return b->len > 0 ? DOCTOR_KNOWN : DOCTOR_UNKNOWN;
}

static enum doctor_fact add_uring(const struct checkup *c, struct buf *b)
{
	const struct examination_uring *u = &c->examination->uring;

	if (!checkup_has(c, EXAMINATION_URING))
		return DOCTOR_ABSENT;
	if (u->error_number == 0)
		buf_add_text(b, "allowed");
	else
		buf_printf(b, "not allowed (%s)", errno_name(u->error_number));
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_buffers(const struct checkup *c, struct buf *b)
{
	const struct examination_uring *u = &c->examination->uring;

	if (!checkup_has(c, EXAMINATION_URING) || u->error_number != 0)
		return DOCTOR_ABSENT;
	format_size_rounded(b, u->buffer_bytes);
	buf_add_text(
		b, u->buffers_error_number == 0 ? " can be registered" : " cannot be registered");
	buf_add_text(b, "; memory-lock limit ");
	if (u->memory_lock_bytes == UINT64_MAX)
		buf_add_text(b, "none");
	else
		format_size_rounded(b, u->memory_lock_bytes);
	return DOCTOR_KNOWN;
}

/* --- Who may write --------------------------------------------------------- */

static enum doctor_fact add_user(const struct checkup *c, struct buf *b)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return DOCTOR_ABSENT;
	buf_printf(b, "user %u", e->caller_uid);
	if (e->worker_uid != e->caller_uid)
		buf_printf(
			b, " works as the owner, user %u, group %u,", e->worker_uid, e->worker_gid);
	if (e->write_error_number == 0)
		buf_add_text(b, " may write");
	else if (e->write_error_number == EROFS)
		buf_add_text(b, " sees a read-only file system");
	else
		buf_printf(b, " may not write (%s)", errno_name(e->write_error_number));
	return DOCTOR_KNOWN;
}

static void add_owner(const struct examination_owner *owner, struct buf *b)
{
	buf_printf(b, "user %u, group %u, mode %04o%s", owner->uid, owner->gid,
		(unsigned)owner->mode, owner->is_immutable ? ", immutable" : "");
}

static enum doctor_fact add_repository_owner(const struct checkup *c, struct buf *b)
{
	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	add_owner(&c->examination->repository, b);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_directory(const struct checkup *c, struct buf *b)
{
	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return DOCTOR_ABSENT;
	buf_printf(b, "%s: ", c->probe_directory);
	if (c->examination->has_directory)
		add_owner(&c->examination->directory, b);
	else
		buf_add_text(b, "missing");
	/* No daemon uses it: left by a run, or by a repository that was configured once. */
	if (c->examination->has_directory && c->cost.repository[0] == '\0')
		buf_printf(b, "; repoprobe init --remove %s removes it", c->path);
	return DOCTOR_KNOWN;
}

static void add_one_file(const char *what, const struct examination_file *file, struct buf *b)
{
	buf_printf(b, "%s%s: %s", b->len > 0 ? ", " : "", what, doctor_file_name(file));
	if (file->is_ours) {
		buf_add_text(b, " (");
		format_size_rounded(b, file->size_bytes);
		buf_add_char(b, ')');
	}
}

static enum doctor_fact add_files(const struct checkup *c, struct buf *b)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return DOCTOR_ABSENT;
	add_one_file("the daemon's", &e->file, b);
	add_one_file("run's", &e->run_file, b);
	if (e->other_files > 0) {
		buf_printf(b, ", others: %" PRIu32 " (", e->other_files);
		format_size_rounded(b, e->other_bytes);
		buf_add_char(b, ')');
	}
	return DOCTOR_KNOWN;
}

/* --- Cost and history ------------------------------------------------------ */

static enum doctor_fact add_probes(const struct checkup *c, struct buf *b)
{
	for (size_t i = 0; i < c->cost.probe_count; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "", c->cost.probes[i]);
	return c->cost.probe_count > 0 ? DOCTOR_KNOWN : DOCTOR_UNKNOWN;
}

static void add_bytes(uint64_t bytes, struct buf *b)
{
	if (bytes == UINT64_MAX)
		buf_add_text(b, "no bound");
	else
		format_size_rounded(b, bytes);
}

static enum doctor_fact add_cost(const struct checkup *c, struct buf *b)
{
	buf_add_text(b, "written: ");
	add_bytes(c->cost.written_bytes, b);
	buf_add_text(b, ", read: ");
	add_bytes(c->cost.read_bytes, b);
	buf_add_text(b, " at most");
	if (c->cost.budget_bytes > 0) {
		buf_add_text(b, ", of a budget of ");
		format_size_rounded(b, c->cost.budget_bytes);
		buf_add_text(b, " to write");
	}
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_file_size(const struct checkup *c, struct buf *b)
{
	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return DOCTOR_ABSENT;
	buf_add_text(b, "a probe file of ");
	format_size_rounded(b, c->examination->file_target_bytes);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_history(const struct checkup *c, struct buf *b)
{
	const struct examination_history *h = &c->examination->history;

	if (!checkup_has(c, EXAMINATION_HISTORY))
		return DOCTOR_ABSENT;
	buf_add_text(b, c->state_directory);
	if (h->error_number != 0) {
		const char *meaning = errno_meaning(h->error_number);
		buf_printf(b, ": %s (%s)", meaning ? meaning : errno_text(h->error_number),
			errno_name(h->error_number));
		return DOCTOR_UNKNOWN;
	}
	doctor_add_part(b, ", on ", h->identity.fs_type);
	doctor_add_part(b, " of ", h->identity.source);
	if (h->shares_disk && !h->is_same_file_system)
		buf_add_text(b, ", on a disk of the repository's");
	return DOCTOR_KNOWN;
}

const struct doctor_row doctor_use_rows[] = {
	{ "I/O", "direct I/O", SUBJECT_DIRECT_IO, add_direct },
	{ "I/O", "alignment", SUBJECT_ALIGNMENT, add_alignment },
	{ "I/O", "io_uring", SUBJECT_IO_URING, add_uring },
	{ "I/O", "buffers", SUBJECT_BUFFERS, add_buffers },
	{ "Who may write", "user", SUBJECT_USER, add_user },
	{ "Who may write", "repository", SUBJECT_NONE, add_repository_owner },
	{ "Who may write", "probe directory", SUBJECT_DIRECTORY, add_directory },
	{ "Who may write", "probe files", SUBJECT_FILE, add_files },
	{ "A day of probing", "probes", SUBJECT_NONE, add_probes },
	{ "A day of probing", "a day", SUBJECT_COST, add_cost },
	{ "A day of probing", "on disk", SUBJECT_NONE, add_file_size },
	{ "History", "state directory", SUBJECT_HISTORY, add_history },
};
const size_t doctor_use_row_count = sizeof(doctor_use_rows) / sizeof(doctor_use_rows[0]);
