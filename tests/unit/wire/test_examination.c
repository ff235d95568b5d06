/* SPDX-License-Identifier: Apache-2.0 */
/* An examination there and back, cut at each byte, and with values that cannot be. */
#include "wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/sample_examination.h"

static struct examination *new_sample(void)
{
	struct examination *e = sample_examination();

	e->refusal_count = 2;
	e->refusals[0] = (struct examination_refusal){ .about = SUBJECT_SPACE,
		.status = RUN_NO_SPACE,
		.error_number = ENOSPC,
		.text = "not enough" };
	e->has_removal = true;
	e->removal = (struct examination_removal){ .path = "/srv/.repoprobe",
		.is_done = true,
		.files = 2,
		.bytes = UINT64_MAX,
		.other_files = 3,
		.foreign_names = 4,
		.is_tag_removed = true,
		.error_number = ENOTEMPTY };
	e->refusals[1] = (struct examination_refusal){ .about = SUBJECT_FILE,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "foreign" };
	return e;
}

static struct buf encoded(const struct examination *e)
{
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_examination(e, &b);
	assert_int_equal(b.error, 0);
	return b;
}

static int decode(const struct buf *b, size_t len, struct examination *ret)
{
	/* An exact copy lets the address sanitizer see reads past the end. */
	uint8_t *copy = malloc(len > 0 ? len : 1);
	struct error error = { "" };

	assert_non_null(copy);
	if (len > 0)
		memcpy(copy, b->data, len);
	int r = wire_decode_examination(copy, len, ret, &error);
	assert_int_equal(error.text[0] != '\0', r < 0);
	free(copy);
	return r;
}

static void assert_zero(const struct examination *e)
{
	const uint8_t *bytes = (const uint8_t *)e;

	for (size_t i = 0; i < sizeof(*e); i++)
		assert_int_equal(bytes[i], 0);
}

/* By their bytes on the wire, for structures have holes. */
static void expect_round_trip(const struct examination *e)
{
	struct examination *back = malloc(sizeof(*back));
	struct buf first = encoded(e);

	assert_non_null(back);
	memset(back, 0x5a, sizeof(*back));
	assert_int_equal(decode(&first, first.len, back), 0);
	struct buf second = encoded(back);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	buf_done(&second);
	buf_done(&first);
	free(back);
}

static void it_arrives_as_it_was_sent(void **state)
{
	struct examination *e = new_sample();
	(void)state;

	expect_round_trip(e);
	struct examination *back = calloc(1, sizeof(*back));
	struct buf b = encoded(e);
	assert_non_null(back);
	assert_int_equal(decode(&b, b.len, back), 0);
	assert_string_equal(back->real_path, e->real_path);
	assert_string_equal(back->identity.source, e->identity.source);
	assert_string_equal(back->identity.options.fs, e->identity.options.fs);
	assert_string_equal(back->identity.device.leaves[1].name, "sdb");
	assert_int_equal(back->identity.device.leaves[1].minor, 16);
	assert_int_equal(back->worker_gid, 35);
	assert_int_equal(back->directory.mode, 0700);
	assert_int_equal(back->other_bytes, e->other_bytes);
	assert_int_equal(back->direct.memory_align_bytes, 4);
	assert_int_equal(back->uring.memory_lock_bytes, e->uring.memory_lock_bytes);
	assert_int_equal(back->refusals[1].status, RUN_REFUSED);
	assert_string_equal(back->refusals[1].text, "foreign");
	assert_true(back->has_room && back->identity.has_device && back->has_history);
	assert_true(back->has_preparation && back->preparation.is_ready);
	assert_true(back->preparation.is_beside && !back->preparation.is_new);
	assert_string_equal(back->preparation.path, e->preparation.path);
	assert_true(back->has_removal && back->removal.is_done && back->removal.is_tag_removed);
	assert_false(back->removal.is_directory_removed);
	assert_string_equal(back->removal.path, "/srv/.repoprobe");
	assert_int_equal(back->removal.foreign_names, 4);
	assert_int_equal(back->removal.error_number, ENOTEMPTY);
	assert_false(back->direct.are_writes_cached);
	buf_done(&b);
	e->direct.are_writes_cached = true;
	expect_round_trip(e);
	b = encoded(e);
	assert_int_equal(decode(&b, b.len, back), 0);
	assert_true(back->direct.are_writes_cached);
	buf_done(&b);
	free(back);
	free(e);
}

