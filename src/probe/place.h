/* SPDX-License-Identifier: Apache-2.0 */
/* The repository's directory and the file system it lies on: opened without touching anything, and
 * refused where no repository can be. */
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
	dev_t device; /* these two for comparisons within this run only */
	ino_t inode;
	uid_t owner;
	gid_t owner_group;
	bool is_in_memory; /* tmpfs and the like, also below an overlay */
	uint64_t min_free_bytes;
	uint8_t min_free_percent;
	struct setup *setup; /* told of each step on the repository (setup.h); lent */
};

/* Opens job->repository_path and fills run->identity: where no repository can be, where it is not
 * mounted, or where another file system is than the job expects, it is refused, with nothing
 * written. setup may be NULL. Returns 0, or -errno with the run failed. */
int place_open(const struct job *job, struct setup *setup, struct place *ret, struct run *run);
void place_close(struct place *place);

/* Are `more_bytes` free above the floor? Fails the run with -ENOSPC and the numbers if not. A file
 * system that does not say how big it is passes. Renews free_bytes in run->identity. */
int place_check_space(const struct place *place, uint64_t more_bytes, struct run *run);

/* The same question without consequences. */
bool place_has_space(const struct place *place, uint64_t more_bytes);

/* Can so many names be made? Fails the run with -ENOSPC and the numbers if not. */
int place_check_inodes(const struct place *place, unsigned more, struct run *run);

/* statx(2) of a descriptor with the fields that older libraries do not know. Zero: unknown. */
struct place_facts {
	uint64_t mount_id;
	uint32_t direct_align_bytes; /* offsets and lengths of direct I/O */
	uint32_t direct_memory_align_bytes; /* buffers of direct I/O */
	bool is_immutable; /* chattr +i or +a */
	bool is_compressed; /* chattr +c */
};
struct place_facts place_facts(int fd);

/* chattr(1)'s flags of an open file, as FS_IOC_GETFLAGS has them; 0: none, or not known. */
uint32_t place_inode_flags(int fd);

/* How the file system of an open file is mounted. Leaves *ret as it is where that is not known. */
void place_read_options(int fd, struct identity_options *ret);

/* The block device of an open file's file system: st_dev or, where that is no device (btrfs), the
 * one that the identity's source names. */
dev_t place_block_device(int fd, const struct identity *identity);

/* Where a descriptor really leads, all links resolved. 0 or -errno. */
int place_read_real_path(int fd, char *ret, size_t size);

/* What /proc/self/mountinfo may have. */
#define PLACE_MOUNTINFO_MAX (UINT32_C(4) << 20)

#endif
