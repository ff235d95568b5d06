/* SPDX-License-Identifier: Apache-2.0 */
/* repoprobe-worker: accesses the repository in place of the daemon, and exits. */
#include <fcntl.h>
#include <unistd.h>

#include "worker/worker.h"

int main(void)
{
	(void)fcntl(WORKER_SOCKET_FD, F_SETFD, FD_CLOEXEC); /* worker_run reports a missing fd */
	/* No exit handlers, no flushing: with I/O outstanding any of it could hang. */
	_exit(worker_run(WORKER_SOCKET_FD));
}
