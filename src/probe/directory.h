/* SPDX-License-Identifier: Apache-2.0 */
/* The probe directory below a repository: found or made, entered without following a link, marked
 * by CACHEDIR.TAG. */
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
	char path[JOB_PATH_MAX + 1]; /* for sentences */
	char name[256]; /* below parent_fd */
	int parent_fd; /* O_PATH */
	int fd; /* O_PATH */
	uid_t owner;
	bool is_default; /* PATH/.repoprobe, not one that was named */
	bool is_new; /* made by this run */
	bool is_tag_new;
};

/* Opens it, made with mode 0700 if it is missing. A process that is root becomes its owner, or, to
 * make it, the owner of where it lies. Returns 0, or -errno with the run failed; done either way.
 */
int directory_open(
	struct directory *d, const struct job *job, const struct place *place, struct run *run);

/* Likewise, but makes nothing: d->fd is -1 when it is missing. */
int directory_find(
	struct directory *d, const struct job *job, const struct place *place, struct run *run);

void directory_close(struct directory *d);

bool directory_has_tag(const struct directory *d);

/* Makes CACHEDIR.TAG where there is none. */
int directory_write_tag(struct directory *d, struct run *run);

/* Removes CACHEDIR.TAG if it is ours. True when it is gone now. */
bool directory_remove_tag(const struct directory *d);

/* Takes back what this run made, if nothing else is in it. */
void directory_undo(struct directory *d);

/* Removes tag and directory, if nothing else is in it and we could make it again. */
void directory_remove(struct directory *d);

/* Fails the run with why something in it could not be created: `r` from a call on parent_fd. */
int directory_explain(const struct directory *d, int r, int parent_fd, struct run *run);

#endif
