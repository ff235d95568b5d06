/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker is told to do: everything it needs, so that it reads no configuration. */
#ifndef REPOPROBE_MODEL_JOB_H
#define REPOPROBE_MODEL_JOB_H

#include "model/run.h"

#define JOB_PATH_MAX 4095
#define JOB_FILE_NAME_MAX 127
#define JOB_FIRST_LAYOUT_BYTES (UINT64_C(128) << 20) /* laid out before the very first run */
/* Added after each run until the file is whole, or more where runs are rare. */
#define JOB_GROWTH_BYTES (UINT64_C(64) << 20)

enum job_kind {
	JOB_BLOCK, /* I/O on the probe file */
	JOB_NULL, /* no I/O at all: completions invented from the clock, to test what is around it
		   */
	JOB_EXAMINE, /* nothing is measured: what the place is, and what a run would meet there */
	JOB_INIT, /* the probe directory is made, for another user; nothing else */
	JOB_LOOK, /* may it be the probe directory? Nothing is written, not even to try that */
	JOB_REMOVE, /* this host's probe files and the probe directory are removed */
};

#define JOB_GROUPS_MAX 256

/* Whom the daemon's workers work as. */
struct job_user {
	uint32_t uid;
	uint32_t gid;
	size_t group_count; /* beyond gid; root's workers leave theirs behind */
	uint32_t groups[JOB_GROUPS_MAX];
};

/* What must be found at the path before anything is written there. "" and false: not asked for. */
struct job_expectation {
	bool requires_mount; /* the path is a mount: its st_dev differs from its parent's */
	char fs_type[32]; /* "nfs" means nfs4 too, "fuse" any fuse.… */
	char source[IDENTITY_TEXT_MAX + 1]; /* as mounted, another name of that device, or UUID=… */
	struct identity_seen seen; /* what was there when the repository was first seen */
};

struct job {
	enum job_kind kind;
	char repository_path[JOB_PATH_MAX + 1]; /* absolute */
	char probe_directory[JOB_PATH_MAX + 1]; /* absolute; "": repository_path/.repoprobe */
	char file_name[JOB_FILE_NAME_MAX + 1]; /* "<host>-<uid>.dat" */
	struct workload workload;
	uint64_t file_target_bytes; /* the probe file's full size; 0: min(1G, 1 % of free space) */
	uint64_t first_layout_bytes; /* must exist before measuring; 0: all of it */
	uint64_t growth_bytes; /* added after measuring, while below the full size; may be 0 */
	uint64_t min_free_bytes; /* never go below; the larger of both floors counts */
	uint8_t min_free_percent;
	struct job_expectation expected;
	bool keep_file; /* false: remove file (and directory if empty) at the end */
	uint64_t deadline_usec; /* from the start: set-up, layout, measuring and growth; 0: none */
	uint64_t null_latency_nsec; /* JOB_NULL: what each I/O takes */
	char state_directory[JOB_PATH_MAX + 1]; /* JOB_EXAMINE: absolute; "": not to be looked at */
	bool is_daemon_root; /* JOB_INIT: its workers become the owner of the probe directory */
	bool is_for_owner; /* JOB_INIT: that is to be the repository's owner, not this one */
	struct job_user user; /* JOB_INIT */
};

/* Progress of a run, for whoever watches: phases in order. */
enum job_phase {
	JOB_PHASE_LAYOUT, /* done and total in bytes */
	JOB_PHASE_WARMUP,
	JOB_PHASE_MEASURE, /* in nanoseconds of the duration, or bytes when that bound is nearer */
	JOB_PHASE_DRAIN,
	JOB_PHASE_GROWTH, /* bytes */
	JOB_PHASE_EXAMINE, /* of JOB_EXAMINE, alone; and before the first of all others */
};

struct job_progress {
	enum job_phase phase;
	uint64_t done;
	uint64_t total;
};

const char *job_phase_text(enum job_phase phase); /* "laying out the probe file" … */

#define JOB_FILE_HEAD_BYTES (UINT64_C(1) << 20) /* before the data */
#define JOB_FILE_BLOCKS_MIN 4 /* that a file of automatic size holds */

/* What the file of a run must at least have: its head and a few blocks. */
uint64_t job_least_layout_bytes(const struct workload *w);

/* Writes "<host>-<uid>.dat" or, for `repoprobe run`, "<host>-<uid>-run.dat". */
void job_file_name(struct job *job, const char *host_id, unsigned uid, bool is_command_line);

#endif
