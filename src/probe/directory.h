/* SPDX-License-Identifier: Apache-2.0 */
/* The probe directory below a repository: found or made, opened without following a link, marked by
 * CACHEDIR.TAG. */
#ifndef REPOPROBE_PROBE_DIRECTORY_H
#define REPOPROBE_PROBE_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/job.h"

struct place;

#define DIRECTORY_TAG_NAME "CACHEDIR.TAG"
#define DIRECTORY_DEFAULT_NAME ".repoprobe"

struct directory {
	const struct place *place; /* lent */
	char path[JOB_PATH_MAX + 1]; /* for messages */
	char name[256]; /* below parent_fd */
	int parent_fd; /* O_PATH */
	int fd; /* O_PATH */
	uid_t owner;
	bool is_default; /* PATH/.repoprobe, not a configured path */
	bool is_new; /* made by this run */
	bool is_tag_new;
};

/* Opens the directory; makes it with mode 0700 if it is missing. A root process becomes its owner
 * or, to make it, the owner of its parent. Returns 0, or -errno with the run failed; call
 * directory_close either way. */
int directory_open(
	struct directory *d, const struct job *job, const struct place *place, struct run *run);

/* Likewise, but creates nothing: d->fd is -1 when it is missing. */
int directory_find(
	struct directory *d, const struct job *job, const struct place *place, struct run *run);

void directory_close(struct directory *d);

bool directory_has_tag(const struct directory *d);

/* Makes CACHEDIR.TAG if there is none. */
int directory_write_tag(struct directory *d, struct run *run);

/* Removes CACHEDIR.TAG if it is ours. True when it was removed. */
bool directory_remove_tag(const struct directory *d);

/* Removes what this run made, if it holds nothing else. */
void directory_undo(struct directory *d);

/* Removes tag and directory, if it holds nothing else and we could make it again. */
void directory_remove(struct directory *d);

/* Fails the run with the reason why a name could not be created: `r` from a call on parent_fd. */
int directory_explain(const struct directory *d, int r, int parent_fd, struct run *run);

#endif
