/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket as a file: made, and made again when it was removed or replaced. A thread
 * looks at it, for the file system that it lies on may hang. */
#ifndef REPOPROBE_DAEMON_CONTROL_SOCKET_H
#define REPOPROBE_DAEMON_CONTROL_SOCKET_H

struct error;

/* Makes it, in the place of one that nobody answers on. -EADDRINUSE: another daemon does. */
int control_socket_bind(const char *path, int *ret_fd, struct error *reterr);

struct control_guard;

/* Watches a path that was just bound. */
int control_guard_start(const char *path, struct control_guard **ret);
/* Readable (eventfd) when there is something to take. Lent. */
int control_guard_fd(const struct control_guard *guard);
/* 1: the socket was lost and made again, *ret_fd (given to the caller) takes its place. 0: nothing
 * happened. -errno with a sentence: it cannot be made again, and that is tried on; said once. */
int control_guard_take(struct control_guard *guard, int *ret_fd, struct error *reterr);
/* Accepts NULL. A thread that hangs is left behind, with what it uses, for the process's end. */
void control_guard_stop(struct control_guard *guard);

#endif
