/* SPDX-License-Identifier: Apache-2.0 */
/* A thread with its own descriptor table (unshare(2)), which has none of the descriptors opened
 * after its start. A child closes its copies of all descriptors at exec, and closing a file on
 * FUSE, NFS or CIFS waits for that file system: if the history's files were among them, a hung
 * state directory would hang every worker. */
#include "supervise/spawner.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "supervise/supervise.h"

struct supervise_spawner {
	pthread_t thread;
	int fds[2]; /* ours and the thread's end of a pair; both tables have both */
};

struct request {
	const char *path; /* lent until the answer */
};

struct answer {
	int r;
	pid_t pid;
};

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_request(int fd, struct request *request, int child_fd)
{
	union control control = { 0 };
	struct iovec part = { .iov_base = request, .iov_len = sizeof(*request) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	control.header = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(child_fd)),
	};
	memcpy(CMSG_DATA(&control.header), &child_fd, sizeof(child_fd));
	return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* 0, or -ENODATA when the socket is closed. */
static int receive_request(int fd, struct request *request, int *ret_child_fd)
{
	union control control = { 0 };
	struct iovec part = { .iov_base = request, .iov_len = sizeof(*request) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t len;

	do
		len = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len != sizeof(*request))
		return len < 0 ? -errno : -ENODATA;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS)
		return -EMFILE; /* the descriptor table is full */
	memcpy(ret_child_fd, CMSG_DATA(header), sizeof(*ret_child_fd));
	return 0;
}

static void *run_thread(void *data)
{
	const struct supervise_spawner *s = data;
	int fd = s->fds[1];
	struct request request;
	int r;

	(void)unshare(CLONE_FILES); /* if a sandbox forbids it, children inherit all */
	do {
		struct answer answer = { 0 };
		int child_fd = -1;
		r = receive_request(fd, &request, &child_fd);
		if (r == 0)
			answer.r = process_start(request.path, child_fd, &answer.pid);
		else
			answer.r = r;
		fd_close(child_fd);
		(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL); /* no receiver at the end */
	} while (r == 0 || r == -EMFILE);
	return NULL;
}

int spawner_ask(struct supervise_spawner *spawner, const char *path, int child_fd, pid_t *ret_pid)
{
	struct request request = { .path = path };
	struct answer answer;
	ssize_t len;
	int r = send_request(spawner->fds[0], &request, child_fd);

	if (r < 0)
		return r;
	do
		len = recv(spawner->fds[0], &answer, sizeof(answer), 0);
	while (len < 0 && errno == EINTR);
	if (len != sizeof(answer))
		return len < 0 ? -errno : -EPIPE;
	if (answer.r == 0)
		*ret_pid = answer.pid;
	return answer.r;
}

/* Signals are handled by the caller's loop: the thread inherits a mask that blocks all. */
static int start_thread(struct supervise_spawner *s)
{
	sigset_t all;
	sigset_t saved;

	(void)sigfillset(&all); /* cannot fail */
	(void)pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&s->thread, NULL, run_thread, s);
	(void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return r;
}

int supervise_spawner_start(struct supervise_spawner **ret, struct error *reterr)
{
	struct supervise_spawner *s = calloc(1, sizeof(*s));

	if (!s)
		return error_set(reterr, -ENOMEM, "no memory for starting workers");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s->fds) < 0) {
		int r = -errno;
		free(s);
		return error_set(reterr, r, "cannot make a socket: %s", errno_text(-r));
	}
	int r = start_thread(s);
	if (r < 0) {
		fd_close(s->fds[0]);
		fd_close(s->fds[1]);
		free(s);
		return error_set(reterr, r, "no thread for starting workers: %s", errno_text(-r));
	}
	*ret = s;
	return 0;
}

struct supervise_spawner *supervise_spawner_stop(struct supervise_spawner *spawner)
{
	if (!spawner)
		return NULL;
	(void)shutdown(spawner->fds[0], SHUT_RDWR); /* ends the thread's loop */
	(void)pthread_join(spawner->thread, NULL);
	fd_close(spawner->fds[0]);
	fd_close(spawner->fds[1]);
	free(spawner);
	return NULL;
}
