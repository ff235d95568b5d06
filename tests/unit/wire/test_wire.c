/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips, and what a hostile or a newer peer may send: cut messages, unknown tags, other
 * versions, values out of range. */
#include "wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "test.h"

#define HEADER_BYTES 8
#define SECTION_BYTES 6

static struct job *new_job(void)
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

static struct run *new_result(void)
{
	struct run *run = run_new("nas", "transform");

	assert_non_null(run);
	run->setup_nsec = 1;
	run->measured_nsec = 2;
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
	identity->has_device = true;
	set_device(&identity->device);
	run->has_own = true;
	run->own = (struct facts_own){ .bytes = 4000000, .ios = 9, .synced_writes = 5 };
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

static struct buf encoded_job(const struct job *job)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_job(job, &b);
	assert_int_equal(b.error, 0);
	return b;
}

static struct buf encoded_result(const struct run *run)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_result(run, &b);
	assert_int_equal(b.error, 0);
	return b;
}

static int decode_job(const struct buf *b, size_t len, struct job *job)
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

static int decode_result(const struct buf *b, size_t len, struct run *run)
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

static uint32_t section_length(const struct buf *b, size_t section)
{
	uint32_t len;

	memcpy(&len, b->data + section + 2, sizeof(len));
	return len; /* little-endian, as this machine is or the round trip says */
}

/* Where the content of the section with this tag begins. */
static size_t find_section(const struct buf *b, uint8_t tag)
{
	size_t at = HEADER_BYTES;

	while (at < b->len && (uint8_t)b->data[at] != tag)
		at += SECTION_BYTES + section_length(b, at);
	assert_true(at < b->len);
	return at + SECTION_BYTES;
}

