/* SPDX-License-Identifier: Apache-2.0 */
/* One worker, one poll loop. supervise/ decides on the life of the worker; this file acts on it. */
#include "cli/run_watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "cli/progress.h"
#include "supervise/reading.h"
#include "supervise/supervise.h"

#define PROC "/proc"
#define REFRESH_NSEC (NSEC_PER_SEC / 4) /* updates the elapsed time on the progress line */
#define FAREWELL_NSEC (NSEC_PER_SEC * 3 / 2) /* for a worker to clean up and exit after hang-up */

struct watch {
	const struct clock *clock;
	struct supervise_worker worker;
	struct supervise_life life;
	struct progress_line line;
	struct supervise_seen seen;
	struct run *run;
	struct reading begin; /* the kernel's counters */
	struct examination *examination; /* NULL: the worker measures */
	bool is_garbled; /* it sent invalid data: the run has failed, whatever its exit status */
	bool is_over;
	int wait_status;
	int signal_fd;
	int signal;
	uint64_t kill_nsec; /* when to kill after a hang-up; UINT64_MAX: no hang-up */
};

static void finish(struct watch *w, uint64_t now_nsec)
{
	w->run->duration_nsec = now_nsec - w->life.started_nsec;
	if (!w->life.has_result && !w->is_garbled)
		supervise_explain_end(&w->life, &w->seen, w->wait_status, w->run);
	w->is_over = true;
}

static void step(struct watch *w, enum supervise_event event)
{
	uint64_t now_nsec = clock_monotonic_nsec(w->clock);

	switch (supervise_life_step(&w->life, event, now_nsec)) {
	case SUPERVISE_DO_NOTHING:
		return;
	case SUPERVISE_DO_KILL:
		supervise_kill(&w->worker);
		return;
	case SUPERVISE_DO_DECLARE_STUCK:
		w->run->duration_nsec = now_nsec - w->life.started_nsec;
		supervise_explain_stuck(&w->life, now_nsec, w->run);
		w->is_over = true;
		return;
	case SUPERVISE_DO_FINISH:
		finish(w, now_nsec);
		return;
	}
}

static void hang_up(struct watch *w)
{
	w->worker.socket = fd_close(w->worker.socket);
}

static int receive_one(struct watch *w, enum supervise_message *ret, struct error *reterr)
{
	if (!w->examination)
		return supervise_receive(&w->worker, &w->seen.progress, w->run, ret, reterr);
	int r = supervise_receive_examination(&w->worker, w->examination, ret, reterr);
	if (r == 0)
		w->seen.progress = (struct job_progress){ .phase = JOB_PHASE_EXAMINE };
	return r;
}

/* Takes everything the worker has sent so far. */
static void receive(struct watch *w)
{
	while (w->worker.socket >= 0) {
		enum supervise_message message;
		struct error error = { "" };
		int r = receive_one(w, &message, &error);

		if (r < 0) {
			w->is_garbled = true;
			supervise_explain_rubbish(&w->life, r, error.text, w->run);
			hang_up(w);
			step(w, SUPERVISE_EVENT_STOP);
			return;
		}
		switch (message) {
		case SUPERVISE_MESSAGE_NONE:
			return;
		case SUPERVISE_MESSAGE_PROGRESS:
			w->seen.at_nsec = clock_monotonic_nsec(w->clock);
			step(w, SUPERVISE_EVENT_PROGRESS);
			break;
		case SUPERVISE_MESSAGE_RESULT:
			step(w, SUPERVISE_EVENT_RESULT);
			break;
		case SUPERVISE_MESSAGE_END:
			hang_up(w); /* else poll would return at once forever */
			return;
		}
	}
}

/* Data may still be in the socket after the exit, so the socket is drained first. */
static void reap(struct watch *w)
{
	receive(w);
	if (!w->is_over && supervise_reap(&w->worker, &w->wait_status) == 0)
		step(w, SUPERVISE_EVENT_EXIT);
}

static void kill_worker(struct watch *w)
{
	w->kill_nsec = UINT64_MAX;
	step(w, SUPERVISE_EVENT_STOP);
}

/* The first signal hangs up, so that the worker stops, cleans up and exits; the second kills it at
 * once; the third ends the waiting. */
