/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/self says of our own process, for the process_* metrics. */
#ifndef REPOPROBE_DAEMON_PROCESS_H
#define REPOPROBE_DAEMON_PROCESS_H

struct snapshot_process;

/* Fields that cannot be read stay 0. */
void process_read(struct snapshot_process *ret);

#endif
