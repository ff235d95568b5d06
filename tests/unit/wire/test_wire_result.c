/* SPDX-License-Identifier: Apache-2.0 */
/* Results there and back, and what a hostile or a newer peer may send instead: cut messages,
 * unknown tags, values out of range. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPOIL_RUN(field, value) FIXTURE_SPOIL(struct run, field, value)

static void a_result_arrives_as_it_was_sent_and_leaves_the_rest(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = fixture_encoded_result(run);
	(void)state;

	assert_non_null(back);
	run->id = back->id = 5;
	run->started_usec = back->started_usec = 6;
	run->start_delay_usec = back->start_delay_usec = 7;
	run->duration_nsec = back->duration_nsec = 8;
	memset(&back->operations, 0xff, sizeof(back->operations));
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_memory_equal(back, run, sizeof(*run));
	buf_done(&b);
	free(back);
	free(run);
}

static void an_operation_that_did_not_happen_and_a_missing_workload_are_zero(void **state)
{
	struct run *run = run_new("nas", "p");
	struct run *back = fixture_result();
	(void)state;

	assert_non_null(run);
	run_fail(run, RUN_NOT_MOUNTED, 0, "nothing is mounted at /srv");
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_int_equal(back->status, RUN_NOT_MOUNTED);
	assert_string_equal(back->reason, "nothing is mounted at /srv");
	assert_memory_equal(&back->workload, &run->workload, sizeof(run->workload));
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	buf_done(&b);
	/* Errors alone are an operation too. */
	run->operations[RUN_WRITE].errors = 4;
	b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_int_equal(back->operations[RUN_WRITE].errors, 4);
	buf_done(&b);
	free(back);
	free(run);
}

static void two_full_histograms_fit_one_message(void **state)
{
	struct run *run = fixture_result();
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
	struct buf b = fixture_encoded_result(run);
	assert_true(b.len > UINT64_C(8) * HISTOGRAM_BUCKETS);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	buf_done(&b);
	free(back);
	free(run);
}

static void every_truncation_of_a_result_is_refused(void **state)
{
	static const uint8_t last[] = { 20, 24, 21, 22, 7, 8, 9 }; /* each may be missing */
	struct run *run = fixture_result();
	struct run *back = fixture_result();
	struct buf b = fixture_encoded_result(run);
	size_t good = 0;
	(void)state;

	for (size_t len = 0; len < b.len; len++) {
		bool is_good = good < sizeof(last) &&
			len == fixture_find_section(&b, last[good]) - FIXTURE_SECTION_BYTES;
		assert_int_equal(fixture_decode_result(&b, len, back), is_good ? 0 : -EBADMSG);
		good += is_good;
	}
	assert_int_equal(good, sizeof(last));
	buf_done(&b);
	free(back);
	free(run);
}

/* As an earlier worker sends it. */
static void a_setup_without_a_longest_step_is_not_known(void **state)
{
	struct run *run = fixture_result();
	struct run *back = fixture_result();
	(void)state;

	run->setup_step = RUN_SETUP_NONE;
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_int_equal(back->setup_nsec, 3);
	assert_int_equal(back->setup_longest_nsec, 0);
	assert_int_equal(back->setup_step, RUN_SETUP_NONE);
	buf_done(&b);
	run->setup_step = RUN_SETUP_OPEN;
	b = fixture_encoded_result(run);
	b.data[fixture_find_section(&b, 23) + 8] = RUN_SETUP_NONE;
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);
	free(back);
	free(run);
}