static void an_empty_and_the_fullest_one_arrive_too(void **state)
{
	struct examination *e = calloc(1, sizeof(*e));
	(void)state;

	assert_non_null(e);
	expect_round_trip(e);
	free(e);

	e = new_sample();
	memset(e->real_path, 'p', JOB_PATH_MAX);
	memset(e->identity.source, '\xff', IDENTITY_TEXT_MAX); /* need not be UTF-8 */
	memset(e->identity.options.fs, 'o', IDENTITY_TEXT_MAX);
	e->identity.device.leaf_count = DEVICE_LEAVES_MAX;
	for (size_t i = 0; i < DEVICE_LEAVES_MAX; i++)
		memset(e->identity.device.leaves[i].name, 'd', DEVICE_NAME_MAX);
	e->refusal_count = EXAMINATION_REFUSALS_MAX;
	for (size_t i = 0; i < EXAMINATION_REFUSALS_MAX; i++)
		memset(e->refusals[i].text, 'r', RUN_REASON_MAX);
	e->uring.memory_lock_bytes = UINT64_MAX;
	expect_round_trip(e);
	free(e);
}

static void cut_anywhere_it_is_refused_and_leaves_nothing(void **state)
{
	struct examination *e = new_sample();
	struct examination *back = calloc(1, sizeof(*back));
	struct buf b = encoded(e);
	(void)state;

	assert_non_null(back);
	for (size_t len = 0; len < b.len; len++) {
		memset(back, 0x5a, sizeof(*back));
		assert_int_equal(decode(&b, len, back), -EBADMSG);
		assert_zero(back);
	}
	buf_done(&b);
	free(back);
	free(e);
}

/* Breaks one field of a good value. */
struct spoiler {
	size_t offset;
	size_t size;
	uint64_t value;
};

#define SPOIL(field, value)                                                                        \
	{                                                                                          \
		offsetof(struct examination, field), sizeof(((struct examination *)NULL)->field),  \
			(value)                                                                    \
	}

static void what_cannot_be_is_refused(void **state)
{
	static const struct spoiler spoilers[] = {
		SPOIL(step, EXAMINATION_STEPS),
		SPOIL(kind, EXAMINATION_KINDS),
		SPOIL(identity.sector_bytes, 513),
		SPOIL(identity.device.rotational, DEVICE_ROTATIONAL_YES + 1),
		SPOIL(identity.device.logical_block_bytes, 513),
		SPOIL(identity.device.physical_block_bytes, 4097),
		SPOIL(history.kind, EXAMINATION_KINDS),
		SPOIL(history.error_number, 4096),
		SPOIL(repository.mode, 010000),
		SPOIL(directory.mode, 0xffff),
		SPOIL(write_error_number, 4096),
		SPOIL(direct.trial, EXAMINATION_TRIALS),
		SPOIL(direct.error_number, 5000),
		SPOIL(direct.read_align_bytes, 3),
		SPOIL(direct.offset_align_bytes, 1000),
		SPOIL(direct.memory_align_bytes, 6),
		SPOIL(uring.error_number, 4096),
		SPOIL(uring.buffers_error_number, 4096),
		SPOIL(refusals[1].about, EXAMINATION_SUBJECTS),
		SPOIL(refusals[0].status, RUN_STATUSES),
		SPOIL(refusals[0].error_number, 4096),
	};
	struct examination *back = calloc(1, sizeof(*back));
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		struct examination *e = new_sample();
		memcpy((char *)e + spoilers[i].offset, &spoilers[i].value,
			spoilers[i].size); /* little-endian */
		struct buf b = encoded(e);
		if (decode(&b, b.len, back) != -EBADMSG)
			fail_msg("spoiler %zu was accepted", i);
		assert_zero(back);
		buf_done(&b);
		free(e);
	}
	free(back);
}

