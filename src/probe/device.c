/* SPDX-License-Identifier: Apache-2.0 */
/* Walks from a device number down /sys: partition to disk, dm and md through their "slaves" to the
 * leaves. Uses a queue instead of recursion; depth and count are limited. */
#include "probe/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/utf8.h"
#include "model/device.h"
#include "probe/sysfs.h"

#define DEPTH_MAX 8 /* LVM on LUKS on RAID on partitions has four */
#define STEPS_MAX 64

/* A device to visit, and how it was reached. */
struct step {
	struct sysfs_number number;
	unsigned depth;
	uint64_t copies; /* copies of each written byte that reach it, as in device_info */
};

struct walk {
	const char *sysfs;
	struct device_info *info;
	bool is_uneven; /* a device was reached by two paths with different copies */
	size_t step_count;
	struct step steps[STEPS_MAX]; /* in the order of visits, without duplicates */
};

/* Queues a device unless it is already queued or visited. */
static void push(struct walk *w, struct sysfs_number number, unsigned depth, uint64_t copies)
{
	for (size_t i = 0; i < w->step_count; i++) {
		if (!sysfs_is_same(w->steps[i].number, number))
			continue;
		if (w->steps[i].copies != copies)
			w->is_uneven = true;
		return;
	}
	if (depth > DEPTH_MAX || w->step_count == STEPS_MAX) {
		w->info->has_all_leaves = false;
		return;
	}
	w->steps[w->step_count++] =
		(struct step){ .number = number, .depth = depth, .copies = copies };
}

static int compare_steps(const void *a, const void *b)
{
	const struct sysfs_number *x = &((const struct step *)a)->number;
	const struct sysfs_number *y = &((const struct step *)b)->number;

	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	return x->minor < y->minor ? -1 : x->minor > y->minor;
}

/* Queues a device's components in a stable order. Returns their number. */
static size_t push_slaves(
	struct walk *w, const struct sysfs_block *b, unsigned depth, uint64_t copies)
{
	int fd = openat(b->fd, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t first = w->step_count;
	size_t count = 0;

	if (!d) {
		fd_close(fd);
		return 0;
	}
	for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
		char path[sizeof(e->d_name) + sizeof("/dev")];
		struct sysfs_number number;
		if (e->d_name[0] == '.')
			continue;
		count++;
		(void)snprintf(path, sizeof(path), "%s/dev", e->d_name); /* fits */
		if (sysfs_read_number(fd, path, &number) == 0)
			push(w, number, depth + 1, copies);
		else
			w->info->has_all_leaves = false;
	}
	(void)closedir(d); /* was only read */
	qsort(w->steps + first, w->step_count - first, sizeof(w->steps[0]), compare_steps);
	return count;
}

/* near × far copies of md's raid10 layout; offset copies are far ones. */
static uint64_t copies_of_raid10(int fd)
{
	uint32_t layout = sysfs_read_uint32(fd, "md/layout");

	return layout > 0 ? (uint64_t)(layout & 0xff) * (layout >> 8 & 0xff) : 0;
}

/* How many copies of each byte an md array writes; 0: varies with full or partial stripe writes. */
static uint64_t copies_of_array(int fd, const char *level)
{
	uint32_t disks = sysfs_read_uint32(fd, "md/raid_disks");
	uint32_t missing = sysfs_read_uint32(fd, "md/degraded");

	if (strcmp(level, "linear") == 0 || strcmp(level, "raid0") == 0)
		return 1;
	if (strcmp(level, "raid1") == 0 && disks > missing)
		return disks - missing;
	if (strcmp(level, "raid10") == 0 && missing == 0)
		return copies_of_raid10(fd);
	return 0;
}

