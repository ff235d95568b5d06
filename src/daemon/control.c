/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts, checks who asks, hands the request over, answers. Whoever may not ask is told so and
 * hung up on at once; everyone else has a few seconds. */
#include "daemon/control.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/log.h"
#include "daemon/control_commands.h"
#include "daemon/control_peers.h"
#include "daemon/control_socket.h"
#include "daemon/daemon.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_MESSAGE_MAX 65536
#define CONTROL_PEER_LIMIT_USEC (5 * USEC_PER_SEC)
#define CONTROL_RETRY_USEC USEC_PER_SEC
#define CONTROL_GROUP "repoprobe"

struct control_peer {
	struct control *control; /* NULL: free */
	int fd;
	struct ucred credentials;
	sd_event_source *readable;
	sd_event_source *limit;
};

struct control {
	struct daemon *d;
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	int fd;
	bool has_group; /* of CONTROL_GROUP, looked up once: that may ask the network */
	gid_t gid;
	sd_event_source *acceptable;
	sd_event_source *retry; /* while it cannot be accepted for want of descriptors or memory */
	bool is_short; /* which was said */
	struct control_guard *guard;
	sd_event_source *guarded;
	struct control_peer peers[CONTROL_PEERS_MAX];
	char request[CONTROL_MESSAGE_MAX + 1];
};

static void peer_close(struct control_peer *peer)
{
	peer->readable = sd_event_source_disable_unref(peer->readable);
	peer->limit = sd_event_source_disable_unref(peer->limit);
	peer->fd = fd_close(peer->fd);
	peer->control = NULL;
}

/* --- Peers -------------------------------------------------------------- */

static bool is_in_group(int fd, gid_t gid)
{
	gid_t groups[256];
	socklen_t size = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == gid)
			return true;
	return false;
}

static bool is_allowed(const struct control *control, int fd, const struct ucred *who)
{
	if (who->uid == 0 || who->uid == geteuid())
		return true;
	return control->has_group && (who->gid == control->gid || is_in_group(fd, control->gid));
}

/* 0, or why not. */
static int admit(
	const struct control *control, int fd, const struct ucred *who, struct error *reterr)
{
	uid_t held[CONTROL_PEERS_MAX];
	size_t count = 0;

	if (!is_allowed(control, fd, who))
		return error_set(reterr, -EACCES,
			"uid %u may not control repoprobed: root, its own user and the group " CONTROL_GROUP
			" may",
			who->uid);
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		if (control->peers[i].control)
			held[count++] = control->peers[i].credentials.uid;
	return control_peers_admit(held, count, who->uid, geteuid(), reterr);
}

/* Takes the reply. */
static void answer(int fd, struct json_t *reply, int r, const struct error *error)
{
	struct buf body = BUF_INIT(CONTROL_MESSAGE_MAX);

	json_add_boolean(reply, "ok", r >= 0);
	if (r < 0)
		json_add_text(reply, "error", error->text);
	if (json_dump(reply, false, &body) == 0)
		(void)send(fd, body.data, body.len, MSG_DONTWAIT | MSG_NOSIGNAL); /* may be gone */
	buf_done(&body);
}