static void an_unknown_tag_is_skipped_and_a_repeated_one_refused(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = fixture_encoded_result(run);
	(void)state;

	assert_non_null(back);
	buf_add_u16(&b, 999);
	buf_add_u32(&b, 3);
	buf_add(&b, "new", 3);
	buf_add_u16(&b, 998);
	buf_add_u32(&b, 0);
	assert_int_equal(b.error, 0);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_memory_equal(back->operations, run->operations, sizeof(run->operations));
	/* Its length must hold all the same. */
	buf_add_u16(&b, 997);
	buf_add_u32(&b, UINT32_MAX);
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);
	b = fixture_encoded_result(run);
	size_t times = fixture_find_section(&b, 2) - FIXTURE_SECTION_BYTES;
	struct buf twice = BUF_INIT(WIRE_MESSAGE_MAX);
	buf_add(&twice, b.data, b.len);
	buf_add(&twice, b.data + times, FIXTURE_SECTION_BYTES + fixture_section_length(&b, times));
	assert_int_equal(twice.error, 0);
	assert_int_equal(fixture_decode_result(&twice, twice.len, back), -EBADMSG);
	buf_done(&twice);
	buf_done(&b);
	free(back);
	free(run);
}

static void a_known_section_of_another_length_is_refused(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	static const uint8_t tags[] = { 1, 2, 3, 4, 5, 6, 7, 8, 20, 21, 22 };
	for (size_t i = 0; i < sizeof(tags); i++) {
		struct buf b = fixture_encoded_result(run);
		size_t content = fixture_find_section(&b, tags[i]);
		size_t end = content + fixture_section_length(&b, content - FIXTURE_SECTION_BYTES);
		struct buf longer = BUF_INIT(WIRE_MESSAGE_MAX);
		buf_add(&longer, b.data, end);
		buf_add_u8(&longer, 0);
		buf_add(&longer, b.data + end, b.len - end);
		assert_int_equal(longer.error, 0);
		/* Section lengths are below 255 here: one byte holds them. */
		longer.data[content - 4]++;
		assert_int_equal(fixture_decode_result(&longer, longer.len, back), -EBADMSG);
		buf_done(&longer);
		buf_done(&b);
	}
	free(back);
	free(run);
}

/* What the encoder would not write. */
static void more_leaves_than_there_can_be_are_refused(void **state)
{
	static const uint8_t counts[] = { 3, DEVICE_LEAVES_MAX, DEVICE_LEAVES_MAX + 1, 255 };
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	struct buf b = fixture_encoded_result(run);
	size_t device = fixture_find_section(&b, 21);
	size_t count_at = device + fixture_section_length(&b, device - FIXTURE_SECTION_BYTES) - 1 -
		2 * (8 + 2) - strlen("sda") - strlen("sdzz");
	assert_int_equal(b.data[count_at], 2);
	for (size_t i = 0; i < sizeof(counts); i++) {
		b.data[count_at] = (char)counts[i];
		assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	}
	buf_done(&b);
	free(back);
	free(run);
}

static void all_leaves_that_can_be_arrive(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	struct device_info *d = &run->identity.device;
	(void)state;

	assert_non_null(back);
	d->leaf_count = DEVICE_LEAVES_MAX;
	for (size_t i = 0; i < DEVICE_LEAVES_MAX; i++)
		d->leaves[i] = d->leaves[i % 2];
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_memory_equal(&back->identity, &run->identity, sizeof(run->identity));
	buf_done(&b);
	free(back);
	free(run);
}

static void what_is_not_known_of_the_surroundings_stays_unknown(void **state)
{
	struct run *run = fixture_result();
	struct run *back = fixture_result();
	(void)state;

	memset(&run->identity.options, 0, sizeof(run->identity.options));
	run->identity.has_device = false;
	memset(&run->identity.device, 0, sizeof(run->identity.device));
	run->has_own = false;
	memset(&run->own, 0, sizeof(run->own));
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_memory_equal(back, run, sizeof(*run));
	buf_done(&b);
	free(back);
	free(run);
}

