/* SPDX-License-Identifier: Apache-2.0 */
/* What may be done to a repository's file system: one list of rules, and the only calls by which
 * this program opens, makes, cuts or removes anything there. tools/check-guard.sh holds the other
 * files of src/probe and src/worker to that; tests/mutants breaks each rule once and expects a
 * test to fail. */
#ifndef REPOPROBE_PROBE_GUARD_H
#define REPOPROBE_PROBE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "model/job.h"
#include "probe/header.h"

struct buf;

/* When a rule is looked at, in this order. */
enum guard_stage {
	GUARD_AT_PLACE, /* the repository's directory, nothing else opened yet */
	GUARD_AT_MOUNT, /* likewise: is it the file system that is expected? */
	GUARD_AT_DIRECTORY, /* the probe directory */
	GUARD_AT_HOLDINGS, /* what lies in it already */
	GUARD_AT_FILE, /* a name in it, before it is opened */
	GUARD_AT_LOCK, /* the file, opened */
	GUARD_AT_CONTENT, /* its header */
	GUARD_AT_REOPEN, /* the same file under another descriptor */
	GUARD_AT_SPACE, /* before a layout, and before each run */
	GUARD_AT_CALL, /* kept by the calls below, whoever makes them */
};
#define GUARD_STAGES 10

struct guard_space {
	uint64_t size_bytes; /* 0: the file system does not say */
	uint64_t free_bytes;
	uint64_t floor_bytes;
	uint64_t more_bytes; /* that are to be written */
	uint64_t inodes; /* 0: the file system has no number of them */
	uint64_t free_inodes;
	uint64_t more_inodes;
};

/* What the rules of a stage judge; the others' members need not be set. */
struct guard_facts {
	const char *real_path; /* PLACE: all links resolved */
	unsigned long fs_magic; /* PLACE */
	const struct identity *identity; /* PLACE, MOUNT: as it is */
	const struct job_expectation *expected; /* MOUNT: as it should be */
	bool is_expected_source; /* MOUNT: another name of the same device */
	dev_t place_device; /* DIRECTORY */
	ino_t place_inode; /* DIRECTORY */
	struct stat directory; /* DIRECTORY; FILE: its owner */
	bool is_named_ours; /* HOLDINGS: by a name that only repoprobe gives … */
	bool is_marked_ours; /* HOLDINGS: … and by our CACHEDIR.TAG in it */
	const char *foreign_name; /* HOLDINGS: of something in it that is not ours; NULL: none */
	struct stat file; /* FILE, REOPEN: as it is */
	uid_t user; /* FILE: ours */
	bool is_immutable; /* FILE */
	int lock_error; /* LOCK: of the attempt, -errno */
	int header_error; /* CONTENT: of header_decode */
	struct stat known; /* REOPEN: as it was */
	struct header header; /* REOPEN: as it is … */
	struct header known_header; /* … and as it was */
	struct guard_space space; /* SPACE */
};

struct guard_rule {
	const char *name; /* as in tests/mutants */
	enum guard_stage stage;
	bool (*is_broken)(const struct guard_facts *facts); /* NULL: at GUARD_AT_CALL */
	enum run_status status;
	int error_number;
	const char *text; /* what follows the name of what was looked at */
	/* What follows it where the facts say more than a text could. */
	void (*say)(const struct guard_facts *facts, struct buf *b);
};

/* The list. NULL past the end. */
const struct guard_rule *guard_rule_at(size_t i);

/* The first rule of the stage that these facts break, or NULL. Pure. */
const struct guard_rule *guard_find_broken(enum guard_stage stage, const struct guard_facts *facts);

/* Fails the run as the rule says, about `path` or, unless name is NULL, about "NAME in PATH".
 * Returns the rule's -errno. */
int guard_refuse(const struct guard_rule *rule, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run);

/* Both at once: 0, or -errno with the run failed. */
int guard_check(enum guard_stage stage, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run);

/* --- The calls ----------------------------------------------------------
 * `name` is one name below a directory's descriptor: nothing that leads elsewhere is followed, by
 * a link or by "..". Each returns a descriptor, or 0, or -errno. */

/* Opens what is there, and never makes or empties anything. */
int guard_open(int directory_fd, const char *name, int flags);

/* Opens it to read a few bytes, and leaves the time of its last access alone where that may be. */
int guard_open_to_look(int directory_fd, const char *name);

/* Makes a file that was not there. -EEXIST when something is. */
int guard_create(int directory_fd, const char *name, int flags, mode_t mode);

/* A file that never has a name. */
int guard_create_nameless(int directory_fd, int flags);

int guard_make_directory(int directory_fd, const char *name, mode_t mode);

/* A file by what its name cannot change. */
struct guard_id {
	dev_t device;
	ino_t inode;
};
int guard_identify(int fd, struct guard_id *ret);

/* Removes a name that still leads to that file. -EREMCHG, as no file system says it, when it leads
 * to another. */
int guard_remove(int directory_fd, const char *name, const struct guard_id *id);

/* Removes an empty directory. */
int guard_remove_directory(int directory_fd, const char *name);

/* Cuts a file that is open for writing. Never makes it longer: -EINVAL. */
int guard_cut(int fd, uint64_t bytes);

/* The exclusive lock of an open file, let go with the descriptor's last copy. */
int guard_lock(int fd);

/* Reads the header through a descriptor, also one for direct I/O. -EBADMSG: not ours. -EPROTO: of
 * a newer version. */
int guard_read_header(int fd, struct header *ret);

#endif
