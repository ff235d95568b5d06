/* SPDX-License-Identifier: Apache-2.0 */
/* Names for an examination, and its refusals. */
#include "model/examination.h"

#include <assert.h>
#include <string.h>

static const char *const step_texts[] = {
	[EXAMINATION_PLACE] = "the directory and its file system",
	[EXAMINATION_HISTORY] = "the state directory",
	[EXAMINATION_DIRECTORY] = "the probe directory",
	[EXAMINATION_DIRECT] = "direct I/O",
	[EXAMINATION_URING] = "io_uring",
	[EXAMINATION_COMPLETE] = "nothing",
};

static const char *const subject_names[] = {
	[SUBJECT_NONE] = "",
	[SUBJECT_PATH] = "path",
	[SUBJECT_MOUNT] = "mount",
	[SUBJECT_FILE_SYSTEM] = "file_system",
	[SUBJECT_SPACE] = "space",
	[SUBJECT_INODES] = "inodes",
	[SUBJECT_DEVICE] = "device",
	[SUBJECT_SECTORS] = "sectors",
	[SUBJECT_REQUESTS] = "requests",
	[SUBJECT_DIRECT_IO] = "direct_io",
	[SUBJECT_ALIGNMENT] = "alignment",
	[SUBJECT_CACHES] = "caches",
	[SUBJECT_IO_URING] = "io_uring",
	[SUBJECT_BUFFERS] = "buffers",
	[SUBJECT_USER] = "user",
	[SUBJECT_DIRECTORY] = "probe_directory",
	[SUBJECT_FILE] = "probe_file",
	[SUBJECT_COST] = "cost",
	[SUBJECT_HISTORY] = "history",
	[SUBJECT_CONFIGURATION] = "configuration",
};

static const char *const kind_names[] = {
	[EXAMINATION_KIND_UNKNOWN] = "unknown",
	[EXAMINATION_KIND_DISK] = "disk",
	[EXAMINATION_KIND_NETWORK] = "network",
	[EXAMINATION_KIND_MEMORY] = "memory",
	[EXAMINATION_KIND_OVERLAY] = "overlay",
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

_Static_assert(COUNT(step_texts) == EXAMINATION_STEPS, "a text for each step");
_Static_assert(COUNT(subject_names) == EXAMINATION_SUBJECTS, "a name for each subject");
_Static_assert(COUNT(kind_names) == EXAMINATION_KINDS, "a name for each kind");

const char *examination_step_text(enum examination_step step)
{
	assert((size_t)step < COUNT(step_texts));
	return step_texts[step];
}

const char *examination_subject_name(enum examination_subject subject)
{
	assert((size_t)subject < COUNT(subject_names));
	return subject_names[subject];
}

const char *examination_kind_name(enum examination_kind kind)
{
	assert((size_t)kind < COUNT(kind_names));
	return kind_names[kind];
}

enum examination_kind examination_kind_of(const char *fs_type, bool has_device)
{
	static const struct {
		const char *fs_type;
		enum examination_kind kind;
	} known[] = {
		{ "nfs", EXAMINATION_KIND_NETWORK },
		{ "nfs4", EXAMINATION_KIND_NETWORK },
		{ "cifs", EXAMINATION_KIND_NETWORK },
		{ "smb3", EXAMINATION_KIND_NETWORK },
		{ "9p", EXAMINATION_KIND_NETWORK },
		{ "afs", EXAMINATION_KIND_NETWORK },
		{ "beegfs", EXAMINATION_KIND_NETWORK },
		{ "ceph", EXAMINATION_KIND_NETWORK },
		{ "glusterfs", EXAMINATION_KIND_NETWORK },
		{ "gpfs", EXAMINATION_KIND_NETWORK },
		{ "lustre", EXAMINATION_KIND_NETWORK },
		{ "fuse.ceph", EXAMINATION_KIND_NETWORK },
		{ "fuse.glusterfs", EXAMINATION_KIND_NETWORK },
		{ "fuse.rclone", EXAMINATION_KIND_NETWORK },
		{ "fuse.s3fs", EXAMINATION_KIND_NETWORK },
		{ "fuse.sshfs", EXAMINATION_KIND_NETWORK },
		{ "tmpfs", EXAMINATION_KIND_MEMORY },
		{ "ramfs", EXAMINATION_KIND_MEMORY },
		{ "overlay", EXAMINATION_KIND_OVERLAY },
		/* Their device numbers do not identify their disks. */
		{ "bcachefs", EXAMINATION_KIND_DISK },
		{ "btrfs", EXAMINATION_KIND_DISK },
		{ "zfs", EXAMINATION_KIND_DISK },
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (strcmp(known[i].fs_type, fs_type) == 0)
			return known[i].kind;
	return has_device ? EXAMINATION_KIND_DISK : EXAMINATION_KIND_UNKNOWN;
}

void examination_add_refusal(
	struct examination *e, enum examination_subject about, const struct run *run)
{
	for (size_t i = 0; i < e->refusal_count; i++)
		if (strcmp(e->refusals[i].text, run->reason) == 0)
			return;
	if (e->refusal_count == EXAMINATION_REFUSALS_MAX)
		return;
	struct examination_refusal *refusal = &e->refusals[e->refusal_count++];
	refusal->about = about;
	refusal->status = run->status;
	refusal->error_number = run->error_number;
	memcpy(refusal->text, run->reason, sizeof(refusal->text));
}
