/* SPDX-License-Identifier: Apache-2.0 */
/* What may be done to a repository's file system: one list of rules, and the only calls by which
 * this program opens, creates, truncates or removes anything there. tools/check-guard.sh enforces
 * that for the other files of src/probe and src/worker; tests/mutants breaks each rule once and
 * expects a test to fail. */
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

/* When a rule is checked, in this order. */
enum guard_stage {
	GUARD_AT_PLACE, /* the repository's directory, before anything else is opened */
	GUARD_AT_MOUNT, /* likewise: is it the expected file system? */
	GUARD_AT_DIRECTORY, /* the probe directory */
	GUARD_AT_HOLDINGS, /* its contents */
	GUARD_AT_FILE, /* a name in it, before it is opened */
	GUARD_AT_LOCK, /* the open file */
	GUARD_AT_CONTENT, /* its header */
	GUARD_AT_REOPEN, /* the same file under another descriptor */
	GUARD_AT_SPACE, /* before a layout, and before each run */
	GUARD_AT_CALL, /* kept by the calls below, for every caller */
};
#define GUARD_STAGES 10

struct guard_space {
	uint64_t size_bytes; /* 0: not reported */
	uint64_t free_bytes;
	uint64_t floor_bytes;
	uint64_t more_bytes; /* to be written */
	uint64_t inodes; /* 0: not reported */
	uint64_t free_inodes;
	uint64_t more_inodes;
};

/* What the rules of a stage judge; members of other stages need not be set. */
struct guard_facts {
	const char *real_path; /* PLACE: all links resolved */
	unsigned long fs_magic; /* PLACE */
	const struct identity *identity; /* PLACE, MOUNT: as found */
	const struct job_expectation *expected; /* MOUNT: as expected */
	bool is_expected_source; /* MOUNT: another name of the same device */
	dev_t place_device; /* DIRECTORY */
	ino_t place_inode; /* DIRECTORY */
	struct stat directory; /* DIRECTORY; FILE: its owner */
	bool is_named_ours; /* HOLDINGS: by a name that only repoprobe uses … */
	bool is_marked_ours; /* HOLDINGS: … and by our CACHEDIR.TAG in it */
	const char *foreign_name; /* HOLDINGS: a name in it that is not ours; NULL: none */
	struct stat file; /* FILE, REOPEN: as found */
	uid_t user; /* FILE: ours */
	bool is_immutable; /* FILE */
	int lock_error; /* LOCK: of the attempt, -errno */
	int header_error; /* CONTENT: of header_decode */
	struct stat known; /* REOPEN: as first found */
	struct header header; /* REOPEN: as found … */
	struct header known_header; /* … and as first found */
	struct guard_space space; /* SPACE */
};

struct guard_rule {
	const char *name; /* as in tests/mutants */
	enum guard_stage stage;
	bool (*is_broken)(const struct guard_facts *facts); /* NULL: at GUARD_AT_CALL */
	enum run_status status;
	int error_number;
	const char *text; /* follows the name of the checked object */
	/* Writes that text instead, where it depends on the facts. */
	void (*say)(const struct guard_facts *facts, struct buf *b);
};

/* The list. NULL past the end. */
const struct guard_rule *guard_rule_at(size_t i);

/* The first rule of the stage that these facts break, or NULL. Pure. */
const struct guard_rule *guard_find_broken(enum guard_stage stage, const struct guard_facts *facts);

/* Fails the run by this rule, about `path` or, unless name is NULL, about "NAME in PATH". Returns
 * the rule's -errno. */
int guard_refuse(const struct guard_rule *rule, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run);

/* guard_find_broken and guard_refuse in one: 0, or -errno with the run failed. */
int guard_check(enum guard_stage stage, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run);

/* --- The calls ----------------------------------------------------------
 * `name` is one name below a directory's descriptor: nothing that leads elsewhere is followed, by
 * a link or by "..". Each returns a descriptor, or 0, or -errno. */

/* Opens what exists, and never creates or truncates anything. */
int guard_open(int directory_fd, const char *name, int flags);

/* Opens it to read a few bytes, without changing its access time where that is permitted. */
int guard_open_to_look(int directory_fd, const char *name);

/* Creates a new file. -EEXIST when the name exists. */
int guard_create(int directory_fd, const char *name, int flags, mode_t mode);

/* Creates a file without a name. */
int guard_create_nameless(int directory_fd, int flags);

int guard_make_directory(int directory_fd, const char *name, mode_t mode);

/* Identifies a file independently of its name. */
struct guard_id {
	dev_t device;
	ino_t inode;
};
int guard_identify(int fd, struct guard_id *ret);

/* Removes a name that still refers to that file. -EREMCHG, which no file system returns, when it
 * refers to another. */
int guard_remove(int directory_fd, const char *name, const struct guard_id *id);

/* Removes an empty directory. */
int guard_remove_directory(int directory_fd, const char *name);

/* Truncates a file that is open for writing. Never extends it: -EINVAL. */
int guard_cut(int fd, uint64_t bytes);

/* The exclusive lock of an open file, released with the last copy of the descriptor. */
int guard_lock(int fd);

/* Reads the header through a descriptor, also one for direct I/O. -EBADMSG: not ours. -EPROTO: of a
 * newer version. */
int guard_read_header(int fd, struct header *ret);

#endif
