/* SPDX-License-Identifier: Apache-2.0 */
/* From facts to findings: one function per group of subjects; each finding says what is wrong and
 * what to do about it. Pure. */
#include "model/checkup.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"

#define BLOCK_BYTES_MIN 4096 /* of the presets' blocks; all are multiples of it */
#define UID_NOBODY 65534

static const char *const level_names[] = {
	[CHECKUP_OK] = "ok",
	[CHECKUP_WARNING] = "warning",
	[CHECKUP_PROBLEM] = "problem",
};

_Static_assert(sizeof(level_names) / sizeof(level_names[0]) == CHECKUP_LEVELS, "a name for each");

const char *checkup_level_name(enum checkup_level level)
{
	assert((size_t)level < CHECKUP_LEVELS);
	return level_names[level];
}

static void add(struct checkup *c, enum checkup_level level, enum examination_subject about,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

static void add(struct checkup *c, enum checkup_level level, enum examination_subject about,
	const char *format, ...)
{
	va_list ap;

	if (c->finding_count == CHECKUP_FINDINGS_MAX)
		return;
	struct checkup_finding *finding = &c->findings[c->finding_count++];
	finding->level = level;
	finding->about = about;
	va_start(ap, format);
	(void)vsnprintf(finding->text, sizeof(finding->text), format, ap); /* cut */
	va_end(ap);
}

bool checkup_has(const struct checkup *c, enum examination_step step)
{
	const struct examination *e = c->examination;

	if (step == EXAMINATION_HISTORY)
		return e->has_history;
	return e->step > step && e->real_path[0] != '\0';
}

uint64_t checkup_floor_bytes(const struct checkup *c)
{
	uint64_t bytes = c->examination->identity.size_bytes / 100 * c->cost.min_free_percent;

	return bytes > c->cost.min_free_bytes ? bytes : c->cost.min_free_bytes;
}

static void judge_worker(struct checkup *c)
{
	const struct examination *e = c->examination;

	if (c->status == RUN_OK)
		return;
	if (e->step == EXAMINATION_COMPLETE || c->status == RUN_ERROR)
		add(c, CHECKUP_PROBLEM, SUBJECT_PATH, "%s: %s", run_status_name(c->status),
			c->reason);
	else
		add(c, CHECKUP_PROBLEM, SUBJECT_PATH, "%s, while examining %s: %s",
			run_status_name(c->status), examination_step_text(e->step), c->reason);
}

static void judge_refusals(struct checkup *c)
{
	const struct examination *e = c->examination;

	for (size_t i = 0; i < e->refusal_count; i++)
		add(c, CHECKUP_PROBLEM, e->refusals[i].about, "a run would fail with %s: %s",
			run_status_name(e->refusals[i].status), e->refusals[i].text);
}

static void judge_place(struct checkup *c)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return;
	if (strcmp(e->identity.mount_point, "/") == 0 && strcmp(e->real_path, "/") != 0)
		add(c, CHECKUP_WARNING, SUBJECT_MOUNT,
			"it is on the root file system: if a disk should be mounted here, it is not");
	if (e->is_in_memory)
		add(c, CHECKUP_WARNING, SUBJECT_CACHES,
			"the file system keeps its files in memory: memory is measured, not "
			"a disk, and runs are flagged cached?");
	else if (e->kind == EXAMINATION_KIND_OVERLAY)
		add(c, CHECKUP_WARNING, SUBJECT_CACHES,
			"an overlay: what is measured is the file system that takes its writes");
	if (e->is_compressed)
		add(c, CHECKUP_WARNING, SUBJECT_CACHES,
			"the file system compresses: backups may differ from probes, whose "
			"content does not compress; runs are flagged compressed?");
	if (checkup_has(c, EXAMINATION_DIRECTORY) && !e->has_room &&
		checkup_level_about(c, SUBJECT_SPACE) == CHECKUP_OK)
		add(c, CHECKUP_WARNING, SUBJECT_SPACE,
			"the probe file cannot grow to its full size, so runs are flagged clamped");
}

static void judge_twin(struct checkup *c)
{
	if (c->twin)
		add(c, CHECKUP_WARNING, SUBJECT_CONFIGURATION,
			"repository %s is this directory too, by its path %s: configure "
			"each directory once",
			c->twin, c->twin_path);
}

static bool is_working(const char *array_action)
{
	return array_action[0] != '\0' && strcmp(array_action, "idle") != 0 &&
		strcmp(array_action, "frozen") != 0;
}

