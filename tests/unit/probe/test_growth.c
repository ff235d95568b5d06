/* SPDX-License-Identifier: Apache-2.0 */
/* A probe file grows for an hour, and is whole then as it is; what remembers the hour is the file.
 */
#include "probe/temporary.h"

#include <errno.h>

#include "base/clock.h"
#include "probe/bypass.h"
#include "probe/growth.h"
#include "probe/header.h"
#include "probe/probe.h"

#define MIB (UINT64_C(1) << 20)
#define NAME "0123456789abcdef-1000.dat"
#define FILE_PATH ".repoprobe/" NAME
#define NOW_USEC INT64_C(1796061600000000)
#define HOUR_USEC GROWTH_USEC_MAX

struct bench {
	struct clock clock; /* first */
	int64_t now_usec;
	struct temporary directory;
	struct job job;
	struct run *run;
};

static int64_t realtime(const struct clock *c)
{
	return ((const struct bench *)c)->now_usec;
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock = clock_system();
	b->clock.realtime_usec = realtime;
	b->now_usec = NOW_USEC;
	b->job = (struct job){
		.kind = JOB_BLOCK,
		.file_name = NAME,
		.file_target_bytes = 8 * MIB,
		.first_layout_bytes = 3 * MIB,
		.deadline_usec = 60 * USEC_PER_SEC,
		.keep_file = true,
	};
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	b->job.workload = workload_preset_default()->workload;
	b->job.workload.max_bytes = 16 * MIB;
	b->run = run_new("", "");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	temporary_close(&b->directory);
	free(b->run);
	free(b);
	return 0;
}

static void go(struct bench *b)
{
	memset(b->run, 0, sizeof(*b->run));
	probe_run(&b->job, &b->clock, NULL, b->run);
	if (b->run->error_number == EPERM || b->run->error_number == ENOSYS)
		skip();
	assert_string_equal(b->run->reason, "");
	assert_int_equal(b->run->status, RUN_OK);
}

static struct growth growth_of(const struct bench *b)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	uint8_t block[HEADER_BYTES];
	struct header header;
	int fd = open(temporary_name(&b->directory, FILE_PATH, &path), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, block, sizeof(block), 0), sizeof(block));
	assert_int_equal(header_decode(block, sizeof(block), &header), 0);
	fd_close(fd);
	buf_done(&path);
	return header.growth;
}

static void a_growing_file_is_warming_until_it_is_whole(void **state)
{
	struct bench *b = *state;

	b->job.growth_bytes = 4 * MIB;
	go(b);
	assert_int_equal(growth_of(b).began_usec, NOW_USEC);
	assert_int_equal(growth_of(b).target_bytes, 8 * MIB);
	assert_int_equal(b->run->workload.file_size_bytes, 3 * MIB);
	assert_true(b->run->trust & RUN_TRUST_WARMING);
	assert_int_equal(b->run->file_bytes, 7 * MIB);
	go(b);
	assert_int_equal(b->run->layout_bytes, 1 * MIB); /* after the measurement */
	assert_int_equal(b->run->own.bytes, 17 * MIB + BYPASS_IOS * BYPASS_BYTES_MIN);
	assert_int_equal(b->run->workload.file_size_bytes, 7 * MIB);
	assert_true(b->run->trust & RUN_TRUST_WARMING);
	assert_int_equal(b->run->file_bytes, 8 * MIB);
	b->now_usec += HOUR_USEC - 1;
	go(b);
	assert_int_equal(b->run->workload.file_size_bytes, 8 * MIB);
	assert_false(b->run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CLAMPED));
	assert_int_equal(growth_of(b).began_usec, 0);
}

static void a_part_of_a_growing_file_is_not_warming(void **state)
{
	struct bench *b = *state;

	b->job.first_layout_bytes = 4 * MIB;
	b->job.workload.file_size_bytes = 2 * MIB;
	go(b);
	assert_int_equal(b->run->workload.file_size_bytes, 2 * MIB);
	assert_int_equal(b->run->file_bytes, 4 * MIB);
	assert_false(b->run->trust & RUN_TRUST_WARMING);
}

