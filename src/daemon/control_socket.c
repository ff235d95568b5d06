/* SPDX-License-Identifier: Apache-2.0 */
/* A look every few seconds; the loop takes over what the thread made. */
#include "daemon/control_socket.h"

#include "base/error.h"
#include "base/fd.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128
#define LOOK_MSEC 5000
#define STOP_MSEC 100
#define DIRECTORY_MODE 0750

struct control_guard {
	struct sockaddr_un address;
	pthread_t thread;
	int stop_fd; /* readable: the thread is to end */
	int ended_fd; /* readable: it is about to */
	int ready_fd;
	/* The thread's: the file at the path, as it made it or found it at the start. */
	dev_t device;
	ino_t inode;
	bool has_failed; /* and has said so */

	pthread_mutex_t lock; /* for all below: what is to be taken */
	int fd;
	int error;
	struct error sentence;
};

/* --- Making it ------------------------------------------------------------ */

static bool is_answered(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_alive =
		fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;

	(void)fd_close(fd);
	return is_alive;
}

static int bind_address(const struct sockaddr_un *address, int *ret_fd, struct error *reterr)
{
	const char *path = address->sun_path;

	if (is_answered(address))
		return error_set(reterr, -EADDRINUSE, "another repoprobed answers on %s", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return error_set(
			reterr, -errno, "%s cannot be replaced: %s", path, errno_text(errno));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Anybody may connect; who may ask is decided by the peer's credentials. */
	if (fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ||
		chmod(path, 0666) < 0 || listen(fd, BACKLOG) < 0) {
		int r = -errno;
		(void)fd_close(fd);
		return error_set(reterr, r, "control socket %s: %s", path, errno_text(-r));
	}
	*ret_fd = fd;
	return 0;
}

int control_socket_bind(const char *path, int *ret_fd, struct error *reterr)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return bind_address(&address, ret_fd, reterr);
}

/* --- The thread ----------------------------------------------------------- */

static bool wait_for(int fd, int limit_msec)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, limit_msec) > 0;
}

static void note_file(struct control_guard *guard)
{
	struct stat st;
	bool is_known = stat(guard->address.sun_path, &st) == 0;

	guard->device = is_known ? st.st_dev : 0;
	guard->inode = is_known ? st.st_ino : 0;
}

/* Only what is known to be gone or another is. */
static bool is_lost(const struct control_guard *guard)
{
	struct stat st;

	if (stat(guard->address.sun_path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return st.st_dev != guard->device || st.st_ino != guard->inode;
}

static void hand_over(struct control_guard *guard, int fd, int error, const struct error *sentence)
{
	pthread_mutex_lock(&guard->lock);
	(void)fd_close(guard->fd); /* of a look before, that nobody took */
	guard->fd = fd;
	guard->error = error;
	guard->sentence = *sentence;
	pthread_mutex_unlock(&guard->lock);
	(void)eventfd_write(guard->ready_fd, 1);
}

static int make_directory(const char *path)
{
	char directory[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	const char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return 0;
	(void)snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path), path);
	return fd_make_directories(directory, DIRECTORY_MODE);
}

static void make_again(struct control_guard *guard)
{
	struct error sentence = { "" };
	int fd = -1;

	(void)make_directory(guard->address.sun_path); /* then it cannot be bound, which is told */
	int r = bind_address(&guard->address, &fd, &sentence);
	if (r == 0)
		note_file(guard);
	if (r == 0 || !guard->has_failed)
		hand_over(guard, fd, r, &sentence);
	guard->has_failed = r < 0;
}

static void *run_thread(void *data)
{
	struct control_guard *guard = data;

	while (!wait_for(guard->stop_fd, LOOK_MSEC))
		if (is_lost(guard))
			make_again(guard);
	(void)eventfd_write(guard->ended_fd, 1);
	return NULL;
}

/* --- Its owner ------------------------------------------------------------ */

static void free_guard(struct control_guard *guard)
{
	(void)fd_close(guard->fd);
	(void)fd_close(guard->stop_fd);
	(void)fd_close(guard->ended_fd);
	(void)fd_close(guard->ready_fd);
	pthread_mutex_destroy(&guard->lock);
	free(guard);
}

static int open_events(struct control_guard *guard)
{
	int *const fds[] = { &guard->stop_fd, &guard->ended_fd, &guard->ready_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		*fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (*fds[i] < 0)
			return -errno;
	}
	return 0;
}

/* Signals are for the loop: the thread inherits a mask that blocks them all. */
static int start_thread(struct control_guard *guard)
{
	sigset_t all;
	sigset_t saved;

	(void)sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&guard->thread, NULL, run_thread, guard);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return r;
}

int control_guard_start(const char *path, struct control_guard **ret)
{
	struct control_guard *guard = calloc(1, sizeof(*guard));

	if (!guard)
		return -ENOMEM;
	guard->fd = guard->stop_fd = guard->ended_fd = guard->ready_fd = -1;
	guard->address.sun_family = AF_UNIX;
	(void)snprintf(guard->address.sun_path, sizeof(guard->address.sun_path), "%s", path);
	pthread_mutex_init(&guard->lock, NULL); /* cannot fail on Linux */
	note_file(guard);
	int r = open_events(guard);
	if (r == 0)
		r = start_thread(guard);
	if (r < 0) {
		free_guard(guard);
		return r;
	}
	*ret = guard;
	return 0;
}

int control_guard_fd(const struct control_guard *guard)
{
	return guard->ready_fd;
}

int control_guard_take(struct control_guard *guard, int *ret_fd, struct error *reterr)
{
	eventfd_t value;

	(void)eventfd_read(guard->ready_fd, &value); /* EAGAIN when there was nothing */
	pthread_mutex_lock(&guard->lock);
	int r = guard->error;
	if (r < 0)
		(void)error_set(reterr, r, "%s", guard->sentence.text); /* r goes up */
	if (r == 0 && guard->fd >= 0) {
		*ret_fd = guard->fd;
		guard->fd = -1;
		r = 1;
	}
	guard->error = 0;
	pthread_mutex_unlock(&guard->lock);
	return r;
}

void control_guard_stop(struct control_guard *guard)
{
	if (!guard)
		return;
	(void)eventfd_write(guard->stop_fd, 1);
	if (!wait_for(guard->ended_fd, STOP_MSEC)) {
		(void)pthread_detach(guard->thread);
		return;
	}
	(void)pthread_join(guard->thread, NULL); /* it is returning */
	free_guard(guard);
}
