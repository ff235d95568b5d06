/* SPDX-License-Identifier: Apache-2.0 */
/* Spawns a worker, talks to it and reaps it. Never blocks. */
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "supervise/spawner.h"
#include "wire/wire.h"

#define WORKER_NAME "repoprobe-worker"
#define WORKER_FD 3
#define SOCKET_BUFFER_BYTES ((int)(2 * WIRE_MESSAGE_MAX))

/* Replaces the last component of our own executable's path. */
static int name_sibling(char *ret, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", ret, size - 1);

	if (len < 0)
		return -errno;
	ret[len] = '\0';
	char *slash = strrchr(ret, '/');
	if (!slash || (size_t)(slash + 1 - ret) + sizeof(WORKER_NAME) > size)
		return -ENAMETOOLONG;
	memcpy(slash + 1, WORKER_NAME, sizeof(WORKER_NAME));
	return 0;
}

int supervise_find_worker(char *ret_path, size_t size, struct error *reterr)
{
	static const char installed[] = LIBEXECDIR "/" WORKER_NAME;
	char sibling[PATH_MAX];
	const char *path = installed;

	int r = name_sibling(sibling, sizeof(sibling));
	if (r == 0 && access(sibling, X_OK) == 0)
		path = sibling;
	else if (access(installed, X_OK) < 0)
		return error_set(reterr, -ENOENT, "there is no worker program, neither %s nor %s",
			r == 0 ? sibling : "beside this program", installed);
	if (strlen(path) >= size)
		return error_set(reterr, -ENAMETOOLONG, "the worker's path is too long: %s", path);
	memcpy(ret_path, path, strlen(path) + 1);
	return 0;
}

/* The worker inherits only the socket: default signals, its own process group, no stdin and stdout.
 * stderr stays until the worker has its job. */
