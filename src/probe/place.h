/* SPDX-License-Identifier: Apache-2.0 */
/* The repository's directory and its file system: opened without changing anything, and refused
 * where no repository can be. */
#ifndef REPOPROBE_PROBE_PLACE_H
#define REPOPROBE_PROBE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/job.h"

struct setup;

struct place {
	const char *path; /* the job's; lent */
	int fd; /* O_PATH */
	dev_t device; /* both for comparisons within this run only */
	ino_t inode;
	uid_t owner;
	gid_t owner_group;
	bool is_in_memory; /* tmpfs and the like, also below an overlay */
	uint64_t min_free_bytes;
	uint8_t min_free_percent;
	struct setup *setup; /* times each step on the repository (setup.h); lent */
};

/* Opens job->repository_path and fills run->identity. Refuses a place that cannot be a repository,
 * is not mounted, or has another file system than the job expects; nothing is written then. setup
 * may be NULL. Returns 0, or -errno with the run failed. */
int place_open(const struct job *job, struct setup *setup, struct place *ret, struct run *run);
void place_close(struct place *place);

/* Checks that `more_bytes` are free above the floor; else fails the run with -ENOSPC and the
 * numbers. A file system that does not report its size passes. Updates run->identity. */
int place_check_space(const struct place *place, uint64_t more_bytes, struct run *run);

/* The same check without side effects. */
bool place_has_space(const struct place *place, uint64_t more_bytes);

/* Checks that so many names can be created; else fails the run with -ENOSPC and the numbers. */
int place_check_inodes(const struct place *place, unsigned more, struct run *run);

/* Fields of statx(2) that older C libraries lack. Zero: unknown. */
struct place_facts {
	uint64_t mount_id;
	uint32_t direct_align_bytes; /* offsets and lengths of direct I/O */
	uint32_t direct_memory_align_bytes; /* buffers of direct I/O */
	bool is_immutable; /* chattr +i or +a */
	bool is_compressed; /* chattr +c */
};
struct place_facts place_facts(int fd);

/* chattr(1)'s flags of an open file, as in FS_IOC_GETFLAGS; 0: none, or not known. */
uint32_t place_inode_flags(int fd);

/* Mount options of an open file's file system. *ret is unchanged where they are not known. */
void place_read_options(int fd, struct identity_options *ret);

/* The block device of an open file's file system: st_dev or, where that is no device (btrfs), the
 * one named by the identity's source. */
dev_t place_block_device(int fd, const struct identity *identity);

/* The real path of a descriptor, all links resolved. 0 or -errno. */
int place_read_real_path(int fd, char *ret, size_t size);

/* Maximum size of /proc/self/mountinfo. */
#define PLACE_MOUNTINFO_MAX (UINT32_C(4) << 20)

#endif
