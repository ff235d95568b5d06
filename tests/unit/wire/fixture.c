/* SPDX-License-Identifier: Apache-2.0 */
/* The sample messages that the tests of jobs and of results share. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct job *fixture_job(void)
{
	struct job *job = calloc(1, sizeof(*job));

	assert_non_null(job);
	job->kind = JOB_NULL;
	memcpy(job->repository_path, "/srv/r\xff", 8); /* a path need not be UTF-8 */
	memcpy(job->probe_directory, "/srv/r/.p", 10);
	job_file_name(job, "0123456789abcdef", 1000, false);
	job->workload = workload_preset_find("reverse-incremental")->workload;
	job->workload.has_seed = true;
	job->workload.seed = 77;
	job->file_target_bytes = UINT64_C(1) << 30;
	job->first_layout_bytes = JOB_FIRST_LAYOUT_BYTES;
	job->growth_bytes = JOB_GROWTH_BYTES;
	job->min_free_bytes = 12345;
	job->min_free_percent = 5;
	job->keep_file = true;
	job->expected = (struct job_expectation){
		.requires_mount = true,
		.fs_type = "ext4",
		.source = "UUID=1234",
		.seen = { .is_set = true,
			.is_mount = true,
			.fs_type = "ext4",
			.source = "/dev/sdb1",
			.mount_point = "/mnt/vault1",
			.fs_uuid = "1234" },
	};
	job->deadline_usec = 90000000;
	job->null_latency_nsec = 250000;
	return job;
}

static void set_device(struct device_info *d)
{
	*d = (struct device_info){
		.major = 9,
		.minor = 127,
		.name = "md127p1",
		.disk = "md127",
		.mapped_name = "m",
		.array_level = "raid1",
		.array_action = "idle",
		.backing_file = "/i\xff",
		.rotational = DEVICE_ROTATIONAL_YES,
		.write_cache = "write back",
		.has_fua = true,
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.request_max_bytes = 1310720,
		.model = "WDC",
		.scheduler = "none",
		.queue_requests = 64,
		.write_copies = 2,
		.has_all_leaves = true,
		.leaf_count = 2,
		.leaves = { { 8, 0, "sda" }, { 4095, 1048575, "sdzz" } },
	};
}

struct run *fixture_result(void)
{
	struct run *run = run_new("nas", "transform");

	assert_non_null(run);
	run->setup_nsec = 3;
	run->setup_longest_nsec = 2;
	run->setup_step = RUN_SETUP_OPEN;
	run->measured_nsec = UINT64_C(2500000000);
	run->status = RUN_STALLED;
	run->error_number = ETIMEDOUT;
	memcpy(run->reason, "2 I/Os still out", 17);
	run->trust = RUN_TRUST_DIRECT | RUN_TRUST_WARMING;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	run->workload = workload_preset_find("transform")->workload;
	run->workload.file_size_bytes = UINT64_C(1) << 30;
	run->file_bytes = 3;
	run->file_target_bytes = 4;
	run->layout_bytes = 5;
	run->outstanding_ios = 2;
	run->has_registered_buffers = true;
	/* 1 and 2 reads, 2 and 2 writes. */
	run->iops[RUN_READ] = (struct run_iops){ 2, 3, 5 };
	run->iops[RUN_WRITE] = (struct run_iops){ 2, 4, 8 };
	run->iops[RUN_OPERATIONS] = (struct run_iops){ 2, 7, 25 };
	run->cpu_user_nsec = 6;
	run->cpu_system_nsec = 7;
	struct identity *identity = &run->identity;
	memcpy(identity->fs_type, "ext4", 5);
	memcpy(identity->source, "/dev/sdb1", 10);
	memcpy(identity->mount_point, "/srv", 5);
	memcpy(identity->fs_uuid, "6c2f", 5);
	identity->is_mount = true;
	identity->sector_bytes = 512;
	identity->size_bytes = 8;
	identity->free_bytes = 9;
	memcpy(identity->options.mount, "rw,noatime", 11);
	memcpy(identity->options.fs, "rw", 3);
	identity->directory_device = 2049;
	identity->directory_inode = UINT64_MAX;
	identity->has_device = true;
	set_device(&identity->device);
	run->has_own = true;
	run->own = (struct facts_own){
		.bytes = 4000000, .ios = 9, .synced_writes = 5, .written_bytes = 2000000
	};
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct run_operation_result *o = &run->operations[i];
		o->ios = 3 + i;
		o->bytes = o->ios * 524288;
		o->errors = i;
		o->active_nsec = 1000 + i;
		for (uint64_t k = 0; k < o->ios; k++)
			histogram_add(&o->latency, 1000000 * (k + 1));
	}
	return run;
}

struct buf fixture_encoded_job(const struct job *job)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_job(job, &b);
	assert_int_equal(b.error, 0);
	return b;
}

struct buf fixture_encoded_result(const struct run *run)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_result(run, &b);
	assert_int_equal(b.error, 0);
	return b;
}

int fixture_decode_job(const struct buf *b, size_t len, struct job *job)
{
	/* An exact copy lets the address sanitizer see reads past the end. */
	uint8_t *copy = malloc(len > 0 ? len : 1);
	struct error error = { 0 };

	assert_non_null(copy);
	if (len > 0)
		memcpy(copy, b->data, len);
	int r = wire_decode_job(copy, len, job, &error);
	assert_int_equal(error.text[0] != '\0', r < 0);
	free(copy);
	return r;
}

int fixture_decode_result(const struct buf *b, size_t len, struct run *run)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);
	struct error error = { 0 };

	assert_non_null(copy);
	if (len > 0)
		memcpy(copy, b->data, len);
	int r = wire_decode_result(copy, len, run, &error);
	assert_int_equal(error.text[0] != '\0', r < 0);
	free(copy);
	return r;
}

uint32_t fixture_section_length(const struct buf *b, size_t section)
{
	uint32_t len;

	memcpy(&len, b->data + section + 2, sizeof(len));
	return len; /* little-endian, as this machine is or the round trip says */
}

size_t fixture_find_section(const struct buf *b, uint8_t tag)
{
	size_t at = FIXTURE_HEADER_BYTES;

	while (at < b->len && (uint8_t)b->data[at] != tag)
		at += FIXTURE_SECTION_BYTES + fixture_section_length(b, at);
	assert_true(at < b->len);
	return at + FIXTURE_SECTION_BYTES;
}

void fixture_spoil(void *good, const struct fixture_spoiler *spoiler)
{
	memcpy((char *)good + spoiler->offset, &spoiler->value, spoiler->size); /* little-endian */
}