static void a_job_arrives_as_it_was_sent(void **state)
{
	struct job *job = new_job();
	struct job *back = calloc(1, sizeof(*back));
	struct buf b = encoded_job(job);
	enum wire_type type;
	(void)state;

	assert_non_null(back);
	assert_int_equal(wire_peek((const uint8_t *)b.data, b.len, &type, NULL), 0);
	assert_int_equal(type, WIRE_JOB);
	assert_int_equal(decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	job->kind = JOB_BLOCK;
	job->null_latency_nsec = 0;
	memset(job->probe_directory, 0, sizeof(job->probe_directory));
	b = encoded_job(job);
	assert_int_equal(decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	free(back);
	free(job);
}

static void the_longest_paths_fit(void **state)
{
	struct job *job = new_job();
	struct job *back = calloc(1, sizeof(*back));
	(void)state;

	assert_non_null(back);
	memset(job->repository_path, '/', JOB_PATH_MAX);
	memset(job->probe_directory, '/', JOB_PATH_MAX);
	memset(job->file_name, 'f', JOB_FILE_NAME_MAX);
	struct buf b = encoded_job(job);
	assert_int_equal(decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	free(back);
	free(job);
}

static void progress_arrives_as_it_was_sent(void **state)
{
	const struct job_progress progress = {
		.phase = JOB_PHASE_GROWTH, .done = 1, .total = UINT64_MAX
	};
	struct job_progress back = { 0 };
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	(void)state;

	wire_encode_progress(&progress, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(wire_decode_progress((const uint8_t *)b.data, b.len, &back, NULL), 0);
	assert_int_equal(back.phase, JOB_PHASE_GROWTH);
	assert_int_equal(back.done, 1);
	assert_int_equal(back.total, UINT64_MAX);
	back.done = 9;
	b.data[HEADER_BYTES + SECTION_BYTES] = JOB_PHASE_GROWTH + 1;
	assert_int_equal(
		wire_decode_progress((const uint8_t *)b.data, b.len, &back, NULL), -EBADMSG);
	assert_int_equal(back.done, 9);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(
			wire_decode_progress((const uint8_t *)b.data, len, &back, NULL), -EBADMSG);
	buf_done(&b);
}

static void a_result_arrives_as_it_was_sent_and_leaves_the_rest(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = encoded_result(run);
	(void)state;

	assert_non_null(back);
	run->id = back->id = 5;
	run->started_usec = back->started_usec = 6;
	run->start_delay_usec = back->start_delay_usec = 7;
	run->duration_nsec = back->duration_nsec = 8;
	memset(&back->operations, 0xff, sizeof(back->operations));
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_memory_equal(back, run, sizeof(*run));
	buf_done(&b);
	free(back);
	free(run);
}

static void an_operation_that_did_not_happen_and_a_missing_workload_are_zero(void **state)
{
	struct run *run = run_new("nas", "p");
	struct run *back = new_result();
	(void)state;

	assert_non_null(run);
	run_fail(run, RUN_NOT_MOUNTED, 0, "nothing is mounted at /srv");
	struct buf b = encoded_result(run);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_int_equal(back->status, RUN_NOT_MOUNTED);
	assert_string_equal(back->reason, "nothing is mounted at /srv");
	assert_memory_equal(&back->workload, &run->workload, sizeof(run->workload));
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	buf_done(&b);
	/* Errors alone are an operation too. */
	run->operations[RUN_WRITE].errors = 4;
	b = encoded_result(run);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_int_equal(back->operations[RUN_WRITE].errors, 4);
	buf_done(&b);
	free(back);
	free(run);
}

static void two_full_histograms_fit_one_message(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct run_operation_result *o = &run->operations[i];
		memset(&o->latency, 0, sizeof(o->latency));
		for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++)
			histogram_add(&o->latency, histogram_bucket_nsec(k));
		/* Doubled so often, every count takes three bytes. */
		for (int k = 0; k < 15; k++)
			histogram_merge(&o->latency, &o->latency);
		o->ios = o->latency.count;
	}
	struct buf b = encoded_result(run);
	assert_true(b.len > UINT64_C(8) * HISTOGRAM_BUCKETS);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	buf_done(&b);
	free(back);
	free(run);
}

static void every_truncation_is_refused(void **state)
{
	struct job *job = new_job();
	struct run *run = new_result();
	struct buf b = encoded_job(job);
	struct job *job_back = calloc(1, sizeof(*job_back));
	size_t whole = find_section(&b, 5) - SECTION_BYTES; /* the last section may be missing */
	(void)state;

	assert_non_null(job_back);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(decode_job(&b, len, job_back), len == whole ? 0 : -EBADMSG);
	buf_done(&b);

	struct run *run_back = new_result();
	b = encoded_result(run);
	static const uint8_t last[] = { 20, 21, 22, 7, 8 }; /* each may be missing */
	size_t good = 0;
	for (size_t len = 0; len < b.len; len++) {
		bool is_good =
			good < sizeof(last) && len == find_section(&b, last[good]) - SECTION_BYTES;
		assert_int_equal(decode_result(&b, len, run_back), is_good ? 0 : -EBADMSG);
		good += is_good;
	}
	assert_int_equal(good, sizeof(last));
	buf_done(&b);
	free(run_back);
	free(job_back);
	free(run);
	free(job);
}

static void an_unknown_tag_is_skipped_and_a_repeated_one_refused(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = encoded_result(run);
	(void)state;

	assert_non_null(back);
	buf_add_u16(&b, 999);
	buf_add_u32(&b, 3);
	buf_add(&b, "new", 3);
	buf_add_u16(&b, 998);
	buf_add_u32(&b, 0);
	assert_int_equal(b.error, 0);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	/* Its length must hold all the same. */
	buf_add_u16(&b, 997);
	buf_add_u32(&b, UINT32_MAX);
	assert_int_equal(decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);
	b = encoded_result(run);
	size_t times = find_section(&b, 2) - SECTION_BYTES;
	struct buf twice = BUF_INIT(WIRE_MESSAGE_MAX);
	buf_add(&twice, b.data, b.len);
	buf_add(&twice, b.data + times, SECTION_BYTES + section_length(&b, times));
	assert_int_equal(twice.error, 0);
	assert_int_equal(decode_result(&twice, twice.len, back), -EBADMSG);
	buf_done(&twice);
	buf_done(&b);
	free(back);
	free(run);
}

static void a_known_section_of_another_length_is_refused(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	static const uint8_t tags[] = { 1, 2, 3, 4, 5, 6, 7, 8, 20, 21, 22 };
	for (size_t i = 0; i < sizeof(tags); i++) {
		struct buf b = encoded_result(run);
		size_t content = find_section(&b, tags[i]);
		size_t end = content + section_length(&b, content - SECTION_BYTES);
		struct buf longer = BUF_INIT(WIRE_MESSAGE_MAX);
		buf_add(&longer, b.data, end);
		buf_add_u8(&longer, 0);
		buf_add(&longer, b.data + end, b.len - end);
		assert_int_equal(longer.error, 0);
		/* Section lengths are below 255 here: one byte holds them. */
		longer.data[content - 4]++;
		assert_int_equal(decode_result(&longer, longer.len, back), -EBADMSG);
		buf_done(&longer);
		buf_done(&b);
	}
	free(back);
	free(run);
}

static void other_magic_version_and_type_are_told_apart(void **state)
{
	static const struct {
		size_t at;
		char byte;
		int peek, decode;
	} cases[] = {
		{ 0, 'X', -EBADMSG, -EBADMSG }, { 4, WIRE_VERSION + 1, -EPROTO, -EPROTO },
		{ 5, 1, -EPROTO, -EPROTO }, { 6, 0, -EBADMSG, -EBADMSG },
		{ 6, WIRE_EXAMINATION + 1, -EBADMSG, -EBADMSG }, { 7, 1, -EBADMSG, -EBADMSG },
		{ 6, WIRE_RESULT, 0, -EBADMSG }, /* a good type, but not the one due */
	};
	struct job *job = new_job();
	struct job *back = calloc(1, sizeof(*back));
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = encoded_job(job);
		enum wire_type type = WIRE_PROGRESS;
		struct error error = { 0 };
		b.data[cases[i].at] = cases[i].byte;
		assert_int_equal(
			wire_peek((const uint8_t *)b.data, b.len, &type, &error), cases[i].peek);
		assert_int_equal(error.text[0] != '\0', cases[i].peek < 0);
		assert_int_equal(type, cases[i].peek < 0 ? WIRE_PROGRESS : WIRE_RESULT);
		assert_int_equal(decode_job(&b, b.len, back), cases[i].decode);
		buf_done(&b);
	}
	for (size_t len = 0; len < HEADER_BYTES; len++) {
		enum wire_type type;
		assert_int_equal(
			wire_peek((const uint8_t *)"RPWM\1\0\1", len, &type, NULL), -EBADMSG);
	}
	free(back);
	free(job);
}

/* Breaks one field of a good value. */
struct spoiler {
	size_t offset;
	size_t size;
	uint64_t value;
};

#define SPOIL(type, field, value)                                                                  \
	{                                                                                          \
		offsetof(type, field), sizeof(((type *)NULL)->field), (value)                      \
	}
#define SPOIL_JOB(field, value) SPOIL(struct job, field, value)
#define SPOIL_RUN(field, value) SPOIL(struct run, field, value)

static void spoil(void *good, const struct spoiler *spoiler)
{
	memcpy((char *)good + spoiler->offset, &spoiler->value, spoiler->size); /* little-endian */
}

static void a_job_out_of_range_is_refused_and_changes_nothing(void **state)
{
	static const struct spoiler spoilers[] = {
		SPOIL_JOB(kind, JOB_EXAMINE + 1), SPOIL_JOB(repository_path[0], 'r'),
		SPOIL_JOB(probe_directory[0], 'r'), SPOIL_JOB(file_name[3], '/'),
		SPOIL_JOB(file_name[0], '.'), SPOIL_JOB(file_name[0], 0),
		SPOIL_JOB(min_free_percent, 101), SPOIL_JOB(workload.block_size_bytes, 4097),
		SPOIL_JOB(workload.block_size_bytes, 0), SPOIL_JOB(workload.write_percent, 101),
		SPOIL_JOB(workload.pattern, WORKLOAD_MIXED + 1),
		SPOIL_JOB(workload.align_bytes, 513), SPOIL_JOB(workload.random_percent, 101),
		SPOIL_JOB(workload.queue_depth, 0),
		SPOIL_JOB(workload.queue_depth, WORKLOAD_QUEUE_DEPTH_MAX + 1),
		SPOIL_JOB(workload.threads, 0), SPOIL_JOB(workload.cache, WORKLOAD_BUFFERED + 1),
		SPOIL_JOB(workload.content, WORKLOAD_CONTENT_COMPRESSIBLE + 1),
		SPOIL_JOB(workload.compressible_percent, 101),
		SPOIL_JOB(workload.engine, WORKLOAD_ENGINE_THREADS + 1),
		SPOIL_JOB(workload.timeout_usec, 0), /* workload_check's business */
	};
	struct job *back = calloc(1, sizeof(*back));
	struct job *zero = calloc(1, sizeof(*zero));
	(void)state;

	assert_non_null(back);
	assert_non_null(zero);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		struct job *job = new_job();
		spoil(job, &spoilers[i]);
		struct buf b = encoded_job(job);
		if (decode_job(&b, b.len, back) != -EBADMSG)
			fail_msg("spoiler %zu was accepted", i);
		assert_memory_equal(back, zero, sizeof(*zero));
		buf_done(&b);
		free(job);
	}
	free(zero);
	free(back);
}

