/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker finds when it looks at a repository without measuring it: facts, and what a run
 * would end with. Plain values; "" and 0 mean unknown. */
#ifndef REPOPROBE_MODEL_EXAMINATION_H
#define REPOPROBE_MODEL_EXAMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/identity.h"
#include "model/job.h"
#include "model/run.h"

#define EXAMINATION_REFUSALS_MAX 8

/* What is being looked at, in this order. What comes before it is filled in. */
enum examination_step {
	EXAMINATION_PLACE,
	EXAMINATION_HISTORY,
	EXAMINATION_DIRECTORY, /* from here on as the user that a run would work as */
	EXAMINATION_DIRECT,
	EXAMINATION_URING,
	EXAMINATION_COMPLETE, /* or there was nothing to go on with */
};
#define EXAMINATION_STEPS 6

/* What a fact or a finding is about. */
enum examination_subject {
	SUBJECT_NONE,
	SUBJECT_PATH,
	SUBJECT_MOUNT,
	SUBJECT_FILE_SYSTEM,
	SUBJECT_SPACE,
	SUBJECT_INODES,
	SUBJECT_DEVICE,
	SUBJECT_SECTORS,
	SUBJECT_REQUESTS,
	SUBJECT_DIRECT_IO,
	SUBJECT_ALIGNMENT,
	SUBJECT_CACHES,
	SUBJECT_IO_URING,
	SUBJECT_BUFFERS,
	SUBJECT_USER,
	SUBJECT_DIRECTORY,
	SUBJECT_FILE,
	SUBJECT_COST,
	SUBJECT_HISTORY,
	SUBJECT_CONFIGURATION,
};
#define EXAMINATION_SUBJECTS 20

enum examination_kind {
	EXAMINATION_KIND_UNKNOWN, /* FUSE, and whatever we have never heard of */
	EXAMINATION_KIND_DISK,
	EXAMINATION_KIND_NETWORK,
	EXAMINATION_KIND_MEMORY,
	EXAMINATION_KIND_OVERLAY,
};
#define EXAMINATION_KINDS 5

/* What would end a run, in the words of that run. */
struct examination_refusal {
	enum examination_subject about;
	enum run_status status;
	int error_number;
	char text[RUN_REASON_MAX + 1];
};

struct examination_owner {
	uint32_t uid;
	uint32_t gid;
	uint16_t mode; /* permission bits */
	bool is_immutable; /* chattr +i or +a */
};

/* The file of one name in the probe directory. */
struct examination_file {
	bool exists;
	bool is_ours;
	uint64_t size_bytes;
};

enum examination_trial {
	EXAMINATION_NOT_TRIED, /* no file could be had: error_number, or 0 */
	EXAMINATION_WORKED,
	EXAMINATION_DECLINED, /* EINVAL and the like: runs go through the page cache */
	EXAMINATION_FAILED,
};
#define EXAMINATION_TRIALS 4

struct examination_direct {
	enum examination_trial trial;
	int error_number;
	bool is_written; /* a write to a nameless file; else a read of a probe file */
	uint32_t read_align_bytes; /* the shortest read that worked, 512 to 65536 */
	uint32_t offset_align_bytes; /* as statx(2) says, Linux 6.1 */
	uint32_t memory_align_bytes;
	bool are_writes_cached; /* they go through the page cache, though it worked */
};

struct examination_uring {
	int error_number; /* 0: allowed */
	uint8_t disabled; /* kernel.io_uring_disabled */
	bool has_seccomp; /* a filter of system calls is in force */
	bool has_threads_engine; /* runs need no io_uring */
	int buffers_error_number; /* 0: they could be registered */
	uint64_t buffer_bytes; /* so much for the job's workload */
	uint64_t memory_lock_bytes; /* the limit; UINT64_MAX: none */
};

/* Where the history is kept. */
struct examination_history {
	int error_number; /* it could not be looked at */
	enum examination_kind kind;
	struct identity identity; /* of its file system; sizes unknown */
	bool is_same_file_system; /* as the repository */
	bool shares_disk; /* with the repository */
};

/* The probe directory that was to be made. */
struct examination_preparation {
	char path[JOB_PATH_MAX + 1];
	bool is_ready; /* it is there, and the daemon can use it */
	bool is_new;
	bool is_beside; /* the daemon's user may not enter the repository, so it lies next to it */
};

/* What was to be taken away. */
struct examination_removal {
	char path[JOB_PATH_MAX + 1]; /* the probe directory */
	bool is_done; /* also when there was none */
	uint32_t files; /* of this host, removed … */
	uint64_t bytes; /* … that they had */
	uint32_t other_files; /* probe files of other hosts, which stay */
	uint32_t foreign_names; /* what is not repoprobe's, likewise */
	bool is_tag_removed;
	bool is_directory_removed;
	int error_number; /* why not, where nothing else is in it; or 0 */
};

struct examination {
	enum examination_step step;
	char real_path[JOB_PATH_MAX + 1]; /* all links resolved */
	enum examination_kind kind;
	bool is_in_memory; /* also an overlay whose writes stay in memory */
	bool is_compressed; /* what is written */
	bool is_read_only;
	struct identity identity;
	uint64_t inodes; /* 0: the file system has no such number */
	uint64_t free_inodes;
	uint64_t file_target_bytes; /* the size that a probe file would have in the end */
	bool has_room; /* for all of it */
	bool has_history; /* it was looked at */
	struct examination_history history;

	uint32_t caller_uid;
	uint32_t worker_uid; /* that a run would work as */
	uint32_t worker_gid;
	struct examination_owner repository;
	bool has_directory;
	struct examination_owner directory;
	int write_error_number; /* 0: a run may create what it needs */
	struct examination_file file; /* the daemon's, were it the caller */
	struct examination_file run_file; /* of `repoprobe run` */
	uint32_t other_files; /* in the probe directory, the tag not counted */
	uint64_t other_bytes;

	struct examination_direct direct;
	struct examination_uring uring;
	bool has_preparation; /* JOB_INIT */
	struct examination_preparation preparation;
	bool has_removal; /* JOB_REMOVE */
	struct examination_removal removal;
	size_t refusal_count;
	struct examination_refusal refusals[EXAMINATION_REFUSALS_MAX];
};

const char *examination_step_text(enum examination_step step); /* "the probe directory" */
const char *examination_subject_name(enum examination_subject subject); /* "direct_io" */
const char *examination_kind_name(enum examination_kind kind); /* "network" */

/* What kind of file system this is, by the name of its type. has_device: it lies on a disk. */
enum examination_kind examination_kind_of(const char *fs_type, bool has_device);

/* Takes what a failed run says as a refusal, once; beyond the maximum it is dropped. */
void examination_add_refusal(
	struct examination *e, enum examination_subject about, const struct run *run);

#endif
