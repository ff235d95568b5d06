/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side of a run: one job in; progress and one result out, over one socket. */
#ifndef REPOPROBE_WORKER_WORKER_H
#define REPOPROBE_WORKER_WORKER_H

#define WORKER_SOCKET_FD 3

/* Carries out the one job that arrives on the SOCK_SEQPACKET socket fd; later messages are ignored.
 * Returns the exit code: 0 when a result was delivered, 1 when not, 2 when fd is not such a socket
 * (started by hand). Errors go to stderr until there is a job; then the three standard descriptors
 * are redirected to /dev/null, because a worker that cannot be killed must not hold a pipe open.
 * When the other end of fd is closed, the run stops within a moment and cleans up. */
int worker_run(int fd);

#endif
