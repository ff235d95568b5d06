/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's job: everything it needs, so that it reads no configuration. */
#ifndef REPOPROBE_MODEL_JOB_H
#define REPOPROBE_MODEL_JOB_H

#include "model/run.h"

#define JOB_PATH_MAX 4095
#define JOB_FILE_NAME_MAX 127
#define JOB_FIRST_LAYOUT_BYTES (UINT64_C(128) << 20) /* laid out before the very first run */
/* Added after each run until the file has its full size; more where runs are rare. */
#define JOB_GROWTH_BYTES (UINT64_C(64) << 20)

enum job_kind {
	JOB_BLOCK, /* I/O on the probe file */
	JOB_NULL, /* no I/O: completions are generated from the clock, to test the code around it */
	JOB_EXAMINE, /* no measurement: examines the repository and what a run would meet there */
	JOB_INIT, /* only creates the probe directory, for another user */
	JOB_LOOK, /* whether it may be the probe directory; nothing is written, not even to test
		     that */
	JOB_REMOVE, /* this host's probe files and the probe directory are removed */
};

#define JOB_GROUPS_MAX 256

/* The user that the daemon's workers run as. */
struct job_user {
	uint32_t uid;
	uint32_t gid;
	size_t group_count; /* in addition to gid; workers started by root drop theirs */
	uint32_t groups[JOB_GROUPS_MAX];
};

/* What must be at the path before anything is written there. "" and false: not required. */
struct job_expectation {
	bool requires_mount; /* the path is a mount: its st_dev differs from its parent's */
	char fs_type[32]; /* "nfs" also matches nfs4, "fuse" any fuse.… */
	char source[IDENTITY_TEXT_MAX + 1]; /* as mounted, another name of that device, or UUID=… */
	struct identity_seen seen; /* as recorded when the repository was first seen */
};

struct job {
	enum job_kind kind;
	char repository_path[JOB_PATH_MAX + 1]; /* absolute */
	char probe_directory[JOB_PATH_MAX + 1]; /* absolute; "": repository_path/.repoprobe */
	char file_name[JOB_FILE_NAME_MAX + 1]; /* "<host>-<uid>.dat" */
	struct workload workload;
	uint64_t file_target_bytes; /* the probe file's full size; 0: min(1G, 1 % of free space) */
	uint64_t first_layout_bytes; /* must exist before measuring; 0: the full size */
	uint64_t growth_bytes; /* added after measuring, until the full size; may be 0 */
	uint64_t min_free_bytes; /* never go below it; the larger of both floors applies */
	uint8_t min_free_percent;
	struct job_expectation expected;
	bool keep_file; /* false: remove file (and directory if empty) at the end */
	uint64_t deadline_usec; /* from the start: set-up, layout, measuring and growth; 0: none */
	uint64_t null_latency_nsec; /* JOB_NULL: duration of each I/O */
	char state_directory[JOB_PATH_MAX + 1]; /* JOB_EXAMINE: absolute; "": not examined */
	bool is_daemon_root; /* JOB_INIT: the daemon's workers own the probe directory */
	bool is_for_owner; /* JOB_INIT: the owner is that of the repository instead */
	struct job_user user; /* JOB_INIT */
};

/* Progress of a run, for display: phases in order. */
enum job_phase {
	JOB_PHASE_LAYOUT, /* done and total in bytes */
	JOB_PHASE_WARMUP,
	JOB_PHASE_MEASURE, /* in nanoseconds of the duration, or bytes if that bound is closer */
	JOB_PHASE_DRAIN,
	JOB_PHASE_GROWTH, /* bytes */
	JOB_PHASE_EXAMINE, /* the only phase of JOB_EXAMINE; the first phase of all other jobs */
};

struct job_progress {
	enum job_phase phase;
	uint64_t done;
	uint64_t total;
};

const char *job_phase_text(enum job_phase phase); /* "laying out the probe file" … */

#define JOB_FILE_HEAD_BYTES (UINT64_C(1) << 20) /* before the data */
#define JOB_FILE_BLOCKS_MIN 4 /* at least, in a file of automatic size */

/* The minimum file of a run: its head and a few blocks. */
uint64_t job_least_layout_bytes(const struct workload *w);

/* Writes "<host>-<uid>.dat" or, for `repoprobe run`, "<host>-<uid>-run.dat". */
void job_file_name(struct job *job, const char *host_id, unsigned uid, bool is_command_line);

#endif