static int prepare_spawn(
	int child_fd, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
	sigset_t all;
	sigset_t none;
	int r;

	(void)sigfillset(&all); /* neither can fail */
	(void)sigemptyset(&none);
	r = posix_spawn_file_actions_adddup2(actions, child_fd, WORKER_FD);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(
			actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(
			actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attributes, &none);
	if (r == 0)
		r = posix_spawnattr_setpgroup(attributes, 0);
	if (r == 0)
		r = posix_spawnattr_setflags(attributes,
			POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	return -r;
}

int process_start(const char *path, int child_fd, pid_t *ret_pid)
{
	char name[] = WORKER_NAME;
	char *const arguments[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int r = -posix_spawn_file_actions_init(&actions);

	if (r < 0)
		return r;
	r = -posix_spawnattr_init(&attributes);
	if (r == 0) {
		r = prepare_spawn(child_fd, &actions, &attributes);
		if (r == 0)
			r = -posix_spawn(&pid, path, &actions, &attributes, arguments, environ);
		(void)posix_spawnattr_destroy(&attributes); /* cannot fail */
	}
	(void)posix_spawn_file_actions_destroy(&actions); /* likewise */
	if (r == 0)
		*ret_pid = pid;
	return r;
}

static int send_job(int fd, const struct job *job)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_job(job, &b);
	int r = b.error;
	if (r == 0 && send(fd, b.data, b.len, MSG_NOSIGNAL) < 0)
		r = -errno;
	buf_done(&b);
	return r;
}

static int open_sockets(int ret[2])
{
	int size = SOCKET_BUFFER_BYTES;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret) < 0)
		return -errno;
	/* A result also fits into the default; this leaves space for unread progress. */
	(void)setsockopt(ret[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	(void)setsockopt(ret[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (fcntl(ret[0], F_SETFL, O_NONBLOCK) < 0) {
		int r = -errno;
		fd_close(ret[0]);
		fd_close(ret[1]);
		return r;
	}
	return 0;
}

int supervise_spawn(const char *worker_path, const struct job *job, struct supervise_worker *ret,
	struct error *reterr)
{
	struct supervise_worker worker = SUPERVISE_WORKER_INIT;
	int r = supervise_spawn_from(NULL, worker_path, job, &worker, reterr);

	if (r < 0)
		supervise_close(&worker); /* init reaps a killed one */
	else
		*ret = worker;
	return r;
}

int supervise_spawn_from(struct supervise_spawner *spawner, const char *worker_path,
	const struct job *job, struct supervise_worker *ret, struct error *reterr)
{
	struct supervise_worker worker = SUPERVISE_WORKER_INIT;
	int sockets[2];
	int r = open_sockets(sockets);

	if (r < 0)
		return error_set(reterr, r, "cannot make a socket: %s", errno_text(-r));
	worker.socket = sockets[0];
	r = spawner ? spawner_ask(spawner, worker_path, sockets[1], &worker.pid)
		    : process_start(worker_path, sockets[1], &worker.pid);
	fd_close(sockets[1]);
	if (r < 0) {
		supervise_close(&worker);
		return error_set(reterr, r, "cannot start %s: %s", worker_path, errno_text(-r));
	}
	worker.pidfd = (int)syscall(SYS_pidfd_open, worker.pid, 0);
	r = worker.pidfd < 0 ? -errno : send_job(worker.socket, job);
	/* The exit code of a worker that ended at once gives the reason. */
	if (r == -EPIPE || r == -ECONNRESET)
		r = 0;
	*ret = worker;
	if (r == 0)
		return 0;
	supervise_kill(&worker); /* an unsupervised child must not live */
	return error_set(reterr, r, "cannot hand a job to %s: %s", worker_path, errno_text(-r));
}

/* Where a message is stored: the caller's variables. */
struct receiver {
	struct job_progress *progress;
	struct run *run;
	struct examination *examination; /* NULL: none is expected */
};

static int decode_examination(const uint8_t *data, size_t len, struct examination *examination,
	enum supervise_message *ret, struct error *reterr)
{
	int r = wire_decode_examination(data, len, examination, reterr);

	if (r == 0)
		*ret = examination->step == EXAMINATION_COMPLETE ? SUPERVISE_MESSAGE_RESULT
								 : SUPERVISE_MESSAGE_PROGRESS;
	return r;
}

static int decode_run(const uint8_t *data, size_t len, enum wire_type type,
	const struct receiver *into, enum supervise_message *ret, struct error *reterr)
{
	int r = type == WIRE_PROGRESS ? wire_decode_progress(data, len, into->progress, reterr)
				      : wire_decode_result(data, len, into->run, reterr);

	if (r == 0)
		*ret = type == WIRE_PROGRESS ? SUPERVISE_MESSAGE_PROGRESS
					     : SUPERVISE_MESSAGE_RESULT;
	return r;
}

static int decode(const uint8_t *data, size_t len, const struct receiver *into,
	enum supervise_message *ret, struct error *reterr)
{
	enum wire_type type;
	int r = wire_peek(data, len, &type, reterr);

	if (r < 0)
		return r;
	switch (type) {
	case WIRE_PROGRESS:
	case WIRE_RESULT:
		if (into->examination)
			return error_set(
				reterr, -EBADMSG, "the worker measured instead of looking");
		return decode_run(data, len, type, into, ret, reterr);
	case WIRE_EXAMINATION:
		if (!into->examination)
			return error_set(
				reterr, -EBADMSG, "the worker looked instead of measuring");
		return decode_examination(data, len, into->examination, ret, reterr);
	case WIRE_JOB:
		break;
	}
	return error_set(reterr, -EBADMSG, "the worker sent a job");
}

static int receive(struct supervise_worker *worker, const struct receiver *into,
	enum supervise_message *ret, struct error *reterr)
{
	uint8_t *data = malloc(WIRE_MESSAGE_MAX);
	enum supervise_message message = SUPERVISE_MESSAGE_NONE;
	int r = 0;

	if (!data)
		return error_set(reterr, -ENOMEM, "no memory for a worker's message");
	ssize_t n = recv(worker->socket, data, WIRE_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		message = SUPERVISE_MESSAGE_END;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		r = error_set(reterr, -errno, "cannot read from the worker: %s", errno_text(errno));
	else if (n > (ssize_t)WIRE_MESSAGE_MAX)
		r = error_set(reterr, -EBADMSG, "the worker sent a message of %zd bytes", n);
	else if (n > 0)
		r = decode(data, (size_t)n, into, &message, reterr);
	free(data);
	if (r == 0)
		*ret = message;
	return r;
}

int supervise_receive(struct supervise_worker *worker, struct job_progress *progress,
	struct run *run, enum supervise_message *ret, struct error *reterr)
{
	const struct receiver into = { .progress = progress, .run = run };

	return receive(worker, &into, ret, reterr);
}

int supervise_receive_examination(struct supervise_worker *worker, struct examination *examination,
	enum supervise_message *ret, struct error *reterr)
{
	const struct receiver into = { .examination = examination };

	return receive(worker, &into, ret, reterr);
}

void supervise_kill(const struct supervise_worker *worker)
{
	/* It may have ended meanwhile, as wanted. */
	if (worker->pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, worker->pidfd, SIGKILL, NULL, 0);
	else if (worker->pid > 0)
		(void)kill(worker->pid, SIGKILL); /* our child, and not reaped: the pid is valid */
}

static int wait_status_of(const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return W_EXITCODE(info->si_status, 0);
	return W_EXITCODE(0, info->si_status) | (info->si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

static bool is_over(const struct supervise_worker *worker)
{
	struct pollfd pollfd = { .fd = worker->pidfd, .events = POLLIN };

	return poll(&pollfd, 1, 0) > 0;
}

int supervise_reap(struct supervise_worker *worker, int *ret_wait_status)
{
	siginfo_t info = { .si_pid = 0 };

	idtype_t type = worker->pidfd >= 0 ? P_PIDFD : P_PID;
	id_t id = (id_t)(worker->pidfd >= 0 ? worker->pidfd : worker->pid);
	if (waitid(type, id, &info, WEXITED | WNOHANG) < 0) {
		if (errno != ECHILD)
			return -errno;
		/* Not our child but adopted from an earlier daemon: its exit status is not
		 * available. */
		if (!is_over(worker))
			return -EAGAIN;
		worker->pid = 0;
		*ret_wait_status = 0;
		return 0;
	}
	if (info.si_pid == 0)
		return -EAGAIN;
	worker->pid = 0;
	*ret_wait_status = wait_status_of(&info);
	return 0;
}

pid_t supervise_find_ended(void)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? 0 : info.si_pid;
}

void supervise_reap_stranger(pid_t pid)
{
	siginfo_t info;

	(void)waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG); /* status not needed */
}

void supervise_close(struct supervise_worker *worker)
{
	worker->pidfd = fd_close(worker->pidfd);
	worker->socket = fd_close(worker->socket);
	worker->pid = 0;
}