static void another_message_is_refused(void **state)
{
	struct examination *back = calloc(1, sizeof(*back));
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	struct job_progress progress = { .phase = JOB_PHASE_MEASURE };
	(void)state;

	assert_non_null(back);
	wire_encode_progress(&progress, &b);
	assert_int_equal(decode(&b, b.len, back), -EBADMSG);
	buf_done(&b);
	free(back);
}

static void a_job_to_examine_carries_the_state_directory(void **state)
{
	struct job *job = calloc(1, sizeof(*job));
	struct job *back = calloc(1, sizeof(*back));
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	(void)state;

	assert_non_null(job);
	assert_non_null(back);
	job->kind = JOB_EXAMINE;
	memcpy(job->repository_path, "/mnt", 5);
	memcpy(job->state_directory, "/var/lib/x", 11);
	job_file_name(job, "0123456789abcdef", 7, false);
	job->workload = workload_preset_default()->workload;
	wire_encode_job(job, &b);
	assert_int_equal(wire_decode_job((const uint8_t *)b.data, b.len, back, NULL), 0);
	assert_int_equal(back->kind, JOB_EXAMINE);
	assert_string_equal(back->state_directory, "/var/lib/x");

	buf_clear(&b);
	job->state_directory[0] = 'v';
	wire_encode_job(job, &b);
	assert_int_equal(wire_decode_job((const uint8_t *)b.data, b.len, back, NULL), -EBADMSG);
	buf_done(&b);
	free(back);
	free(job);
}

static void a_job_to_make_a_directory_carries_its_user(void **state)
{
	struct job *job = calloc(1, sizeof(*job));
	struct job *back = calloc(1, sizeof(*back));
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	(void)state;

	assert_non_null(job);
	assert_non_null(back);
	job->kind = JOB_INIT;
	memcpy(job->repository_path, "/mnt", 5);
	memcpy(job->file_name, "init.dat", 9);
	job->workload = workload_preset_default()->workload;
	job->is_for_owner = true;
	job->user = (struct job_user){ .uid = 998, .gid = 997, .group_count = JOB_GROUPS_MAX };
	for (uint32_t i = 0; i < JOB_GROUPS_MAX; i++)
		job->user.groups[i] = i + 1;
	wire_encode_job(job, &b);
	assert_int_equal(wire_decode_job((const uint8_t *)b.data, b.len, back, NULL), 0);
	assert_int_equal(back->kind, JOB_INIT);
	assert_true(back->is_for_owner && !back->is_daemon_root);
	assert_memory_equal(&back->user, &job->user, sizeof(job->user));
	for (size_t len = b.len - sizeof(job->user.groups); len < b.len; len++)
		if (wire_decode_job((const uint8_t *)b.data, len, back, NULL) == 0)
			fail_msg("%zu of %zu bytes are no job", len, b.len);

	uint16_t too_many = JOB_GROUPS_MAX + 1;
	memcpy(b.data + b.len - sizeof(uint32_t) * JOB_GROUPS_MAX - sizeof(too_many), &too_many,
		sizeof(too_many)); /* little-endian */
	assert_int_equal(wire_decode_job((const uint8_t *)b.data, b.len, back, NULL), -EBADMSG);
	buf_done(&b);
	free(back);
	free(job);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_arrives_as_it_was_sent),
		cmocka_unit_test(an_empty_and_the_fullest_one_arrive_too),
		cmocka_unit_test(cut_anywhere_it_is_refused_and_leaves_nothing),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(another_message_is_refused),
		cmocka_unit_test(a_job_to_examine_carries_the_state_directory),
		cmocka_unit_test(a_job_to_make_a_directory_carries_its_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
