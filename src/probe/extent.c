/* SPDX-License-Identifier: Apache-2.0 */
/* Queries a file system for a file's extents. */
#include "probe/extent.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXTENTS_AT_A_TIME 512

#define UNREAL_FLAGS                                                                               \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNWRITTEN |                \
		FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

bool extent_follow(
	struct extent_report *report, uint64_t at_bytes, uint64_t len_bytes, uint32_t flags)
{
	if (at_bytes > report->end_bytes || (flags & UNREAL_FLAGS) || len_bytes == 0 ||
		len_bytes > UINT64_MAX - at_bytes)
		return false;
	if (at_bytes + len_bytes > report->end_bytes)
		report->end_bytes = at_bytes + len_bytes;
	if ((flags & FIEMAP_EXTENT_ENCODED) && !(flags & FIEMAP_EXTENT_DATA_ENCRYPTED))
		report->is_compressed = true;
	return (flags & FIEMAP_EXTENT_LAST) == 0;
}

/* Reads the next extents after the report's end. Returns 1 while there may be more, 0, -errno. */
static int follow_some(int fd, struct fiemap *map, struct extent_report *report)
{
	*map = (struct fiemap){
		.fm_start = report->end_bytes,
		.fm_length = FIEMAP_MAX_OFFSET - report->end_bytes,
		.fm_flags = FIEMAP_FLAG_SYNC,
		.fm_extent_count = EXTENTS_AT_A_TIME,
	};
	if (ioctl(fd, FS_IOC_FIEMAP, map) < 0)
		return -errno;
	for (uint32_t i = 0; i < map->fm_mapped_extents && i < EXTENTS_AT_A_TIME; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];
		if (!extent_follow(report, e->fe_logical, e->fe_length, e->fe_flags))
			return 0;
	}
	return map->fm_mapped_extents == EXTENTS_AT_A_TIME;
}

static int measure_extents(int fd, uint64_t size_bytes, struct extent_report *report)
{
	struct fiemap *map = malloc(sizeof(*map) + EXTENTS_AT_A_TIME * sizeof(map->fm_extents[0]));
	int r = 1;

	if (!map)
		return -ENOMEM;
	while (r > 0 && report->end_bytes < size_bytes)
		r = follow_some(fd, map, report);
	free(map);
	return r < 0 ? r : 0;
}

static bool has_no_map(int r)
{
	return r == -EOPNOTSUPP || r == -ENOTTY || r == -EINVAL || r == -ENOSYS || r == -EBADR;
}

int extent_measure_holes(int fd, uint64_t start_bytes, struct extent_report *ret)
{
	struct extent_report report = { .end_bytes = start_bytes, .source = EXTENT_HOLES };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size > start_bytes) {
		off_t hole = lseek(fd, (off_t)start_bytes, SEEK_HOLE);
		report.end_bytes = (uint64_t)(hole >= 0 && hole < st.st_size ? hole : st.st_size);
	}
	*ret = report;
	return 0;
}

int extent_measure(int fd, uint64_t start_bytes, struct extent_report *ret)
{
	struct extent_report report = { .end_bytes = start_bytes, .source = EXTENT_FIEMAP };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	int r = measure_extents(fd, (uint64_t)st.st_size, &report);
	if (has_no_map(r))
		return extent_measure_holes(fd, start_bytes, ret);
	if (r < 0)
		return r;
	if (report.end_bytes > (uint64_t)st.st_size && report.end_bytes > start_bytes)
		report.end_bytes =
			(uint64_t)st.st_size > start_bytes ? (uint64_t)st.st_size : start_bytes;
	*ret = report;
	return 0;
}