static void take_signal(struct watch *w)
{
	struct signalfd_siginfo info;

	if (read(w->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	bool is_first = w->signal == 0;
	w->signal = (int)info.ssi_signo;
	if (is_first) {
		hang_up(w);
		w->kill_nsec = clock_monotonic_nsec(w->clock) + FAREWELL_NSEC;
	} else if (w->kill_nsec != UINT64_MAX) {
		kill_worker(w);
	} else {
		w->is_over = true;
	}
}

static void take_time(struct watch *w)
{
	if (clock_monotonic_nsec(w->clock) >= w->kill_nsec)
		kill_worker(w);
	step(w, SUPERVISE_EVENT_TIME);
}

static int poll_timeout(const struct watch *w)
{
	uint64_t now_nsec = clock_monotonic_nsec(w->clock);
	uint64_t until_nsec = w->line.fd >= 0 ? now_nsec + REFRESH_NSEC : UINT64_MAX;

	if (w->life.deadline_nsec < until_nsec)
		until_nsec = w->life.deadline_nsec;
	if (w->kill_nsec < until_nsec)
		until_nsec = w->kill_nsec;
	if (until_nsec <= now_nsec)
		return 0;
	uint64_t msec = (until_nsec - now_nsec) / NSEC_PER_MSEC + 1;
	return msec < INT_MAX ? (int)msec : INT_MAX;
}

static void watch_until_over(struct watch *w)
{
	while (!w->is_over) {
		struct pollfd fds[] = {
			{ .fd = w->worker.pidfd, .events = POLLIN },
			{ .fd = w->worker.socket, .events = POLLIN },
			{ .fd = w->signal_fd, .events = POLLIN },
		};

		if (poll(fds, 3, poll_timeout(w)) < 0 && errno != EINTR)
			return; /* impossible: three descriptors of our own */
		if (fds[1].revents)
			receive(w);
		if (fds[2].revents)
			take_signal(w);
		if (fds[0].revents)
			reap(w);
		if (!w->is_over)
			take_time(w);
		if (!w->is_over)
			progress_show(&w->line, w->seen.at_nsec > 0 ? &w->seen.progress : NULL,
				clock_monotonic_nsec(w->clock));
	}
}

/* Signals that are ignored, as under nohup(1) or in background jobs of shells, are not blocked: a
 * blocked signal would still reach the signalfd. */
static int block_signals(sigset_t *ret_old)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t wanted;

	(void)sigemptyset(&wanted); /* these fail only for signals that do not exist */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			(void)sigaddset(&wanted, signals[i]);
	if (sigprocmask(SIG_BLOCK, &wanted, ret_old) < 0)
		return -errno;
	int fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int start(struct watch *w, const struct job *job, struct error *reterr)
{
	char path[PATH_MAX];
	int r = supervise_find_worker(path, sizeof(path), reterr);

	if (r < 0)
		return r;
	w->run->started_usec = clock_realtime_usec(w->clock);
	uint64_t now_nsec = clock_monotonic_nsec(w->clock);
	reading_take(&w->begin, PROC, true, now_nsec);
	r = supervise_spawn(path, job, &w->worker, reterr);
	if (r < 0)
		return r;
	supervise_life_init(&w->life, now_nsec, job->workload.timeout_usec * NSEC_PER_USEC);
	return 0;
}

/* Adds what others did on the disk meanwhile; unknown if the kernel's text cannot be parsed. */
static void add_facts(const struct watch *w)
{
	const struct identity *identity = &w->run->identity;
	bool is_known = w->run->has_own && w->run->status != RUN_STUCK;
	struct reading end = { 0 };
	struct facts_sample samples[2];

	reading_take(&end, PROC, identity_is_nfs(identity), clock_monotonic_nsec(w->clock));
	(void)reading_sample(&w->begin, identity, &samples[0], NULL);
	(void)reading_sample(&end, identity, &samples[1], NULL);
	w->run->facts = facts_between(identity->has_device ? &identity->device : NULL, &samples[0],
		&samples[1], is_known ? &w->run->own : NULL);
	reading_done(&end);
}

/* A worker that exited by itself has removed its file. */
static bool may_leave_file(const struct watch *w)
{
	return w->life.state == SUPERVISE_GONE && !w->life.has_result &&
		WIFSIGNALED(w->wait_status);
}

static int watch(struct watch *w, const struct job *job, int progress_fd, struct run_end *ret_end,
	struct error *reterr)
{
	sigset_t old;

	w->signal_fd = block_signals(&old);
	if (w->signal_fd < 0)
		return error_set(reterr, w->signal_fd, "signals: %s", errno_text(-w->signal_fd));
	progress_init(&w->line, progress_fd, clock_monotonic_nsec(w->clock));
	int r = start(w, job, reterr);
	if (r == 0)
		watch_until_over(w);
	if (r == 0 && !w->examination)
		add_facts(w);
	reading_done(&w->begin);
	progress_erase(&w->line);
	supervise_close(&w->worker);
	w->signal_fd = fd_close(w->signal_fd);
	(void)sigprocmask(SIG_SETMASK, &old, NULL); /* cannot fail: a mask returned by the kernel */
	*ret_end = (struct run_end){
		.signal = w->signal,
		.may_leave_file = may_leave_file(w),
	};
	return r;
}

int run_watch(const struct job *job, const struct clock *clock, int progress_fd, struct run *run,
	struct run_end *ret_end, struct error *reterr)
{
	struct watch w = {
		.clock = clock,
		.worker = SUPERVISE_WORKER_INIT,
		.run = run,
		.kill_nsec = UINT64_MAX,
	};

	return watch(&w, job, progress_fd, ret_end, reterr);
}

int run_watch_examination(const struct job *job, const struct clock *clock, int progress_fd,
	struct examination *examination, struct run *run, struct run_end *ret_end,
	struct error *reterr)
{
	struct watch w = {
		.clock = clock,
		.worker = SUPERVISE_WORKER_INIT,
		.run = run,
		.examination = examination,
		.kill_nsec = UINT64_MAX,
	};

	return watch(&w, job, progress_fd, ret_end, reterr);
}
