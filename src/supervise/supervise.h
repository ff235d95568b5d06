/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one job in one worker process. Two halves: the life of a worker as a pure state machine, and
 * the calls that spawn, listen, kill and reap. No event loop in here: daemon and command line drive
 * it by their own. */
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
	(UINT64_C(2) * 1000000000) /* no result so long past the deadline: killed */
#define SUPERVISE_REAP_NSEC                                                                        \
	(UINT64_C(5) * 1000000000) /* not reaped so long after report or kill: stuck */

enum supervise_state {
	SUPERVISE_RUNNING,
	SUPERVISE_REPORTED, /* the result is here; it has only to exit */
	SUPERVISE_KILLED,
	SUPERVISE_STUCK, /* reported or killed, yet not reaped */
	SUPERVISE_GONE, /* reaped */
};

enum supervise_event {
	SUPERVISE_EVENT_TIME, /* nothing but time passed */
	SUPERVISE_EVENT_PROGRESS, /* a sign of life */
	SUPERVISE_EVENT_RESULT,
	SUPERVISE_EVENT_STOP, /* the caller wants it gone now */
	SUPERVISE_EVENT_EXIT, /* reaped */
};

enum supervise_action {
	SUPERVISE_DO_NOTHING,
	SUPERVISE_DO_KILL, /* send SIGKILL */
	SUPERVISE_DO_DECLARE_STUCK, /* finish the run now, go on waiting for the process */
	SUPERVISE_DO_FINISH, /* reaped: the run is complete (after "stuck": its true duration) */
};

struct supervise_life {
	enum supervise_state state;
	uint64_t started_nsec;
	uint64_t deadline_nsec; /* when the next step is due without an event, UINT64_MAX: never */
	bool was_killed; /* past its deadline */
	bool was_stopped; /* the caller wanted it gone: no verdict on the repository */
	bool has_begun; /* it went to work on the repository: before that all is our trouble */
	bool has_result;
};

/* Of a worker that another daemon started and left: killed if it does not go by itself within
 * SUPERVISE_GRACE_NSEC, or, when it is stuck already, waited for. */
void supervise_life_adopt(
	struct supervise_life *life, uint64_t now_nsec, uint64_t started_nsec, bool is_stuck);

/* limit_nsec: how long the job may take in all; the kill comes SUPERVISE_GRACE_NSEC later. */
void supervise_life_init(struct supervise_life *life, uint64_t now_nsec, uint64_t limit_nsec);
enum supervise_action supervise_life_step(
	struct supervise_life *life, enum supervise_event event, uint64_t now_nsec);

/* --- The process (process.c) -------------------------------------------- */

struct supervise_worker {
	pid_t pid; /* 0: none */
	int pidfd; /* readable when it ended; -1: none */
	int socket; /* our end, non-blocking; -1: none */
};

#define SUPERVISE_WORKER_INIT                                                                      \
	{                                                                                          \
		.pid = 0, .pidfd = -1, .socket = -1                                                \
	}

/* The worker program: repoprobe-worker beside our own executable, else in libexecdir. Writes an
 * absolute path. -ENOENT when neither is executable, with both in reterr. */
int supervise_find_worker(char *ret_path, size_t size, struct error *reterr);

/* posix_spawn with one end of a SOCK_SEQPACKET pair as fd 3, default signals, own process group,
 * and sends the job. The environment is passed on. Takes nothing, gives a worker to close. */
int supervise_spawn(const char *worker_path, const struct job *job, struct supervise_worker *ret,
	struct error *reterr);

/* The same out of a thread that has none of the descriptors which were opened after its start: a
 * program with files on a file system that may hang starts one before it opens them. spawner may be
 * NULL. The thread lives as long as its workers should. A failure after the start gives a worker
 * too: it is killed, and remains to be reaped and closed; without one *ret is as it was. */
struct supervise_spawner;
int supervise_spawner_start(struct supervise_spawner **ret, struct error *reterr);
struct supervise_spawner *supervise_spawner_stop(struct supervise_spawner *spawner);
int supervise_spawn_from(struct supervise_spawner *spawner, const char *worker_path,
	const struct job *job, struct supervise_worker *ret, struct error *reterr);

enum supervise_message {
	SUPERVISE_MESSAGE_NONE, /* nothing to read now */
	SUPERVISE_MESSAGE_PROGRESS,
	SUPERVISE_MESSAGE_RESULT,
	SUPERVISE_MESSAGE_END, /* the worker closed its end */
};

/* Reads one message without blocking. PROGRESS fills *progress, RESULT fills *run. Rubbish is
 * -EBADMSG or -EPROTO with a sentence; the caller then fails the run and kills the worker. */
int supervise_receive(struct supervise_worker *worker, struct job_progress *progress,
	struct run *run, enum supervise_message *ret, struct error *reterr);

/* The same for JOB_EXAMINE: PROGRESS when *examination holds what is known so far, RESULT when that
 * is all. */
int supervise_receive_examination(struct supervise_worker *worker, struct examination *examination,
	enum supervise_message *ret, struct error *reterr);

void supervise_kill(const struct supervise_worker *worker);

/* Collects an ended worker without blocking: 0 and wait status, or -EAGAIN while it lives. Of one
 * that is not our child (notes.h) the status is not known: 0. */
int supervise_reap(struct supervise_worker *worker, int *ret_wait_status);

/* A child that has ended and is not reaped, a worker or not; 0: none. As the first process of a
 * container, or a subreaper, one gets orphans of others, too. */
pid_t supervise_find_ended(void);
/* Reaps one of those, which is no worker. */
void supervise_reap_stranger(pid_t pid);

/* Closes the descriptors (never waits). */
void supervise_close(struct supervise_worker *worker);

/* The last that a worker told of its progress. */
struct supervise_seen {
	struct job_progress progress;
	uint64_t at_nsec; /* monotonic; 0: it told nothing */
};

/* What the run becomes from how the worker ended, when it sent no result: killed for time
 * (timeout, with what was seen until then), a signal, an exit code (error); of
 * one that had not begun, trouble of our own. */
void supervise_explain_end(const struct supervise_life *life, const struct supervise_seen *seen,
	int wait_status, struct run *run);
/* … from an answer that cannot be read: r and why tell what is wrong with it. */
void supervise_explain_rubbish(
	const struct supervise_life *life, int r, const char *why, struct run *run);
/* … and when it is stuck: status and sentence replace what was there. */
void supervise_explain_stuck(const struct supervise_life *life, uint64_t now_nsec, struct run *run);

#endif
