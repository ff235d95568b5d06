/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the store now and then to merge and drop what is old in the history. */
#ifndef REPOPROBE_DAEMON_TEND_H
#define REPOPROBE_DAEMON_TEND_H

struct daemon;

int tend_start(struct daemon *d);

#endif
