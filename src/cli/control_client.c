/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one request to the daemon. Only the commands know which requests exist. */
#include "cli/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json.h"
#include "cli/cli.h"

#define PATH_TEXT_MAX 8192

static int set_limits(int fd, uint64_t limit_usec)
{
	struct timeval limit = {
		.tv_sec = (time_t)(limit_usec / USEC_PER_SEC),
		.tv_usec = (suseconds_t)(limit_usec % USEC_PER_SEC),
	};

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	return 0;
}

static int connect_to(const char *path, uint64_t limit_usec)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int r = set_limits(fd, limit_usec);
	if (r == 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	(void)fd_close(fd);
	return r;
}

static int receive_reply(int fd, struct buf *reply)
{
	char *data = malloc(CONTROL_MESSAGE_MAX);
	int resets = 0;
	ssize_t n;

	if (!data)
		return -ENOMEM;
	/* A refusal may have been sent before our request arrived: it is read after this error. */
	do
		n = recv(fd, data, CONTROL_MESSAGE_MAX, 0);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
	int r = n < 0 ? -errno : 0;
	if (n > 0)
		buf_add(reply, data, (size_t)n);
	free(data);
	if (n == 0)
		return -ECONNRESET; /* the daemon closed the connection */
	return r < 0 ? r : reply->error;
}

static int exchange(
	const char *path, const struct buf *message, uint64_t limit_usec, struct buf *reply)
{
	int fd = connect_to(path, limit_usec);
	int r = 0;

	if (fd < 0)
		return fd;
	/* An unauthorized client gets a refusal and is closed at once; after EPIPE there is a
	 * reply. */
	if (send(fd, buf_text(message), message->len, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		r = -errno;
	if (r == 0)
		r = receive_reply(fd, reply);
	(void)fd_close(fd);
	return r;
}

int control_exchange(const char *path, struct json_t *request, uint64_t limit_usec,
	struct buf *reply, struct error *reterr)
{
	struct buf message = BUF_INIT(CONTROL_MESSAGE_MAX);
	int r = json_dump(request, false, &message);

	if (r == 0)
		r = exchange(path, &message, limit_usec, reply);
	buf_done(&message);
	if (r == -EAGAIN)
		return error_set(reterr, r, "%s: the daemon did not answer within %llu s", path,
			(unsigned long long)(limit_usec / USEC_PER_SEC));
	if (r == -ECONNRESET)
		return error_set(
			reterr, r, "%s: the daemon closed the connection without an answer", path);
	if (r < 0)
		return error_set(reterr, r, "%s: %s", path, errno_text(-r));
	return 0;
}

int control_read_reply(const char *text, size_t len, char **ret_message, struct error *reterr)
{
	struct json_t *reply;
	int r = json_parse(text, len, &reply, reterr);

	if (r < 0)
		return error_prefix(reterr, -EBADMSG, "the daemon's answer");
	const char *error = json_get_text(reply, "error");
	const char *message = json_get_text(reply, "message");
	if (!json_get_boolean(reply, "ok", false)) {
		r = error ? error_set(reterr, -ECANCELED, "%s", error)
			  : error_set(reterr, -EBADMSG,
				    "the daemon's answer has neither ok nor error");
	} else if (!message) {
		*ret_message = NULL;
	} else {
		*ret_message = strdup(message);
		r = *ret_message ? 0 : -ENOMEM;
	}
	json_free(reply);
	return r;
}

static int find_socket(struct cli *cli, struct buf *path)
{
	int exit_code = cli_find_places(cli);

	if (exit_code == CLI_GO_ON)
		buf_printf(path, "%s/control.sock", cli->places.runtime_directory);
	return exit_code;
}

static int complain(const struct cli *cli, const char *path, int r, const struct error *error)
{
	if (r == -ENOENT || r == -ECONNREFUSED)
		return cli_complain(CLI_FAILED, "no daemon answers at %s: is repoprobed running?%s",
			path,
			cli->state_directory || cli->config_path
				? ""
				: " To ask another one, give --state-directory=DIR or --config=FILE");
	if (r == -EACCES || r == -EPERM)
		return cli_complain(CLI_FAILED,
			"%s: %s; only root, the daemon's user and the members of group repoprobe may use it",
			path, errno_text(-r));
	return cli_complain(CLI_FAILED, "%s", error->text[0] ? error->text : errno_text(-r));
}

static int print_line(const char *text)
{
	struct buf b = BUF_INIT(CONTROL_MESSAGE_MAX * 2);

	buf_printf(&b, "%s\n", text);
	return cli_print(&b);
}

int control_request(struct cli *cli, struct json_t *request, const char *done)
{
	struct buf path = BUF_INIT(PATH_TEXT_MAX);
	struct buf reply = BUF_INIT(CONTROL_MESSAGE_MAX);
	struct error error = { "" };
	char *message = NULL;
	int exit_code = find_socket(cli, &path);

	if (exit_code != CLI_GO_ON) {
		json_free(request);
		buf_done(&path);
		return exit_code;
	}
	int r = control_exchange(buf_text(&path), request, CONTROL_LIMIT_USEC, &reply, &error);
	if (r == 0)
		r = control_read_reply(buf_text(&reply), reply.len, &message, &error);
	exit_code = r < 0 ? complain(cli, buf_text(&path), r, &error)
			  : print_line(message ? message : done);
	free(message);
	buf_done(&reply);
	buf_done(&path);
	return exit_code;
}