/* What the encoder would not write. */
static void more_leaves_than_there_can_be_are_refused(void **state)
{
	static const uint8_t counts[] = { 3, DEVICE_LEAVES_MAX, DEVICE_LEAVES_MAX + 1, 255 };
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	struct buf b = encoded_result(run);
	size_t device = find_section(&b, 21);
	size_t count_at = device + section_length(&b, device - SECTION_BYTES) - 1 - 2 * (8 + 2) -
		strlen("sda") - strlen("sdzz");
	assert_int_equal(b.data[count_at], 2);
	for (size_t i = 0; i < sizeof(counts); i++) {
		b.data[count_at] = (char)counts[i];
		assert_int_equal(decode_result(&b, b.len, back), -EBADMSG);
	}
	buf_done(&b);
	free(back);
	free(run);
}

static void all_leaves_that_can_be_arrive(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	struct device_info *d = &run->identity.device;
	(void)state;

	assert_non_null(back);
	d->leaf_count = DEVICE_LEAVES_MAX;
	for (size_t i = 0; i < DEVICE_LEAVES_MAX; i++)
		d->leaves[i] = d->leaves[i % 2];
	struct buf b = encoded_result(run);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_memory_equal(&back->identity, &run->identity, sizeof(run->identity));
	buf_done(&b);
	free(back);
	free(run);
}

