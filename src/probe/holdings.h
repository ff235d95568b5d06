/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a probe directory, and whether each is repoprobe's. Only reads. */
#ifndef REPOPROBE_PROBE_HOLDINGS_H
#define REPOPROBE_PROBE_HOLDINGS_H

#include <stdbool.h>
#include <sys/stat.h>

enum holding_kind {
	HOLDING_FOREIGN,
	HOLDING_TAG, /* CACHEDIR.TAG of any writer: it is no data */
	HOLDING_FILE, /* a probe file, or a killed run's rest of one, of any host and user */
};

struct holding {
	const char *name; /* lent for the call */
	enum holding_kind kind;
	struct stat st;
};

/* Calls look for each name until it returns non-zero, and returns that value; else 0 at the end, or
 * -errno. directory_fd: O_PATH. */
int holdings_list(
	int directory_fd, int (*look)(void *data, const struct holding *holding), void *data);

/* "<16 hex digits>-<user>.dat", with "-run" or ".fresh": identifies a file without a header, or one
 * that cannot be read. */
bool holding_is_our_name(const char *name);

#endif
