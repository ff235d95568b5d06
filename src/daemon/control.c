/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts, checks who asks, finds the command in one table, answers. Each peer has a few seconds.
 */
#include "daemon/control.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/log.h"
#include "daemon/daemon.h"

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
#define CONTROL_PEERS_MAX 16
#define CONTROL_PEER_LIMIT_USEC (5 * USEC_PER_SEC)
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

/* --- Commands ----------------------------------------------------------- */

static int command_probe_now(struct daemon *d, const struct json_t *request, struct error *reterr)
{
	const char *repository = json_get_text(request, "repository");

	if (!repository)
		return error_set(reterr, -EINVAL, "\"repository\" is missing");
	return daemon_probe_now(d, repository, json_get_text(request, "probe"), reterr);
}

static int command_reload(struct daemon *d, const struct json_t *request, struct error *reterr)
{
	(void)request;
	return daemon_reload(d, reterr);
}

#ifdef ENABLE_TEST_HOOKS
/* What an alarm asks for, without one: "after_seconds" from now. */
static int command_confirm(struct daemon *d, const struct json_t *request, struct error *reterr)
{
	const char *repository = json_get_text(request, "repository");
	const char *probe = json_get_text(request, "probe");
	int64_t seconds = json_get_integer(request, "after_seconds", 0);
	struct live_probe *found = repository && probe
		? live_find_probe(live_find_repository(d->live, repository), probe)
		: NULL;

	if (!found)
		return error_set(reterr, -EINVAL, "no such probe");
	daemon_confirm(d, found, clock_realtime_usec(&d->clock) + seconds * (int64_t)USEC_PER_SEC);
	daemon_dispatch(d);
	return 0;
}
#endif

static const struct command {
	const char *name;
	int (*run)(struct daemon *d, const struct json_t *request, struct error *reterr);
} commands[] = {
	{ "probe-now", command_probe_now },
	{ "reload", command_reload },
#ifdef ENABLE_TEST_HOOKS
	{ "confirm", command_confirm },
#endif
};

static int run_command(
	struct daemon *d, const struct json_t *request, uid_t uid, struct error *reterr)
{
	const char *name = json_get_text(request, "command");

	if (!name)
		return error_set(reterr, -EINVAL, "\"command\" is missing");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		int r = commands[i].run(d, request, reterr);
		log_notice("%s asked for by uid %u: %s", name, uid, r < 0 ? reterr->text : "done");
		return r;
	}
	return error_set(reterr, -EOPNOTSUPP, "\"%s\" is not in this version", name);
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

static bool is_allowed(const struct control_peer *peer)
{
	if (peer->credentials.uid == 0 || peer->credentials.uid == geteuid())
		return true;
	const struct control *control = peer->control;
	return control->has_group &&
		(peer->credentials.gid == control->gid || is_in_group(peer->fd, control->gid));
}

static void answer(struct control_peer *peer, int r, const struct error *error)
{
	struct json_t *reply = json_new_object();
	struct buf body = BUF_INIT(CONTROL_MESSAGE_MAX);

	json_add_boolean(reply, "ok", r >= 0);
	if (r < 0)
		json_add_text(reply, "error", error->text);
	if (json_dump(reply, false, &body) == 0)
		(void)send(peer->fd, body.data, body.len,
			MSG_DONTWAIT | MSG_NOSIGNAL); /* may be gone */
	buf_done(&body);
}

static void serve(struct control_peer *peer)
{
	char *text = peer->control->request;
	struct json_t *request = NULL;
	struct error error = { 0 };
	ssize_t n = recv(peer->fd, text, CONTROL_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	int r;

	if (n <= 0)
		return;
	if (!is_allowed(peer))
		r = error_set(&error, -EACCES,
			"uid %u may not control repoprobed: root, its own user and the group " CONTROL_GROUP
			" may",
			peer->credentials.uid);
	else if ((size_t)n > CONTROL_MESSAGE_MAX)
		r = error_set(&error, -EMSGSIZE, "the request is longer than 64 KiB");
	else
		r = json_parse(text, (size_t)n, &request, &error);
	if (r >= 0)
		r = run_command(peer->control->d, request, peer->credentials.uid, &error);
	answer(peer, r, &error);
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

static int on_accept(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct control *control = data;
	sd_event *event = control->d->event;
	socklen_t size = sizeof(struct ucred);
	int r;

	(void)source;
	(void)revents;
	int peer_fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (peer_fd < 0)
		return 0;
	struct control_peer *peer = free_peer(control);
	if (!peer) {
		(void)fd_close(
			peer_fd); /* too many at once: the client sees an end without reply */
		return 0;
	}
	*peer = (struct control_peer){ .control = control, .fd = peer_fd };
	r = getsockopt(peer_fd, SOL_SOCKET, SO_PEERCRED, &peer->credentials, &size);
	if (r >= 0)
		r = sd_event_add_io(event, &peer->readable, peer_fd, EPOLLIN, on_readable, peer);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &peer->limit, CLOCK_MONOTONIC,
			CONTROL_PEER_LIMIT_USEC, 0, on_limit, peer);
	if (r < 0)
		peer_close(peer);
	return 0;
}

/* --- The socket --------------------------------------------------------- */

static bool is_answered(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_alive =
		fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;

	(void)fd_close(fd);
	return is_alive;
}

static int bind_socket(struct control *control, struct error *reterr)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", control->path);
	if (is_answered(&address))
		return error_set(
			reterr, -EADDRINUSE, "another repoprobed answers on %s", control->path);
	if (unlink(control->path) < 0 && errno != ENOENT)
		return error_set(reterr, -errno, "%s cannot be replaced: %s", control->path,
			errno_text(errno));
	control->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Anybody may connect; who may ask is decided by the peer's credentials. */
	if (control->fd < 0 ||
		bind(control->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
		chmod(control->path, 0666) < 0 || listen(control->fd, CONTROL_PEERS_MAX) < 0)
		return error_set(
			reterr, -errno, "control socket %s: %s", control->path, errno_text(errno));
	return 0;
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
		d->config->runtime_directory);
	if (n < 0 || (size_t)n >= sizeof(control->path)) {
		control->path[0] = '\0';
		r = error_set(reterr, -ENAMETOOLONG,
			"runtime_directory %s is too long for a socket",
			d->config->runtime_directory);
		goto fail;
	}
	r = bind_socket(control, reterr);
	if (r >= 0)
		r = sd_event_add_io(
			d->event, &control->acceptable, control->fd, EPOLLIN, on_accept, control);
	if (r < 0)
		goto fail;
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
	if (control->fd >= 0)
		(void)unlink(control->path);
	(void)fd_close(control->fd);
	free(control);
	return NULL;
}
