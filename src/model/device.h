/* SPDX-License-Identifier: Apache-2.0 */
/* The block device below a repository's file system, as found by the worker under /sys: what it is
 * and which disks do its work. Plain values; "" and 0 mean unknown. */
#ifndef REPOPROBE_MODEL_DEVICE_H
#define REPOPROBE_MODEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

#define DEVICE_NAME_MAX 31 /* the kernel's limit */
#define DEVICE_TEXT_MAX 127
#define DEVICE_MODEL_MAX 63
#define DEVICE_WORD_MAX 15
#define DEVICE_LEAVES_MAX 16

enum device_rotational {
	DEVICE_ROTATIONAL_UNKNOWN,
	DEVICE_ROTATIONAL_NO,
	DEVICE_ROTATIONAL_YES, /* also reported by many virtual disks */
};

/* A disk without visible devices below it: the end of the chain from the file system down. */
struct device_leaf {
	uint32_t major;
	uint32_t minor;
	char name[DEVICE_NAME_MAX + 1]; /* "sda" */
};

struct device_info {
	uint32_t major; /* st_dev of the file system */
	uint32_t minor;
	char name[DEVICE_NAME_MAX + 1]; /* "sda1", "dm-3", "loop0" */
	char disk[DEVICE_NAME_MAX + 1]; /* the whole disk if this is a partition, else the name */
	char mapped_name[DEVICE_TEXT_MAX + 1]; /* device mapper: "vg0-backup" */
	char array_level[DEVICE_WORD_MAX + 1]; /* md: "raid6" */
	char array_action[DEVICE_WORD_MAX + 1]; /* md: "idle", "resync", "check", … */
	char backing_file[DEVICE_TEXT_MAX + 1]; /* loop device; cut to fit */

	/* As reported by this device itself. */
	enum device_rotational rotational;
	char write_cache[DEVICE_WORD_MAX + 1]; /* "write back", "write through" */
	bool has_fua; /* supports FUA writes; without it, a flush follows each of them */
	uint32_t logical_block_bytes;
	uint32_t physical_block_bytes;
	uint32_t request_max_bytes; /* longer requests are split; the minimum over the chain */

	/* Of the first leaf. */
	char model[DEVICE_MODEL_MAX + 1]; /* "NETAPP LUN C-Mode", "WDC WD40EFRX-68W" */
	char scheduler[DEVICE_WORD_MAX + 1]; /* "none", "mq-deadline" */
	uint32_t queue_requests; /* nr_requests */

	/* Bytes the leaves write per byte written here: the number of mirrors; 1 if none; 0: not
	 * known (parity, LVM mirrors). */
	uint8_t write_copies;
	bool has_all_leaves; /* false: there are more, or some could not be examined */
	size_t leaf_count;
	struct device_leaf leaves[DEVICE_LEAVES_MAX];
};

/* The same device on the same leaves: counters read before and after are comparable. */
bool device_is_same(const struct device_info *a, const struct device_info *b);

/* Whether it passes requests to other devices (dm, md) and so counts them before they are split. */
bool device_is_stacked(const struct device_info *device);

/* Whether diskstats counts each durable write (O_DSYNC) twice, its bytes once: when the write
 * completes, and when the flush after it completes (the kernel's block/blk-flush.c). */
bool device_counts_synced_twice(const struct device_info *device);

/* Whether I/O on one is I/O on a disk of the other. */
bool device_shares_leaf(const struct device_info *a, const struct device_info *b);

/* device_json.c: the facts of interest to a reader or a later run, without the device numbers,
 * which do not survive a reboot. */
struct json_t *device_to_json(const struct device_info *device);
/* Decodes that. -EUCLEAN when something in it does not fit. */
int device_from_json(const struct json_t *object, struct device_info *ret);

#endif
