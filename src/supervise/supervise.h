/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one job in one worker process. Two halves: a worker's life as a pure state machine, and the
 * calls that spawn, receive, kill and reap. Daemon and command line use their own event loops. */
#ifndef REPOPROBE_SUPERVISE_SUPERVISE_H
#define REPOPROBE_SUPERVISE_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/examination.h"
#include "model/job.h"
#include "model/run.h"

struct error;

/* --- The life of a worker (life.c, pure) -------------------------------- */

#define SUPERVISE_GRACE_NSEC                                                                       \
	(UINT64_C(2) * 1000000000) /* from the deadline without a result to the kill */
#define SUPERVISE_REAP_NSEC                                                                        \
	(UINT64_C(5) * 1000000000) /* from report or kill without a reap to stuck */

enum supervise_state {
	SUPERVISE_RUNNING,
	SUPERVISE_REPORTED, /* sent its result; not yet exited */
	SUPERVISE_KILLED,
	SUPERVISE_STUCK, /* reported or killed, but not reaped */
	SUPERVISE_GONE, /* reaped */
};

enum supervise_event {
	SUPERVISE_EVENT_TIME, /* only time passed */
	SUPERVISE_EVENT_PROGRESS, /* a sign of life */
	SUPERVISE_EVENT_RESULT,
	SUPERVISE_EVENT_STOP, /* the caller cancels it */
	SUPERVISE_EVENT_EXIT, /* reaped */
};

enum supervise_action {
	SUPERVISE_DO_NOTHING,
	SUPERVISE_DO_KILL, /* send SIGKILL */
	SUPERVISE_DO_DECLARE_STUCK, /* finish the run now, but keep waiting for the process */
	SUPERVISE_DO_FINISH, /* reaped: the run is complete (after "stuck": its true duration) */
};

struct supervise_life {
	enum supervise_state state;
	uint64_t started_nsec;
	uint64_t deadline_nsec; /* when the next step is due without an event; UINT64_MAX: never */
	bool was_killed; /* for exceeding its deadline */
	bool was_stopped; /* cancelled by the caller: no verdict on the repository */
	bool has_begun; /* it accessed the repository; a failure before that is ours */
	bool has_result;
};

/* For a worker that an earlier daemon left running: killed if it does not exit within
 * SUPERVISE_GRACE_NSEC, or, if it is stuck already, only waited for. */
void supervise_life_adopt(
	struct supervise_life *life, uint64_t now_nsec, uint64_t started_nsec, bool is_stuck);

/* limit_nsec: total time of the job; the kill comes SUPERVISE_GRACE_NSEC later. */
void supervise_life_init(struct supervise_life *life, uint64_t now_nsec, uint64_t limit_nsec);
enum supervise_action supervise_life_step(
	struct supervise_life *life, enum supervise_event event, uint64_t now_nsec);

/* --- The process (process.c) -------------------------------------------- */

struct supervise_worker {
	pid_t pid; /* 0: none */
	int pidfd; /* readable after its end; -1: none */
	int socket; /* our end, non-blocking; -1: none */
};

#define SUPERVISE_WORKER_INIT                                                                      \
	{                                                                                          \
		.pid = 0, .pidfd = -1, .socket = -1                                                \
	}

/* The worker program: repoprobe-worker beside our own executable, else in libexecdir. Writes an
 * absolute path. -ENOENT when neither is executable; reterr names both. */
int supervise_find_worker(char *ret_path, size_t size, struct error *reterr);

/* Starts a worker by posix_spawn with one end of a SOCK_SEQPACKET pair as fd 3, default signals and
 * its own process group, and sends the job. The environment is inherited. The caller closes the
 * worker. */
int supervise_spawn(const char *worker_path, const struct job *job, struct supervise_worker *ret,
	struct error *reterr);

/* The same from a thread without the descriptors opened after its start: a program with files on a
 * file system that may hang starts the thread before it opens them. spawner may be NULL. The thread
 * must outlive its workers. A failure after the start also gives a worker: it is killed, and must
 * be reaped and closed; otherwise *ret is unchanged. */
struct supervise_spawner;
int supervise_spawner_start(struct supervise_spawner **ret, struct error *reterr);
struct supervise_spawner *supervise_spawner_stop(struct supervise_spawner *spawner);
int supervise_spawn_from(struct supervise_spawner *spawner, const char *worker_path,
	const struct job *job, struct supervise_worker *ret, struct error *reterr);

enum supervise_message {
	SUPERVISE_MESSAGE_NONE, /* nothing to read now */
	SUPERVISE_MESSAGE_PROGRESS,
	SUPERVISE_MESSAGE_RESULT,
	SUPERVISE_MESSAGE_END, /* the worker closed the socket */
};

/* Reads one message without blocking. PROGRESS fills *progress, RESULT fills *run. A malformed
 * message is -EBADMSG or -EPROTO with a sentence; the caller then fails the run and kills the
 * worker. */
int supervise_receive(struct supervise_worker *worker, struct job_progress *progress,
	struct run *run, enum supervise_message *ret, struct error *reterr);

/* The same for JOB_EXAMINE: PROGRESS when *examination is partial, RESULT when it is complete. */
int supervise_receive_examination(struct supervise_worker *worker, struct examination *examination,
	enum supervise_message *ret, struct error *reterr);

void supervise_kill(const struct supervise_worker *worker);

/* Reaps an ended worker without blocking: 0 and the wait status, or -EAGAIN while it runs. For a
 * process that is not our child (notes.h) the status is unknown: 0. */
int supervise_reap(struct supervise_worker *worker, int *ret_wait_status);

/* A child that has ended and is not reaped, worker or not; 0: none. The first process of a
 * container, or a subreaper, also gets orphans of other processes. */
pid_t supervise_find_ended(void);
/* Reaps such a child, which is not a worker. */
void supervise_reap_stranger(pid_t pid);

/* Closes the descriptors without blocking. */
void supervise_close(struct supervise_worker *worker);

/* The last progress that a worker reported. */
struct supervise_seen {
	struct job_progress progress;
	uint64_t at_nsec; /* monotonic; 0: no progress */
};

/* Sets the run's status from the end of a worker without a result: killed at its deadline (timeout,
 * with the last progress), a signal, an exit code (error); before it began, our failure. */
void supervise_explain_end(const struct supervise_life *life, const struct supervise_seen *seen,
	int wait_status, struct run *run);
/* … from a malformed answer: r and why describe the fault. */
void supervise_explain_rubbish(
	const struct supervise_life *life, int r, const char *why, struct run *run);
/* … for a stuck worker: replaces status and sentence. */
void supervise_explain_stuck(const struct supervise_life *life, uint64_t now_nsec, struct run *run);

#endif
