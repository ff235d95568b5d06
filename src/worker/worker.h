/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side of a run: one job in, progress, one result out, by one socket. */
#ifndef REPOPROBE_WORKER_WORKER_H
#define REPOPROBE_WORKER_WORKER_H

#define WORKER_SOCKET_FD 3

/* Carries out the one job that arrives on the SOCK_SEQPACKET socket fd, on which it takes no other
 * message. Returns the exit code: 0 when a result was delivered, 1 when not, 2 when fd is no such
 * socket (started by hand). Says why on stderr, until there is a job: from then on the three
 * standard descriptors lead to /dev/null, because a worker that cannot die must not hold anybody's
 * pipe. When the other end of fd is closed the run stops within a moment and cleans up. */
int worker_run(int fd);

#endif