static void judge_device(struct checkup *c)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!checkup_has(c, EXAMINATION_PLACE) || !c->examination->identity.has_device)
		return;
	if (is_working(d->array_action))
		add(c, CHECKUP_WARNING, SUBJECT_DEVICE,
			"the array is busy with %s, which slows it down", d->array_action);
	if (d->logical_block_bytes > BLOCK_BYTES_MIN)
		add(c, CHECKUP_WARNING, SUBJECT_SECTORS,
			"sectors of %u bytes: block sizes must be multiples of that",
			d->logical_block_bytes);
	if (d->request_max_bytes > 0 && d->request_max_bytes < c->cost.block_bytes)
		add(c, CHECKUP_WARNING, SUBJECT_REQUESTS,
			"blocks of %u bytes are cut into requests of %u bytes at most: each "
			"latency is that of several requests",
			c->cost.block_bytes, d->request_max_bytes);
}

/* This is not a fault, and applies to backups as well. */
static void judge_cached_writes(struct checkup *c)
{
	bool is_btrfs = strcmp(c->examination->identity.fs_type, "btrfs") == 0;

	add(c, CHECKUP_WARNING, SUBJECT_DIRECT_IO,
		"the file system takes direct I/O, but writes through the page cache%s: runs that "
		"write are flagged fallback%s",
		is_btrfs ? ", as btrfs does from Linux 6.15 on with files that have checksums" : "",
		is_btrfs ? "; a probe file without checksums is written directly: remove it, set "
			   "chattr +C on its directory, and the next run makes it again"
			 : "");
}

/* In the words of a run that fails with it. */
static const char *explain(int error_number)
{
	const char *meaning = errno_meaning(error_number);

	return meaning ? meaning : errno_text(error_number);
}

static void judge_direct(struct checkup *c)
{
	const struct examination_direct *d = &c->examination->direct;

	if (!checkup_has(c, EXAMINATION_DIRECT))
		return;
	if (d->trial == EXAMINATION_DECLINED)
		add(c, CHECKUP_WARNING, SUBJECT_DIRECT_IO,
			"the file system declines direct I/O (%s): runs go through the page cache, "
			"with a sync after each write, and are flagged fallback",
			errno_name(d->error_number));
	if (d->are_writes_cached)
		judge_cached_writes(c);
	if (d->trial == EXAMINATION_FAILED)
		add(c, CHECKUP_PROBLEM, SUBJECT_DIRECT_IO, "the trial failed: %s (%s)",
			explain(d->error_number), errno_name(d->error_number));
	if (d->offset_align_bytes > BLOCK_BYTES_MIN)
		add(c, CHECKUP_WARNING, SUBJECT_ALIGNMENT,
			"direct I/O is aligned to %u bytes: block sizes must be multiples of that",
			d->offset_align_bytes);
}

static const char *explain_uring(const struct examination_uring *u)
{
	if (u->error_number == ENOSYS)
		return "the kernel lacks it";
	if (u->disabled > 0)
		return "kernel.io_uring_disabled forbids it";
	if (u->has_seccomp)
		return "a filter of system calls forbids it, as those of containers do";
	return errno_text(u->error_number);
}

static void judge_buffers(struct checkup *c, const struct examination_uring *u)
{
	struct buf needed = BUF_INIT(64);
	struct buf limit = BUF_INIT(64);

	format_size_rounded(&needed, u->buffer_bytes);
	format_size_rounded(&limit, u->memory_lock_bytes);
	if (u->memory_lock_bytes < UINT64_MAX)
		add(c, CHECKUP_WARNING, SUBJECT_BUFFERS,
			"%s of buffers cannot be registered (%s): the memory-lock limit (ulimit -l) "
			"is %s; plain buffers are used, at slightly more CPU time",
			buf_text(&needed), errno_name(u->buffers_error_number), buf_text(&limit));
	else
		add(c, CHECKUP_WARNING, SUBJECT_BUFFERS,
			"%s of buffers cannot be registered (%s); plain buffers are used, at "
			"slightly more CPU time",
			buf_text(&needed), errno_name(u->buffers_error_number));
	buf_done(&limit);
	buf_done(&needed);
}

static void judge_uring(struct checkup *c)
{
	const struct examination_uring *u = &c->examination->uring;

	if (!checkup_has(c, EXAMINATION_URING))
		return;
	if (u->error_number != 0)
		add(c, u->has_threads_engine ? CHECKUP_WARNING : CHECKUP_PROBLEM, SUBJECT_IO_URING,
			"io_uring cannot be used (%s): %s%s", errno_name(u->error_number),
			explain_uring(u),
			u->has_threads_engine ? "; threads do the I/O, at more CPU time" : "");
	else if (u->buffers_error_number != 0)
		judge_buffers(c, u);
}