static void what_is_not_known_of_the_surroundings_stays_unknown(void **state)
{
	struct run *run = new_result();
	struct run *back = new_result();
	(void)state;

	memset(&run->identity.options, 0, sizeof(run->identity.options));
	run->identity.has_device = false;
	memset(&run->identity.device, 0, sizeof(run->identity.device));
	run->has_own = false;
	memset(&run->own, 0, sizeof(run->own));
	struct buf b = encoded_result(run);
	assert_int_equal(decode_result(&b, b.len, back), 0);
	assert_memory_equal(back, run, sizeof(*run));
	buf_done(&b);
	free(back);
	free(run);
}

static void a_result_out_of_range_is_refused_and_leaves_a_valid_run(void **state)
{
	static const struct spoiler spoilers[] = {
		SPOIL_RUN(status, RUN_STATUSES),
		SPOIL_RUN(skip, RUN_SKIPS),
		SPOIL_RUN(skip, RUN_SKIP_BUSY), /* of a run that was not skipped */
		SPOIL_RUN(error_number, 4096),
		SPOIL_RUN(trust, 1 << RUN_TRUST_FLAGS),
		SPOIL_RUN(engine, WORKLOAD_ENGINE_THREADS + 1),
		SPOIL_RUN(identity.sector_bytes, 513),
		SPOIL_RUN(identity.device.major, 4096),
		SPOIL_RUN(identity.device.minor, 1 << 20),
		SPOIL_RUN(identity.device.name[0], 0),
		SPOIL_RUN(identity.device.rotational, DEVICE_ROTATIONAL_YES + 1),
		SPOIL_RUN(identity.device.logical_block_bytes, 513),
		SPOIL_RUN(identity.device.physical_block_bytes, 4095),
		SPOIL_RUN(identity.device.leaves[1].major, UINT32_MAX),
		SPOIL_RUN(identity.device.leaves[0].minor, UINT32_MAX),
		SPOIL_RUN(identity.device.leaves[1].name[0], 0),
		SPOIL_RUN(own.synced_writes, 10),
		SPOIL_RUN(own.ios, 0),
		SPOIL_RUN(own.bytes, UINT64_MAX),
		SPOIL_RUN(workload.pattern, WORKLOAD_MIXED + 1),
		SPOIL_RUN(operations[RUN_WRITE].ios, 5), /* the histogram has 4 */
		SPOIL_RUN(operations[RUN_WRITE].ios, 3),
		SPOIL_RUN(operations[RUN_WRITE].bytes, UINT64_MAX),
		SPOIL_RUN(operations[RUN_READ].latency.sum_nsec, 0),
		SPOIL_RUN(operations[RUN_READ].latency.min_nsec, 500000),
		SPOIL_RUN(operations[RUN_READ].latency.buckets[5], 1),
		SPOIL_RUN(operations[RUN_READ].latency.export_buckets[0], 1),
	};
	struct run *back = run_new("nas", "transform");
	struct run *zero = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	assert_non_null(zero);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		struct run *run = new_result();
		spoil(run, &spoilers[i]);
		struct buf b = encoded_result(run);
		if (decode_result(&b, b.len, back) != -EBADMSG)
			fail_msg("spoiler %zu was accepted", i);
		assert_memory_equal(back, zero, sizeof(*zero));
		buf_done(&b);
		free(run);
	}
	free(zero);
	free(back);
}