static void a_result_out_of_range_is_refused_and_leaves_a_valid_run(void **state)
{
	static const struct fixture_spoiler spoilers[] = {
		SPOIL_RUN(status, RUN_STATUSES),
		SPOIL_RUN(skip, RUN_SKIPS),
		SPOIL_RUN(skip, RUN_SKIP_BUSY), /* of a run that was not skipped */
		SPOIL_RUN(error_number, 4096),
		SPOIL_RUN(trust, 1 << RUN_TRUST_FLAGS),
		SPOIL_RUN(setup_step, RUN_SETUP_STEPS),
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
		SPOIL_RUN(own.written_bytes, 4000001),
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
		SPOIL_RUN(iops[RUN_OPERATIONS].seconds, 3), /* more than were measured */
		SPOIL_RUN(iops[RUN_READ].ios, 2), /* then they are not 7 */
		SPOIL_RUN(iops[RUN_WRITE].squares, 7), /* below (Σx)²/n */
		SPOIL_RUN(iops[RUN_WRITE].squares, 17), /* above (Σx)² */
		SPOIL_RUN(iops[RUN_OPERATIONS].ios, UINT64_MAX),
		SPOIL_RUN(measured_nsec, 1999999999),
		SPOIL_RUN(measured_nsec, RUN_NSEC_MAX + 1),
		SPOIL_RUN(setup_nsec, RUN_NSEC_MAX + 1),
		SPOIL_RUN(setup_longest_nsec, RUN_NSEC_MAX + 1),
		SPOIL_RUN(cpu_user_nsec, RUN_NSEC_MAX + 1),
		SPOIL_RUN(cpu_system_nsec, UINT64_MAX),
		SPOIL_RUN(layout_bytes, RUN_BYTES_MAX + 1),
		SPOIL_RUN(own.ios, RUN_IOS_MAX + 1),
		SPOIL_RUN(operations[RUN_READ].errors, RUN_IOS_MAX + 1),
		SPOIL_RUN(operations[RUN_WRITE].active_nsec, RUN_NSEC_MAX + 1),
		SPOIL_RUN(workload.duration_usec, UINT64_MAX),
		SPOIL_RUN(workload.max_bytes, UINT64_C(1) << 63),
		SPOIL_RUN(workload.max_ios, UINT64_MAX),
		SPOIL_RUN(workload.timeout_usec, 0),
		SPOIL_RUN(workload.burst_ios, UINT32_MAX),
		SPOIL_RUN(workload.preset[0], '?'),
	};
	struct run *back = run_new("nas", "transform");
	struct run *zero = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	assert_non_null(zero);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		struct run *run = fixture_result();
		fixture_spoil(run, &spoilers[i]);
		struct buf b = fixture_encoded_result(run);
		if (fixture_decode_result(&b, b.len, back) != -EBADMSG)
			fail_msg("spoiler %zu was accepted", i);
		assert_memory_equal(back, zero, sizeof(*zero));
		buf_done(&b);
		free(run);
	}
	free(zero);
	free(back);
}

static void latencies_that_have_no_sum_are_refused(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	struct run_operation_result *o = &run->operations[RUN_READ];
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < 2; i++) {
		memset(&o->latency, 0, sizeof(o->latency));
		for (uint64_t k = 0; k < o->ios; k++)
			histogram_add(&o->latency, RUN_NSEC_MAX + i);
		struct buf b = fixture_encoded_result(run);
		assert_int_equal(fixture_decode_result(&b, b.len, back), i == 0 ? 0 : -EBADMSG);
		buf_done(&b);
	}
	free(back);
	free(run);
}

static void what_a_file_system_says_is_cut_to_what_can_be(void **state)
{
	static const struct fixture_spoiler spoilers[] = {
		SPOIL_RUN(identity.size_bytes, UINT64_MAX),
		SPOIL_RUN(identity.free_bytes, UINT64_C(1) << 63),
		SPOIL_RUN(file_bytes, UINT64_MAX),
		SPOIL_RUN(file_target_bytes, UINT64_MAX),
		SPOIL_RUN(workload.file_size_bytes, UINT64_MAX),
	};
	struct run *back = run_new("nas", "transform");
	struct run *run = fixture_result();
	(void)state;

	assert_non_null(back);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++)
		fixture_spoil(run, &spoilers[i]);
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	assert_true(back->identity.size_bytes == INT64_MAX);
	assert_true(back->identity.free_bytes == INT64_MAX);
	assert_true(back->file_bytes == INT64_MAX && back->file_target_bytes == INT64_MAX);
	assert_true(back->workload.file_size_bytes == INT64_MAX);
	buf_done(&b);
	free(back);
	free(run);
}