static void after_an_hour_it_is_whole_as_it_is(void **state)
{
	struct bench *b = *state;

	b->job.growth_bytes = MIB;
	go(b);
	assert_int_equal(b->run->file_bytes, 4 * MIB);
	b->now_usec += HOUR_USEC - 1;
	go(b);
	assert_true(b->run->trust & RUN_TRUST_WARMING);
	assert_int_equal(b->run->file_bytes, 5 * MIB);
	assert_int_equal(growth_of(b).began_usec, NOW_USEC);
	b->now_usec++;
	b->job.first_layout_bytes = 6 * MIB; /* of that nothing is added either */
	go(b);
	assert_false(b->run->trust & RUN_TRUST_WARMING);
	assert_true(b->run->trust & RUN_TRUST_CLAMPED);
	assert_int_equal(b->run->workload.file_size_bytes, 5 * MIB);
	assert_int_equal(b->run->layout_bytes, 0);
	assert_int_equal(b->run->file_bytes, 5 * MIB);
	assert_int_equal(b->run->file_target_bytes, 5 * MIB);
	/* A probe that needs no more than there is knows nothing of it, and adds nothing. */
	b->job.workload.file_size_bytes = 2 * MIB;
	go(b);
	assert_false(b->run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CLAMPED));
	assert_int_equal(b->run->file_bytes, 5 * MIB);
	assert_int_equal(b->run->file_target_bytes, 5 * MIB);
}

static void a_larger_file_has_an_hour_of_its_own(void **state)
{
	struct bench *b = *state;

	go(b);
	b->now_usec += 2 * HOUR_USEC;
	go(b);
	assert_true(b->run->trust & RUN_TRUST_CLAMPED);
	b->job.file_target_bytes = 9 * MIB;
	b->job.growth_bytes = 64 * MIB;
	go(b);
	assert_true(b->run->trust & RUN_TRUST_WARMING);
	assert_int_equal(growth_of(b).began_usec, b->now_usec);
	assert_int_equal(b->run->file_bytes, 9 * MIB);
	go(b);
	assert_false(b->run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CLAMPED));
	assert_int_equal(growth_of(b).began_usec, 0);
}

static void the_hour_is_that_of_one_growth(void **unused)
{
	const struct growth under_way = { NOW_USEC, 8 * MIB };
	const struct growth none = { 0 };

	(void)unused;
	assert_false(growth_is_over(&none, 8 * MIB, NOW_USEC));
	assert_false(growth_is_over(&under_way, 8 * MIB, NOW_USEC));
	assert_false(growth_is_over(&under_way, 8 * MIB, NOW_USEC + HOUR_USEC - 1));
	assert_true(growth_is_over(&under_way, 8 * MIB, NOW_USEC + HOUR_USEC));
	assert_true(growth_is_over(&under_way, 7 * MIB, NOW_USEC + HOUR_USEC)); /* less is wanted */
	assert_false(growth_is_over(&under_way, 9 * MIB, NOW_USEC + HOUR_USEC)); /* more is */
	assert_true(growth_is_over(&under_way, 8 * MIB, NOW_USEC - 1)); /* the clock was set back */
	assert_int_equal(growth_next(&none, MIB, 8 * MIB, NOW_USEC).began_usec, NOW_USEC);
	assert_int_equal(growth_next(&none, MIB, 8 * MIB, NOW_USEC).target_bytes, 8 * MIB);
	assert_int_equal(growth_next(&under_way, MIB, 8 * MIB, NOW_USEC + 5).began_usec, NOW_USEC);
	assert_int_equal(
		growth_next(&under_way, MIB, 9 * MIB, NOW_USEC + 5).began_usec, NOW_USEC + 5);
	assert_int_equal(growth_next(&under_way, 8 * MIB, 8 * MIB, NOW_USEC + 5).began_usec, 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_growing_file_is_warming_until_it_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_part_of_a_growing_file_is_not_warming, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			after_an_hour_it_is_whole_as_it_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_larger_file_has_an_hour_of_its_own, set_up, tear_down),
		cmocka_unit_test(the_hour_is_that_of_one_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
