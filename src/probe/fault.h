/* SPDX-License-Identifier: Apache-2.0 */
/* What an errno from a repository means for the run: a status and a plain sentence. */
#ifndef REPOPROBE_PROBE_FAULT_H
#define REPOPROBE_PROBE_FAULT_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/run.h"

/* One row of the table; the first match counts. */
struct fault {
	int error_number;
	/* NULL: always. Else depends on the file system and the user. */
	bool (*applies)(const struct identity *identity, uid_t user);
	enum run_status status;
	const char *text; /* NULL in the table: errno_meaning's; NULL in a result: strerror's */
};

/* Pure. error_number: positive. An errno without a row means RUN_ERROR. */
struct fault fault_find(int error_number, const struct identity *identity, uid_t user);

/* Fails the run with "cannot DOING PATH: …" and returns `r`, a negative errno, unchanged. The file
 * system is described by run->identity. */
int fault_set(struct run *run, int r, const char *doing, const char *path);

/* The same for a name that could not be created in the directory open as directory_fd: for a
 * permission error it adds which user lacks what. */
int fault_set_in(struct run *run, int r, const char *doing, const char *path, int directory_fd);

/* Fails the run as refused, "PATH WHY", and returns -EPERM. */
int fault_refuse(struct run *run, const char *path, const char *why);

/* How many bytes of a path to show in a sentence, for "%.*s": reasons have a maximum length. */
int fault_path_len(const char *path);

#endif