/* LVM does not show how it uses the parts of its mirrors and RAIDs. */
static bool is_part_of_raid(int fd)
{
	static const char *const parts[] = { "_rimage_", "_rmeta_", "_mimage_" };
	char name[DEVICE_TEXT_MAX + 1];

	if (sysfs_read_text(fd, "dm/name", name, sizeof(name)) < 0)
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

/* How many copies the device makes of each write; records the first array on the path. */
static uint64_t copies_of(struct device_info *info, int fd)
{
	char level[sizeof(info->array_level)];

	if (is_part_of_raid(fd))
		return 0;
	if (sysfs_read_text(fd, "md/level", level, sizeof(level)) < 0)
		return 1;
	if (info->array_level[0] == '\0') {
		memcpy(info->array_level, level, sizeof(level));
		(void)sysfs_read_text(fd, "md/sync_action", info->array_action,
			sizeof(info->array_action)); /* raid0 has none */
	}
	return copies_of_array(fd, level);
}

static void note_request_max(struct device_info *info, const struct sysfs_block *b)
{
	uint64_t bytes = (uint64_t)sysfs_read_uint32(b->fd, "queue/max_sectors_kb") * 1024;

	if (bytes == 0 || bytes > UINT32_MAX)
		return;
	if (info->request_max_bytes == 0 || bytes < info->request_max_bytes)
		info->request_max_bytes = (uint32_t)bytes;
}

/* "[mq-deadline] kyber none", or just "none" */
static void read_scheduler(int fd, char *dst, size_t size)
{
	char text[SYSFS_TEXT_MAX + 1];

	if (sysfs_read_text(fd, "queue/scheduler", text, sizeof(text)) < 0)
		return;
	char *name = strchr(text, '[');
	name = name ? name + 1 : text;
	size_t len = utf8_cut(name, size - 1);
	if (strcspn(name, "] ") < len)
		len = strcspn(name, "] ");
	memcpy(dst, name, len);
	dst[len] = '\0';
}

/* SCSI disks have both; "ATA" and a PCI number ("0x1af4") are not vendor names. */
static void read_model(int fd, char *dst, size_t size)
{
	char vendor[32] = "";
	char model[64] = "";
	struct buf b = BUF_INIT(sizeof(vendor) + sizeof(model));

	(void)sysfs_read_text(fd, "device/vendor", vendor, sizeof(vendor)); /* NVMe, MMC: none */
	if (sysfs_read_text(fd, "device/model", model, sizeof(model)) < 0 &&
		sysfs_read_text(fd, "device/name", model, sizeof(model)) < 0)
		return;
	if (vendor[0] != '\0' && strcmp(vendor, "ATA") != 0 && strncmp(vendor, "0x", 2) != 0)
		buf_printf(&b, "%s ", vendor);
	buf_add_text(&b, model);
	const char *text = buf_text(&b);
	size_t len = utf8_cut(text, size - 1);
	memcpy(dst, text, len);
	dst[len] = '\0';
	buf_done(&b);
}

static void describe_first_leaf(struct device_info *info, const struct sysfs_block *b)
{
	read_model(b->fd, info->model, sizeof(info->model));
	read_scheduler(b->fd, info->scheduler, sizeof(info->scheduler));
	info->queue_requests = sysfs_read_uint32(b->fd, "queue/nr_requests");
	(void)sysfs_read_text(b->fd, "loop/backing_file", info->backing_file,
		sizeof(info->backing_file)); /* only loop devices have one */
}

static void add_leaf(struct device_info *info, const struct sysfs_block *b, uint64_t copies)
{
	if (info->leaf_count == DEVICE_LEAVES_MAX) {
		info->has_all_leaves = false;
		return;
	}
	if (info->leaf_count == 0) {
		describe_first_leaf(info, b);
		info->write_copies = copies <= UINT8_MAX ? (uint8_t)copies : 0;
	} else if (info->write_copies != copies) {
		info->write_copies = 0;
	}
	struct device_leaf *leaf = &info->leaves[info->leaf_count++];
	leaf->major = b->number.major;
	leaf->minor = b->number.minor;
	memcpy(leaf->name, b->name, sizeof(leaf->name));
}

/* Visits a disk: queues its slaves, or adds it as a leaf if it has none. */
static void visit_disk(struct walk *w, const struct sysfs_block *b, const struct step *step)
{
	uint64_t copies = copies_of(w->info, b->fd) * step->copies;

	note_request_max(w->info, b);
	if (push_slaves(w, b, step->depth, copies) == 0)
		add_leaf(w->info, b, copies);
}

static void visit(struct walk *w, const struct step *step)
{
	struct sysfs_block b;

	if (sysfs_open_block(w->sysfs, step->number, &b) < 0) {
		w->info->has_all_leaves = false;
		return;
	}
	if (sysfs_to_disk(w->sysfs, &b) < 0)
		w->info->has_all_leaves = false;
	else if (sysfs_is_same(b.number, step->number))
		visit_disk(w, &b, step);
	else
		push(w, b.number, step->depth, step->copies);
	fd_close(b.fd);
}

static void describe_disk(struct device_info *info, const struct sysfs_block *b)
{
	uint64_t rotational;

	memcpy(info->disk, b->name, sizeof(info->disk));
	(void)sysfs_read_text(b->fd, "dm/name", info->mapped_name,
		sizeof(info->mapped_name)); /* only mapped devices have one */
	if (sysfs_read_uint(b->fd, "queue/rotational", 1, &rotational) == 0)
		info->rotational = rotational ? DEVICE_ROTATIONAL_YES : DEVICE_ROTATIONAL_NO;
	(void)sysfs_read_text(b->fd, "queue/write_cache", info->write_cache,
		sizeof(info->write_cache)); /* left unknown */
	info->has_fua = sysfs_read_uint32(b->fd, "queue/fua") == 1;
	info->logical_block_bytes = sysfs_read_uint32(b->fd, "queue/logical_block_size");
	info->physical_block_bytes = sysfs_read_uint32(b->fd, "queue/physical_block_size");
}

int device_find(const char *sysfs, dev_t device, struct device_info *ret)
{
	struct sysfs_number number = { .major = major(device), .minor = minor(device) };
	struct device_info info = { .has_all_leaves = true };
	struct walk w = { .sysfs = sysfs, .info = &info };
	struct sysfs_block b;

	if (number.major == 0 || sysfs_open_block(sysfs, number, &b) < 0)
		return -ENODEV;
	info.major = number.major;
	info.minor = number.minor;
	memcpy(info.name, b.name, sizeof(info.name));
	if (sysfs_to_disk(sysfs, &b) == 0)
		describe_disk(&info, &b);
	fd_close(b.fd);

	push(&w, number, 0, 1);
	for (size_t i = 0; i < w.step_count; i++) {
		struct step step = w.steps[i];
		visit(&w, &step);
	}
	if (w.is_uneven)
		info.write_copies = 0;
	*ret = info;
	return 0;
}
