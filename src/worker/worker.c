/* SPDX-License-Identifier: Apache-2.0 */
/* One job, one result. */
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hook.h"
#include "base/log.h"
#include "probe/clear.h"
#include "probe/examine.h"
#include "probe/prepare.h"
#include "probe/probe.h"
#include "wire/wire.h"

enum {
	EXIT_DELIVERED = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

static bool is_job_socket(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

/* Drops privileges that no job needs before the first byte of it is read. */
static int restrict_process(void)
{
	const struct rlimit no_core = { 0, 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
		setrlimit(RLIMIT_CORE, &no_core) < 0)
		return -errno;
	return 0;
}

static int receive_job(int fd, struct job *ret, struct error *reterr)
{
	uint8_t *message = malloc(WIRE_MESSAGE_MAX);
	ssize_t n;

	if (!message)
		return error_set(reterr, -ENOMEM, "no memory for a job");
	do
		n = recv(fd, message, WIRE_MESSAGE_MAX, MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	int r;
	if (n < 0)
		r = error_set(reterr, -errno, "cannot read the job: %s", errno_text(errno));
	else if ((size_t)n > WIRE_MESSAGE_MAX)
		r = error_set(reterr, -EMSGSIZE, "the job is too long");
	else
		r = wire_decode_job(message, (size_t)n, ret, reterr);
	free(message);
	return r;
}

struct listener {
	int fd;
	bool is_gone;
};

/* Progress is informational: a message that does not fit into the socket is dropped. */
static void send_progress(void *data, const struct job_progress *progress)
{
	struct listener *listener = data;
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_progress(progress, &b);
	if (b.error == 0 && send(listener->fd, b.data, b.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
		(errno == EPIPE || errno == ECONNRESET))
		listener->is_gone = true;
	buf_done(&b);
}

static bool is_gone(void *data)
{
	const struct listener *listener = data;

	return listener->is_gone;
}

static int send_result(int fd, const struct run *run)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	ssize_t n = -1;

	wire_encode_result(run, &b);
	int r = b.error;
	if (r == 0) {
		do
			n = send(fd, b.data, b.len, MSG_NOSIGNAL);
		while (n < 0 && errno == EINTR);
		r = n < 0 ? -errno : 0;
	}
	buf_done(&b);
	return r;
}

/* Sent before each step with what is known so far: the step may hang. */
static void send_examination(void *data, const struct examination *e)
{
	struct listener *listener = data;
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	ssize_t n = -1;

	wire_encode_examination(e, &b);
	if (b.error == 0) {
		do
			n = send(listener->fd, b.data, b.len, MSG_NOSIGNAL);
		while (n < 0 && errno == EINTR);
	}
	listener->is_gone = n < 0;
	buf_done(&b);
}

/* Jobs without a measurement. */
static const struct examination_job {
	enum job_kind kind;
	void (*run)(const struct job *job, const struct examine_observer *observer,
		struct examination *ret);
} examinations[] = {
	{ JOB_EXAMINE, examine_run },
	{ JOB_INIT, prepare_run },
	{ JOB_REMOVE, clear_run },
	{ JOB_LOOK, examine_look },
};

static const struct examination_job *find_examination(enum job_kind kind)
{
	for (size_t i = 0; i < sizeof(examinations) / sizeof(examinations[0]); i++)
		if (examinations[i].kind == kind)
			return &examinations[i];
	return NULL;
}

static int examine(int fd, const struct examination_job *examination, const struct job *job)
{
	struct listener listener = { .fd = fd };
	struct examine_observer observer = { .tell = send_examination, .data = &listener };
	struct examination *e = calloc(1, sizeof(*e));

	if (!e)
		return EXIT_FAILED;
	examination->run(job, &observer, e);
	free(e);
	return listener.is_gone ? EXIT_FAILED : EXIT_DELIVERED;
}

static int leave_standard_descriptors(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (dup2(fd, i) < 0)
			r = -errno;
	if (fd > STDERR_FILENO)
		fd_close(fd);
	return r;
}

static int carry_out(int fd, struct job *job, struct run *run)
{
	struct listener listener = { .fd = fd };
	struct probe_observer observer = {
		.progress = send_progress,
		.is_cancelled = is_gone,
		.data = &listener,
	};
	struct clock clock = clock_system();

	clock.offset_file = NULL; /* a test may shift the daemon's clock, never a latency */
	int r = leave_standard_descriptors();
	if (r < 0) {
		log_error("cannot open /dev/null: %s", errno_text(-r));
		return EXIT_FAILED;
	}
	/* Like any other run of the daemon, but cheap: for tests with thousands of runs. */
	if (job->kind == JOB_BLOCK && hook_is_set("REPOPROBE_TEST_NULL_KIND"))
		job->kind = JOB_NULL;
	const struct examination_job *examination = find_examination(job->kind);
	if (examination)
		return examine(fd, examination, job);
	/* A failure from here on may be the repository's fault; an earlier one is not. */
	send_progress(&listener, &(struct job_progress){ .phase = JOB_PHASE_EXAMINE });
	probe_run(job, &clock, &observer, run);
	return send_result(fd, run) < 0 ? EXIT_FAILED : EXIT_DELIVERED;
}

int worker_run(int fd)
{
	struct error error = { "" };
	struct job *job = calloc(1, sizeof(*job));
	struct run *run = run_new("", "");
	int code = EXIT_FAILED;
	int r;

	log_never_wait(); /* its standard error is the daemon's and may block */
	if (!is_job_socket(fd)) {
		log_error(
			"repoprobe-worker is started by repoprobe and repoprobed, which hand it a "
			"job; by hand use: repoprobe run DIR");
		code = EXIT_USAGE;
		goto out;
	}
	r = job && run ? restrict_process() : -ENOMEM;
	if (r < 0)
		(void)error_set(&error, r, "cannot start: %s", errno_text(-r));
	else
		r = receive_job(fd, job, &error);
	if (r < 0)
		log_error("worker: %s", error.text);
	else
		code = carry_out(fd, job, run);
out:
	free(job);
	free(run);
	return code;
}