static void text_with_a_nul_byte_or_too_long_is_refused(void **state)
{
	struct run *run = new_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = encoded_result(run);
	size_t reason = find_section(&b, 1) + 4; /* after status, skip and error number */
	(void)state;

	assert_non_null(back);
	b.data[reason + 2] = '\0';
	assert_int_equal(decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);

	/* A boolean that is neither. */
	b = encoded_result(run);
	size_t is_mount = find_section(&b, 6) + 2 + 4 + 2 + 9 + 2 + 4 + 2 + 4;
	assert_int_equal(b.data[is_mount], 1);
	b.data[is_mount] = 2;
	assert_int_equal(decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);

	/* 256 bytes of reason, one more than a run can hold. */
	b = (struct buf)BUF_INIT(WIRE_MESSAGE_MAX);
	struct buf good = encoded_result(run);
	buf_add(&b, good.data, HEADER_BYTES);
	buf_add_u16(&b, 1);
	buf_add_u32(&b, 4 + 2 + RUN_REASON_MAX + 1);
	buf_add_u32(&b, 0);
	buf_add_u16(&b, RUN_REASON_MAX + 1);
	for (size_t i = 0; i <= RUN_REASON_MAX; i++)
		buf_add_char(&b, 'r');
	size_t times = find_section(&good, 2) - SECTION_BYTES;
	buf_add(&b, good.data + times, good.len - times);
	assert_int_equal(b.error, 0);
	assert_int_equal(decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&good);
	buf_done(&b);
	free(back);
	free(run);
}

static void a_message_that_outgrows_its_buffer_is_an_error_of_the_buffer(void **state)
{
	struct job *job = new_job();
	struct buf b = BUF_INIT(40);
	(void)state;

	wire_encode_job(job, &b);
	assert_int_equal(b.error, -ENOBUFS);
	buf_done(&b);
	free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_arrives_as_it_was_sent),
		cmocka_unit_test(the_longest_paths_fit),
		cmocka_unit_test(progress_arrives_as_it_was_sent),
		cmocka_unit_test(a_result_arrives_as_it_was_sent_and_leaves_the_rest),
		cmocka_unit_test(an_operation_that_did_not_happen_and_a_missing_workload_are_zero),
		cmocka_unit_test(two_full_histograms_fit_one_message),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(an_unknown_tag_is_skipped_and_a_repeated_one_refused),
		cmocka_unit_test(a_known_section_of_another_length_is_refused),
		cmocka_unit_test(other_magic_version_and_type_are_told_apart),
		cmocka_unit_test(a_job_out_of_range_is_refused_and_changes_nothing),
		cmocka_unit_test(a_result_out_of_range_is_refused_and_leaves_a_valid_run),
		cmocka_unit_test(more_leaves_than_there_can_be_are_refused),
		cmocka_unit_test(all_leaves_that_can_be_arrive),
		cmocka_unit_test(what_is_not_known_of_the_surroundings_stays_unknown),
		cmocka_unit_test(text_with_a_nul_byte_or_too_long_is_refused),
		cmocka_unit_test(a_message_that_outgrows_its_buffer_is_an_error_of_the_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
