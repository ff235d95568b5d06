/* SPDX-License-Identifier: Apache-2.0 */
/* The result of examining a repository without measuring it: facts, and how a run would fail. Plain
 * values; "" and 0 mean unknown. */
#ifndef REPOPROBE_MODEL_EXAMINATION_H
#define REPOPROBE_MODEL_EXAMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/identity.h"
#include "model/job.h"
#include "model/run.h"

#define EXAMINATION_REFUSALS_MAX 8

/* The steps, in this order. The facts of earlier steps are filled in. */
enum examination_step {
	EXAMINATION_PLACE,
	EXAMINATION_HISTORY,
	EXAMINATION_DIRECTORY, /* from here on as the user that a run would use */
	EXAMINATION_DIRECT,
	EXAMINATION_URING,
	EXAMINATION_COMPLETE, /* or it could not continue */
};
#define EXAMINATION_STEPS 6

/* The subject of a fact or a finding. */
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
	EXAMINATION_KIND_UNKNOWN, /* FUSE, and any unknown type */
	EXAMINATION_KIND_DISK,
	EXAMINATION_KIND_NETWORK,
	EXAMINATION_KIND_MEMORY,
	EXAMINATION_KIND_OVERLAY,
};
#define EXAMINATION_KINDS 5

/* The failure of a run, as that run would report it. */
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
	EXAMINATION_NOT_TRIED, /* no file was available: error_number, or 0 */
	EXAMINATION_WORKED,
	EXAMINATION_DECLINED, /* EINVAL and the like: runs go through the page cache */
	EXAMINATION_FAILED,
};
#define EXAMINATION_TRIALS 4

struct examination_direct {
	enum examination_trial trial;
	int error_number;
	bool is_written; /* by a write to a nameless file; else by a read of a probe file */
	uint32_t read_align_bytes; /* the shortest read that worked, 512 to 65536 */
	uint32_t offset_align_bytes; /* as reported by statx(2), Linux 6.1 */
	uint32_t memory_align_bytes;
	bool are_writes_cached; /* they go through the page cache, although the open succeeded */
};

struct examination_uring {
	int error_number; /* 0: allowed */
	uint8_t disabled; /* kernel.io_uring_disabled */
	bool has_seccomp; /* a system call filter is active */
	bool has_threads_engine; /* runs do not need io_uring */
	int buffers_error_number; /* 0: they could be registered */
	uint64_t buffer_bytes; /* this many for the job's workload */
	uint64_t memory_lock_bytes; /* the limit; UINT64_MAX: none */
};

/* Where the history is kept. */
struct examination_history {
	int error_number; /* it could not be examined */
	enum examination_kind kind;
	struct identity identity; /* of its file system; sizes unknown */
	bool is_same_file_system; /* as the repository */
	bool shares_disk; /* as the repository's */
};

/* The probe directory that was to be created. */
struct examination_preparation {
	char path[JOB_PATH_MAX + 1];
	bool is_ready; /* it exists, and the daemon can use it */
	bool is_new;
	bool is_beside; /* beside the repository, which the daemon's user may not enter */
};

/* What was to be removed. */
struct examination_removal {
	char path[JOB_PATH_MAX + 1]; /* the probe directory */
	bool is_done; /* also if there was none */
	uint32_t files; /* this host's files that were removed … */
	uint64_t bytes; /* … and their size */
	uint32_t other_files; /* probe files of other hosts, which are kept */
	uint32_t foreign_names; /* names that are not repoprobe's, which are kept */
	bool is_tag_removed;
	bool is_directory_removed;
	int error_number; /* why it was not removed although nothing else is in it; or 0 */
};

struct examination {
	enum examination_step step;
	char real_path[JOB_PATH_MAX + 1]; /* all links resolved */
	enum examination_kind kind;
	bool is_in_memory; /* also an overlay whose writes stay in memory */
	bool is_compressed; /* by the file system, when written */
	bool is_read_only;
	struct identity identity;
	uint64_t inodes; /* 0: the file system does not report it */
	uint64_t free_inodes;
	uint64_t file_target_bytes; /* the final size of a probe file */
	bool has_room; /* for the whole file */
	bool has_history; /* it was examined */
	struct examination_history history;

	uint32_t caller_uid;
	uint32_t worker_uid; /* that a run would use */
	uint32_t worker_gid;
	struct examination_owner repository;
	bool has_directory;
	struct examination_owner directory;
	int write_error_number; /* 0: a run may create what it needs */
	struct examination_file file; /* the daemon's, if the caller were the daemon */
	struct examination_file run_file; /* of `repoprobe run` */
	uint32_t other_files; /* in the probe directory, without the tag */
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

/* The kind of a file system by the name of its type. has_device: it is on a disk. */
enum examination_kind examination_kind_of(const char *fs_type, bool has_device);

/* Adds the failure of a run as a refusal, each once; dropped beyond the maximum. */
void examination_add_refusal(
	struct examination *e, enum examination_subject about, const struct run *run);

#endif
