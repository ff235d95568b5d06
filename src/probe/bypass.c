/* SPDX-License-Identifier: Apache-2.0 */
/* Tries a direct write on a page that is kept in the cache.
 *
 * A write that bypasses the cache must drop the pages that it makes stale, even mapped ones. A
 * write through the cache changes the page instead, and a file system then drops only pages that
 * are not mapped. So a page that is mapped and locked is resident after the write if and only if
 * the cache was used. This concerns one locked page of our own file, so other writers do not
 * matter, unlike with the machine-wide counters of dirtied pages (/proc/vmstat). The counters of
 * this process (/proc/self/io) are the same for both kinds of write. */
#include "probe/bypass.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model/identity.h"
#include "probe/place.h"

#define ZFS_MAGIC 0x2fc12fc1UL
#define CHECKSUMS_MAJOR 6 /* Linux 6.15: btrfs writes what it computes checksums of … */
#define CHECKSUMS_MINOR 15 /* … from memory that no program can change meanwhile */
#define NUMBER_MAX 10000

static unsigned read_number(const char **at)
{
	unsigned number = 0;

	for (; **at >= '0' && **at <= '9' && number < NUMBER_MAX; (*at)++)
		number = number * 10 + (unsigned)(**at - '0');
	return number;
}

static bool is_at_least(const char *release, unsigned major, unsigned minor)
{
	unsigned found_major = read_number(&release);

	if (found_major != major || *release != '.')
		return found_major > major;
	release++;
	return read_number(&release) >= minor;
}

bool bypass_is_barred(const struct bypass_facts *f)
{
	size_t len;

	return f->fs_magic == BTRFS_SUPER_MAGIC && !(f->inode_flags & FS_NOCOW_FL) &&
		!identity_find_option(f->fs_options, "nodatasum", &len) &&
		!identity_find_option(f->fs_options, "nodatacow", &len) &&
		is_at_least(f->kernel_release, CHECKSUMS_MAJOR, CHECKSUMS_MINOR);
}

static int check_count(ssize_t n, uint32_t bytes)
{
	return n < 0 ? -errno : n == (ssize_t)bytes ? 0 : -EIO;
}

/* The first page represents the whole block. */
static int is_resident(void *map)
{
	unsigned char page = 0;

	return mincore(map, 1, &page) < 0 ? -errno : page & 1;
}

/* The page is read and locked first, so that only the write can remove it. */
static int write_over(int fd, void *map, uint8_t *memory, uint64_t at_bytes, uint32_t bytes)
{
	int r = check_count(pread(fd, memory, bytes, (off_t)at_bytes), bytes);

	(void)madvise(map, bytes, MADV_RANDOM); /* only saves read-ahead */
	if (r == 0 && mlock2(map, bytes, 0) < 0) /* AddressSanitizer makes mlock() do nothing */
		r = -errno;
	if (r == 0)
		r = is_resident(map) == 1 ? 0 : -ENODATA;
	if (r == 0)
		r = check_count(pwrite(fd, memory, bytes, (off_t)at_bytes), bytes);
	if (r == 0)
		r = is_resident(map);
	return r < 0 ? r : !r;
}

int bypass_try(int direct_fd, uint64_t at_bytes, uint32_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, direct_fd, (off_t)at_bytes);

	if (map == MAP_FAILED)
		return -errno;
	uint8_t *memory = aligned_alloc(bytes, bytes);
	int r = memory ? write_over(direct_fd, map, memory, at_bytes, bytes) : -ENOMEM;
	free(memory);
	(void)munmap(map, bytes); /* our own mapping */
	return r;
}

static bool is_barred(int fd, unsigned long fs_magic)
{
	struct identity_options mount_options = { .fs = "" };
	struct utsname system;

	if (uname(&system) < 0)
		return false;
	place_read_options(fd, &mount_options);
	struct bypass_facts facts = {
		.fs_magic = fs_magic,
		.fs_options = mount_options.fs,
		.inode_flags = place_inode_flags(fd),
		.kernel_release = system.release,
	};
	return bypass_is_barred(&facts);
}

bool bypass_is_missing(int direct_fd, uint64_t at_bytes, uint32_t bytes)
{
	struct statfs fs;

	if (fstatfs(direct_fd, &fs) < 0 || (unsigned long)fs.f_type == ZFS_MAGIC)
		return false;
	int r = bytes > 0 ? bypass_try(direct_fd, at_bytes, bytes) : -ENODATA;
	return r < 0 ? is_barred(direct_fd, (unsigned long)fs.f_type) : r == 0;
}