/* Says why and hangs up. */
static void refuse(struct control *control, int fd, int r, const struct error *error)
{
	/* A request that was never read would become the client's error in place of the answer. */
	(void)recv(fd, control->request, CONTROL_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	answer(fd, json_new_object(), r, error);
	(void)fd_close(fd);
}

static void serve(struct control_peer *peer)
{
	char *text = peer->control->request;
	struct json_t *request = NULL;
	struct json_t *reply = json_new_object();
	struct error error = { 0 };
	ssize_t n = recv(peer->fd, text, CONTROL_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	int r;

	if (n <= 0) {
		json_free(reply);
		return;
	}
	if ((size_t)n > CONTROL_MESSAGE_MAX)
		r = error_set(&error, -EMSGSIZE, "the request is longer than 64 KiB");
	else
		r = json_parse(text, (size_t)n, &request, &error);
	if (r >= 0)
		r = control_commands_run(
			peer->control->d, request, peer->credentials.uid, reply, &error);
	answer(peer->fd, reply, r, &error);
	json_free(request);
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct control_peer *peer = data;

	(void)source;
	(void)fd;
	(void)revents;
	serve(peer);
	peer_close(peer);
	return 0;
}

static int on_limit(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	peer_close(data);
	return 0;
}

static struct control_peer *free_peer(struct control *control)
{
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		if (!control->peers[i].control)
			return &control->peers[i];
	return NULL;
}

static int hold(struct control *control, int fd, const struct ucred *who)
{
	struct control_peer *peer = free_peer(control);
	sd_event *event = control->d->event;

	assert(peer); /* admit() has counted */
	*peer = (struct control_peer){ .control = control, .fd = fd, .credentials = *who };
	int r = sd_event_add_io(event, &peer->readable, fd, EPOLLIN, on_readable, peer);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &peer->limit, CLOCK_MONOTONIC,
			CONTROL_PEER_LIMIT_USEC, 0, on_limit, peer);
	if (r < 0)
		peer_close(peer);
	return r;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	struct control *control = data;

	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(control->acceptable, SD_EVENT_ON);
}

/* Whoever asks stays in the queue, so the socket stays readable: without a pause that is a loop
 * without end. The timer is made at the start, when there is memory for it. */
static void pause_accepting(struct control *control, int error)
{
	if (!errno_is_shortage(error) && error != ENOBUFS)
		return; /* the peer is gone */
	if (!control->is_short)
		log_warning("requests to the control socket wait: %s; tried again every second",
			errno_text(error));
	control->is_short = true;
	if (sd_event_source_set_time_relative(control->retry, CONTROL_RETRY_USEC) >= 0 &&
		sd_event_source_set_enabled(control->retry, SD_EVENT_ONESHOT) >= 0)
		(void)sd_event_source_set_enabled(control->acceptable, SD_EVENT_OFF);
}

static int on_accept(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct control *control = data;
	struct error error = { 0 };
	struct ucred who;
	socklen_t size = sizeof(who);

	(void)source;
	(void)revents;
	int peer_fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (peer_fd < 0) {
		pause_accepting(control, errno);
		return 0;
	}
	control->is_short = false;
	if (getsockopt(peer_fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0) {
		(void)fd_close(peer_fd);
		return 0;
	}
	int r = admit(control, peer_fd, &who, &error);
	if (r < 0)
		refuse(control, peer_fd, r, &error);
	else
		(void)hold(control, peer_fd, &who); /* without memory: hung up on */
	return 0;
}

/* --- The socket --------------------------------------------------------- */

static int listen_on(struct control *control, int fd)
{
	int r = sd_event_add_io(
		control->d->event, &control->acceptable, fd, EPOLLIN, on_accept, control);

	if (r < 0)
		return r;
	control->fd = fd;
	return 0;
}

/* The thread that watches the socket has something to tell. */
static int on_guard(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct control *control = data;
	struct error error = { "" };
	int made = -1;

	(void)source;
	(void)fd;
	(void)revents;
	int r = control_guard_take(control->guard, &made, &error);
	if (r < 0)
		log_error("the control socket was removed or replaced and cannot be made again: %s",
			error.text);
	if (r <= 0)
		return 0;
	control->acceptable = sd_event_source_disable_unref(control->acceptable);
	control->fd = fd_close(control->fd);
	if (listen_on(control, made) < 0) {
		(void)fd_close(made);
		log_error("the control socket cannot be listened to: no memory");
		return 0;
	}
	log_warning("%s was removed or replaced; it was made again", control->path);
	return 0;
}

/* What is there as long as the control is, whatever becomes of the socket. */
static int add_sources(struct control *control)
{
	sd_event *event = control->d->event;
	int r = control_guard_start(control->path, &control->guard);

	if (r >= 0)
		r = sd_event_add_io(event, &control->guarded, control_guard_fd(control->guard),
			EPOLLIN, on_guard, control);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &control->retry, CLOCK_MONOTONIC,
			CONTROL_RETRY_USEC, 0, on_retry, control);
	return r < 0 ? r : sd_event_source_set_enabled(control->retry, SD_EVENT_OFF);
}

int control_open(struct daemon *d, struct control **ret, struct error *reterr)
{
	struct control *control = calloc(1, sizeof(*control));
	int r = -ENOMEM;

	if (!control)
		return error_set(reterr, r, "no memory");
	control->d = d;
	control->fd = -1;
	const struct group *group = getgrnam(CONTROL_GROUP);
	control->has_group = group != NULL;
	control->gid = group ? group->gr_gid : 0;
	int n = snprintf(control->path, sizeof(control->path), "%s/control.sock",
		d->core.config->runtime_directory);
	if (n < 0 || (size_t)n >= sizeof(control->path)) {
		control->path[0] = '\0';
		r = error_set(reterr, -ENAMETOOLONG,
			"runtime_directory %s is too long for a socket",
			d->core.config->runtime_directory);
		goto fail;
	}
	int fd = -1;
	r = control_socket_bind(control->path, &fd, reterr);
	if (r < 0)
		goto fail;
	r = listen_on(control, fd);
	if (r < 0)
		(void)fd_close(fd);
	if (r >= 0)
		r = add_sources(control);
	if (r < 0) {
		(void)error_set(reterr, r, "control socket: %s", errno_text(-r));
		goto fail;
	}
	*ret = control;
	return 0;
fail:
	control_close(control);
	return r;
}

struct control *control_close(struct control *control)
{
	if (!control)
		return NULL;
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		if (control->peers[i].control)
			peer_close(&control->peers[i]);
	(void)sd_event_source_disable_unref(control->acceptable);
	(void)sd_event_source_disable_unref(control->retry);
	(void)sd_event_source_disable_unref(control->guarded);
	control_guard_stop(control->guard);
	if (control->fd >= 0)
		(void)unlink(control->path);
	(void)fd_close(control->fd);
	free(control);
	return NULL;
}
