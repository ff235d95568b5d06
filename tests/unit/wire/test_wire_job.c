/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and their progress there and back, and what a hostile or a newer peer may send instead: cut
 * messages, other versions, values out of range. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define SPOIL_JOB(field, value) FIXTURE_SPOIL(struct job, field, value)

static void a_job_arrives_as_it_was_sent(void **state)
{
	struct job *job = fixture_job();
	struct job *back = calloc(1, sizeof(*back));
	struct buf b = fixture_encoded_job(job);
	enum wire_type type;
	(void)state;

	assert_non_null(back);
	assert_int_equal(wire_peek((const uint8_t *)b.data, b.len, &type, NULL), 0);
	assert_int_equal(type, WIRE_JOB);
	assert_int_equal(fixture_decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	job->kind = JOB_BLOCK;
	job->null_latency_nsec = 0;
	memset(job->probe_directory, 0, sizeof(job->probe_directory));
	b = fixture_encoded_job(job);
	assert_int_equal(fixture_decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	free(back);
	free(job);
}

static void the_longest_paths_fit(void **state)
{
	struct job *job = fixture_job();
	struct job *back = calloc(1, sizeof(*back));
	(void)state;

	assert_non_null(back);
	memset(job->repository_path, '/', JOB_PATH_MAX);
	memset(job->probe_directory, '/', JOB_PATH_MAX);
	memset(job->file_name, 'f', JOB_FILE_NAME_MAX);
	struct buf b = fixture_encoded_job(job);
	assert_int_equal(fixture_decode_job(&b, b.len, back), 0);
	assert_memory_equal(back, job, sizeof(*job));
	buf_done(&b);
	free(back);
	free(job);
}

static void progress_arrives_as_it_was_sent(void **state)
{
	const struct job_progress progress = {
		.phase = JOB_PHASE_EXAMINE, .done = 1, .total = UINT64_MAX
	};
	struct job_progress back = { 0 };
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);
	(void)state;

	wire_encode_progress(&progress, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(wire_decode_progress((const uint8_t *)b.data, b.len, &back, NULL), 0);
	assert_int_equal(back.phase, JOB_PHASE_EXAMINE);
	assert_int_equal(back.done, 1);
	assert_int_equal(back.total, UINT64_MAX);
	back.done = 9;
	b.data[FIXTURE_HEADER_BYTES + FIXTURE_SECTION_BYTES] = JOB_PHASE_EXAMINE + 1;
	assert_int_equal(
		wire_decode_progress((const uint8_t *)b.data, b.len, &back, NULL), -EBADMSG);
	assert_int_equal(back.done, 9);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(
			wire_decode_progress((const uint8_t *)b.data, len, &back, NULL), -EBADMSG);
	buf_done(&b);
}

static void every_truncation_of_a_job_is_refused(void **state)
{
	struct job *job = fixture_job();
	struct job *back = calloc(1, sizeof(*back));
	struct buf b = fixture_encoded_job(job);
	size_t whole = fixture_find_section(&b, 5) -
		FIXTURE_SECTION_BYTES; /* the last section may be missing */
	(void)state;

	assert_non_null(back);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(fixture_decode_job(&b, len, back), len == whole ? 0 : -EBADMSG);
	buf_done(&b);
	free(back);
	free(job);
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
	struct job *job = fixture_job();
	struct job *back = calloc(1, sizeof(*back));
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = fixture_encoded_job(job);
		enum wire_type type = WIRE_PROGRESS;
		struct error error = { 0 };
		b.data[cases[i].at] = cases[i].byte;
		assert_int_equal(
			wire_peek((const uint8_t *)b.data, b.len, &type, &error), cases[i].peek);
		assert_int_equal(error.text[0] != '\0', cases[i].peek < 0);
		assert_int_equal(type, cases[i].peek < 0 ? WIRE_PROGRESS : WIRE_RESULT);
		assert_int_equal(fixture_decode_job(&b, b.len, back), cases[i].decode);
		buf_done(&b);
	}
	for (size_t len = 0; len < FIXTURE_HEADER_BYTES; len++) {
		enum wire_type type;
		assert_int_equal(
			wire_peek((const uint8_t *)"RPWM\1\0\1", len, &type, NULL), -EBADMSG);
	}
	free(back);
	free(job);
}

static void a_job_out_of_range_is_refused_and_changes_nothing(void **state)
{
	static const struct fixture_spoiler spoilers[] = {
		SPOIL_JOB(kind, JOB_REMOVE + 1), SPOIL_JOB(repository_path[0], 'r'),
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
		struct job *job = fixture_job();
		fixture_spoil(job, &spoilers[i]);
		struct buf b = fixture_encoded_job(job);
		if (fixture_decode_job(&b, b.len, back) != -EBADMSG)
			fail_msg("spoiler %zu was accepted", i);
		assert_memory_equal(back, zero, sizeof(*zero));
		buf_done(&b);
		free(job);
	}
	free(zero);
	free(back);
}

static void a_message_that_outgrows_its_buffer_is_an_error_of_the_buffer(void **state)
{
	struct job *job = fixture_job();
	struct buf b = BUF_INIT(40);
	(void)state;

	wire_encode_job(job, &b);
	assert_int_equal(b.error, -ENOBUFS);
	buf_done(&b);
	free(job);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_arrives_as_it_was_sent),
		cmocka_unit_test(the_longest_paths_fit),
		cmocka_unit_test(progress_arrives_as_it_was_sent),
		cmocka_unit_test(every_truncation_of_a_job_is_refused),
		cmocka_unit_test(other_magic_version_and_type_are_told_apart),
		cmocka_unit_test(a_job_out_of_range_is_refused_and_changes_nothing),
		cmocka_unit_test(a_message_that_outgrows_its_buffer_is_an_error_of_the_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
