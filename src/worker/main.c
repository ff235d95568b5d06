/* SPDX-License-Identifier: Apache-2.0 */
/* repoprobe-worker: touches the repository so that nobody else has to, and exits. */
#include <fcntl.h>
#include <unistd.h>

#include "worker/worker.h"

int main(void)
{
	(void)fcntl(WORKER_SOCKET_FD, F_SETFD, FD_CLOEXEC); /* worker_run says if it is not there */
	/* No handlers, no flushing: with an I/O outstanding any of it could hang. */
	_exit(worker_run(WORKER_SOCKET_FD));
}
