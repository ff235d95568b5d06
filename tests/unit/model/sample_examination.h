/* SPDX-License-Identifier: Apache-2.0 */
/* An examination with every field set: LVM on a partition of a disk, no problems. */
#ifndef REPOPROBE_TESTS_UNIT_MODEL_SAMPLE_EXAMINATION_H
#define REPOPROBE_TESTS_UNIT_MODEL_SAMPLE_EXAMINATION_H

#include "test.h"

#include <stdlib.h>

#include "model/examination.h"

static const struct examination sample_examination_value = {
	.step = EXAMINATION_COMPLETE,
	.real_path = "/mnt/backup",
	.kind = EXAMINATION_KIND_DISK,
	.identity = {
		.fs_type = "xfs",
		.source = "/dev/mapper/vg0-backup",
		.mount_point = "/mnt/backup",
		.fs_uuid = "6c2f1f0a-0000-4000-8000-000000000001",
		.is_mount = true,
		.size_bytes = UINT64_C(1) << 42,
		.free_bytes = UINT64_C(1) << 41,
	.options = { .mount = "rw,noatime", .fs = "rw,logbufs=8" },
	.has_device = true,
	.device = {
		.major = 253,
		.minor = 3,
		.name = "dm-3",
		.disk = "dm-3",
		.mapped_name = "vg0-backup",
		.array_level = "raid6",
		.array_action = "idle",
		.rotational = DEVICE_ROTATIONAL_YES,
		.write_cache = "write back",
		.has_fua = true,
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.request_max_bytes = UINT32_C(1) << 20,
		.model = "WDC WD40EFRX-68W",
		.scheduler = "mq-deadline",
		.queue_requests = 64,
		.write_copies = 1,
		.has_all_leaves = true,
		.leaf_count = 2,
		.leaves = { { 8, 0, "sda" }, { 8, 16, "sdb" } },
	},
	},
	.inodes = 1000,
	.free_inodes = 900,
	.file_target_bytes = UINT64_C(1) << 30,
	.has_room = true,
	.has_history = true,
	.history = {
		.kind = EXAMINATION_KIND_DISK,
		.identity = { .fs_type = "ext4", .source = "/dev/nvme0n1p2", .mount_point = "/" },
	},
	.caller_uid = 0,
	.worker_uid = 34,
	.worker_gid = 35,
	.repository = { .uid = 34, .gid = 35, .mode = 0750 },
	.has_directory = true,
	.directory = { .uid = 34, .gid = 35, .mode = 0700 },
	.file = { .exists = true, .is_ours = true, .size_bytes = UINT64_C(129) << 20 },
	.other_files = 2,
	.other_bytes = UINT64_C(3) << 30,
	.direct = {
		.trial = EXAMINATION_WORKED,
		.read_align_bytes = 512,
		.offset_align_bytes = 512,
		.memory_align_bytes = 4,
	},
	.has_preparation = true,
	.preparation = { .path = "/mnt/backup/.repoprobe", .is_ready = true, .is_beside = true },
	.uring = {
		.has_threads_engine = true,
		.buffer_bytes = UINT64_C(1) << 20,
		.memory_lock_bytes = UINT64_C(8) << 20,
	},
};

/* The caller frees it. */
static inline struct examination *sample_examination(void)
{
	struct examination *e = malloc(sizeof(*e));

	assert_non_null(e);
	*e = sample_examination_value;
	return e;
}

#endif