static void a_run_without_a_measured_io_is_not_ok(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	(void)state;

	assert_non_null(back);
	run->status = RUN_OK;
	memset(run->iops, 0, sizeof(run->iops));
	memset(&run->operations[RUN_READ], 0, sizeof(run->operations[RUN_READ]));
	struct buf b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	buf_done(&b);

	memset(&run->operations[RUN_WRITE], 0, sizeof(run->operations[RUN_WRITE]));
	run->operations[RUN_WRITE].errors = 1; /* no number either */
	b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);

	run->status = RUN_TIMEOUT;
	b = fixture_encoded_result(run);
	assert_int_equal(fixture_decode_result(&b, b.len, back), 0);
	buf_done(&b);
	free(back);
	free(run);
}

static void text_with_a_nul_byte_or_too_long_is_refused(void **state)
{
	struct run *run = fixture_result();
	struct run *back = run_new("nas", "transform");
	struct buf b = fixture_encoded_result(run);
	size_t reason = fixture_find_section(&b, 1) + 4; /* after status, skip and error number */
	(void)state;

	assert_non_null(back);
	b.data[reason + 2] = '\0';
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);

	/* A boolean that is neither. */
	b = fixture_encoded_result(run);
	size_t is_mount = fixture_find_section(&b, 6) + 2 + 4 + 2 + 9 + 2 + 4 + 2 + 4;
	assert_int_equal(b.data[is_mount], 1);
	b.data[is_mount] = 2;
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&b);

	/* 256 bytes of reason, one more than a run can hold. */
	b = (struct buf)BUF_INIT(WIRE_MESSAGE_MAX);
	struct buf good = fixture_encoded_result(run);
	buf_add(&b, good.data, FIXTURE_HEADER_BYTES);
	buf_add_u16(&b, 1);
	buf_add_u32(&b, 4 + 2 + RUN_REASON_MAX + 1);
	buf_add_u32(&b, 0);
	buf_add_u16(&b, RUN_REASON_MAX + 1);
	for (size_t i = 0; i <= RUN_REASON_MAX; i++)
		buf_add_char(&b, 'r');
	size_t times = fixture_find_section(&good, 2) - FIXTURE_SECTION_BYTES;
	buf_add(&b, good.data + times, good.len - times);
	assert_int_equal(b.error, 0);
	assert_int_equal(fixture_decode_result(&b, b.len, back), -EBADMSG);
	buf_done(&good);
	buf_done(&b);
	free(back);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_arrives_as_it_was_sent_and_leaves_the_rest),
		cmocka_unit_test(an_operation_that_did_not_happen_and_a_missing_workload_are_zero),
		cmocka_unit_test(two_full_histograms_fit_one_message),
		cmocka_unit_test(every_truncation_of_a_result_is_refused),
		cmocka_unit_test(a_setup_without_a_longest_step_is_not_known),
		cmocka_unit_test(an_unknown_tag_is_skipped_and_a_repeated_one_refused),
		cmocka_unit_test(a_known_section_of_another_length_is_refused),
		cmocka_unit_test(more_leaves_than_there_can_be_are_refused),
		cmocka_unit_test(all_leaves_that_can_be_arrive),
		cmocka_unit_test(what_is_not_known_of_the_surroundings_stays_unknown),
		cmocka_unit_test(a_result_out_of_range_is_refused_and_leaves_a_valid_run),
		cmocka_unit_test(a_run_without_a_measured_io_is_not_ok),
		cmocka_unit_test(text_with_a_nul_byte_or_too_long_is_refused),
		cmocka_unit_test(latencies_that_have_no_sum_are_refused),
		cmocka_unit_test(what_a_file_system_says_is_cut_to_what_can_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