static void judge_access(struct checkup *c)
{
	const struct examination *e = c->examination;
	bool is_denied = e->write_error_number == EACCES || e->write_error_number == EPERM;

	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return;
	if (is_denied && identity_is_nfs(&e->identity) && e->worker_uid == 0)
		add(c, CHECKUP_WARNING, SUBJECT_USER,
			"root may not write: the server probably squashes it (root_squash); give the "
			"probe directory to an ordinary user, and root then works as that user");
	else if (identity_is_nfs(&e->identity) && e->repository.uid == UID_NOBODY)
		add(c, CHECKUP_WARNING, SUBJECT_USER,
			"the directory belongs to nobody: the server squashes root (root_squash), or "
			"the names of users do not match");
	if (!is_denied && e->write_error_number == 0 &&
		(e->has_directory ? e->directory.is_immutable : e->repository.is_immutable))
		add(c, CHECKUP_WARNING, SUBJECT_DIRECTORY,
			"the directory is append-only (chattr +a): a probe file can be made there "
			"but not removed");
}

static void judge_cost(struct checkup *c)
{
	struct buf written = BUF_INIT(64);

	format_size_rounded(&written, c->cost.written_bytes);
	if (c->cost.written_bytes == UINT64_MAX || c->cost.read_bytes == UINT64_MAX)
		add(c, CHECKUP_WARNING, SUBJECT_COST,
			"the runs of a probe are bounded by time alone: max_bytes or max_ios would "
			"bound what they cost");
	else if (c->cost.written_bytes > CHECKUP_DAILY_WRITE_BYTES)
		add(c, CHECKUP_WARNING, SUBJECT_COST,
			"%s are written a day: this wears out flash and slows other work; use a "
			"longer interval or smaller max_bytes",
			buf_text(&written));
	if (c->cost.stretch[0] != '\0')
		add(c, CHECKUP_WARNING, SUBJECT_COST, "%s", c->cost.stretch);
	buf_done(&written);
}

static void judge_history(struct checkup *c)
{
	const struct examination_history *h = &c->examination->history;

	if (!checkup_has(c, EXAMINATION_HISTORY) || h->error_number != 0)
		return;
	if (h->is_same_file_system)
		add(c, CHECKUP_WARNING, SUBJECT_HISTORY,
			"the history is on the file system that is probed: when that hangs or fills "
			"up, so does the history; move state_directory to another file system");
	if (h->kind == EXAMINATION_KIND_NETWORK)
		add(c, CHECKUP_WARNING, SUBJECT_HISTORY,
			"the history is on a network file system, which is unsuitable for SQLite's locks "
			"and shared memory; move state_directory to a local disk");
	if (h->kind == EXAMINATION_KIND_MEMORY)
		add(c, CHECKUP_WARNING, SUBJECT_HISTORY,
			"the history is in memory and is lost at the next reboot");
}

/* Stable; there are only a few. */
static void sort(struct checkup *c)
{
	for (size_t i = 1; i < c->finding_count; i++) {
		struct checkup_finding finding = c->findings[i];
		size_t k = i;
		for (; k > 0 && c->findings[k - 1].level < finding.level; k--)
			c->findings[k] = c->findings[k - 1];
		c->findings[k] = finding;
	}
}

void checkup_judge(struct checkup *c)
{
	c->finding_count = 0;
	judge_worker(c);
	judge_refusals(c);
	judge_place(c);
	judge_device(c);
	judge_direct(c);
	judge_uring(c);
	judge_access(c);
	judge_cost(c);
	judge_history(c);
	judge_twin(c);
	if (c->configuration_trouble[0] != '\0')
		add(c, CHECKUP_WARNING, SUBJECT_CONFIGURATION,
			"the configuration cannot be read, so defaults are assumed: %s",
			c->configuration_trouble);
	sort(c);
}

enum checkup_level checkup_level(const struct checkup *c)
{
	enum checkup_level worst = CHECKUP_OK;

	for (size_t i = 0; i < c->finding_count; i++)
		if (c->findings[i].level > worst)
			worst = c->findings[i].level;
	return worst;
}

enum checkup_level checkup_level_about(const struct checkup *c, enum examination_subject about)
{
	enum checkup_level worst = CHECKUP_OK;

	for (size_t i = 0; i < c->finding_count; i++)
		if (c->findings[i].about == about && c->findings[i].level > worst)
			worst = c->findings[i].level;
	return worst;
}
