/* SPDX-License-Identifier: Apache-2.0 */
/* Requests an action of the daemon: one JSON request and one reply over
 * RUNTIME_DIRECTORY/control.sock. */
#ifndef REPOPROBE_CLI_CONTROL_CLIENT_H
#define REPOPROBE_CLI_CONTROL_CLIENT_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct cli;
struct error;
struct json_t;

#define CONTROL_MESSAGE_MAX ((size_t)64 << 10)
#define CONTROL_LIMIT_USEC (UINT64_C(10) * 1000000)

/* Sends the request (taken) to the socket at path and appends the reply's bytes. Waits at most
 * limit_usec for each of the two. Returns 0 or -errno with a sentence: -ENOENT or -ECONNREFUSED
 * without a listener, -EAGAIN without a reply in time. */
int control_exchange(const char *path, struct json_t *request, uint64_t limit_usec,
	struct buf *reply, struct error *reterr);

/* Reads a reply. Returns 0 when it is {"ok": true, …}; -ECANCELED with the daemon's own sentence
 * when it is {"ok": false, "error"}; -EBADMSG when it is neither. *ret_message is the text of
 * "message", to be freed, or NULL. */
int control_read_reply(const char *text, size_t len, char **ret_message, struct error *reterr);

/* The whole exchange for a command: finds the socket, sends the request (taken), prints the
 * daemon's message (done if it gave none) or the error. Returns the exit code. */
int control_request(struct cli *cli, struct json_t *request, const char *done);

#endif
