/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket: RUNTIME_DIRECTORY/control.sock, SOCK_SEQPACKET, one JSON request and one
 * reply of at most 64 KiB each. The only way to make the daemon do something. */
#ifndef REPOPROBE_DAEMON_CONTROL_H
#define REPOPROBE_DAEMON_CONTROL_H

struct control;
struct daemon;
struct error;

/* Replaces a dead socket; -EADDRINUSE when a living daemon answers on it. */
int control_open(struct daemon *d, struct control **ret, struct error *reterr);
/* Closes and removes the socket. Accepts NULL, returns NULL. */
struct control *control_close(struct control *control);

#endif
