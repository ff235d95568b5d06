/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs: of the null kind, and of the block kind where this system lets us use io_uring. */
#include "probe/temporary.h"

#include <errno.h>

#include "base/clock.h"
#include "probe/bypass.h"
#include "probe/header.h"
#include "probe/payload.h"
#include "probe/probe.h"

#define MIB (UINT64_C(1) << 20)
#define NAME "0123456789abcdef-1000.dat"
#define FILE_PATH ".repoprobe/" NAME

struct bench {
	struct temporary directory;
	struct clock clock;
	struct job job;
	struct run *run;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock = clock_system();
	b->job = (struct job){
		.kind = JOB_BLOCK,
		.file_name = NAME,
		.file_target_bytes = 8 * MIB,
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

static void again(struct bench *b)
{
	memset(b->run, 0, sizeof(*b->run));
	probe_run(&b->job, &b->clock, NULL, b->run);
}

/* A run that must succeed, unless there is no io_uring here. */
static void go(struct bench *b)
{
	again(b);
	if (b->run->error_number == EPERM || b->run->error_number == ENOSYS)
		skip();
	assert_string_equal(b->run->reason, "");
	assert_int_equal(b->run->status, RUN_OK);
}

static void the_null_kind_takes_exactly_its_latency(void **state)
{
	struct bench *b = *state;
	uint64_t start_nsec = clock_monotonic_nsec(&b->clock);

	b->job.kind = JOB_NULL;
	b->job.null_latency_nsec = 20 * NSEC_PER_MSEC;
	b->job.workload.max_bytes = 0;
	again(b);
	assert_int_equal(b->run->status, RUN_OK);
	const struct run_operation_result *o = &b->run->operations[RUN_WRITE];
	assert_int_equal(o->latency.min_nsec, 20 * NSEC_PER_MSEC);
	assert_int_equal(o->latency.max_nsec, 20 * NSEC_PER_MSEC);
	/* five seconds of two at a time, without the first eight, and nobody waited for them */
	assert_int_equal(o->ios, 500 - 8);
	assert_true(clock_monotonic_nsec(&b->clock) - start_nsec < 3 * NSEC_PER_SEC);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
	assert_int_equal(b->run->engine, WORKLOAD_ENGINE_AUTO);
}

static void the_null_kind_can_stall(void **state)
{
	struct bench *b = *state;

	b->job.kind = JOB_NULL;
	b->job.null_latency_nsec = 1000 * NSEC_PER_SEC;
	again(b);
	assert_int_equal(b->run->status, RUN_STALLED);
	assert_int_equal(b->run->outstanding_ios, 2);
	assert_int_equal(b->run->operations[RUN_WRITE].latency.max_nsec, 60 * NSEC_PER_SEC);
}

static void a_workload_without_sense_is_an_error(void **state)
{
	struct bench *b = *state;

	b->job.workload.queue_depth = 0;
	again(b);
	assert_int_equal(b->run->status, RUN_ERROR);
	assert_int_equal(b->run->error_number, ERANGE);
	assert_true(b->run->reason[0] != '\0');
}

static void a_first_run_lays_out_and_measures(void **state)
{
	struct bench *b = *state;
	struct stat st;

	go(b);
	assert_int_equal(b->run->operations[RUN_WRITE].ios, 32 - 8);
	assert_int_equal(b->run->operations[RUN_WRITE].bytes, 12 * MIB);
	assert_int_equal(b->run->operations[RUN_READ].ios, 0);
	assert_true(b->run->operations[RUN_WRITE].latency.min_nsec > 0);
	assert_true(b->run->measured_nsec > 0);
	assert_int_equal(b->run->engine, WORKLOAD_ENGINE_IO_URING);
	assert_int_equal(b->run->file_bytes, 8 * MIB);
	assert_int_equal(b->run->file_target_bytes, 8 * MIB);
	assert_int_equal(b->run->workload.file_size_bytes, 8 * MIB);
	assert_true(b->run->layout_bytes >= 8 * MIB);
	assert_true(b->run->has_own);
	assert_int_equal(
		b->run->own.bytes, 16 * MIB + b->run->layout_bytes + BYPASS_IOS * BYPASS_BYTES_MIN);
	assert_in_range(b->run->own.ios, 32 + b->run->layout_bytes / MIB + BYPASS_IOS, 32 + 24);
	assert_int_equal(b->run->own.synced_writes, b->run->trust & RUN_TRUST_FALLBACK ? 0 : 32);
	assert_int_equal(
		b->run->own.written_bytes, 16 * MIB + b->run->layout_bytes + BYPASS_BYTES_MIN);
	assert_false(b->run->trust & RUN_TRUST_WARMING);
	assert_true(b->run->trust & RUN_TRUST_SHORT);
	temporary_stat(&b->directory, FILE_PATH, &st);
	assert_int_equal(st.st_size, HEADER_DATA_OFFSET + 8 * MIB);

	go(b);
	assert_int_equal(b->run->layout_bytes, 0);
	assert_int_equal(b->run->own.bytes, 16 * MIB + BYPASS_IOS * BYPASS_BYTES_MIN);
	assert_int_equal(b->run->own.ios, 32 + BYPASS_IOS);
}

static void a_run_reads_and_writes_its_share(void **state)
{
	struct bench *b = *state;

	b->job.workload.pattern = WORKLOAD_RANDOM;
	b->job.workload.align_bytes = 4096;
	b->job.workload.write_percent = 50;
	b->job.workload.max_bytes = 64 * MIB;
	go(b);
	assert_int_equal(b->run->operations[RUN_READ].ios + b->run->operations[RUN_WRITE].ios, 120);
	assert_true(b->run->operations[RUN_READ].ios > 20);
	assert_true(b->run->operations[RUN_WRITE].ios > 20);
}

static void a_hole_is_laid_out_anew(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	go(b);
	assert_int_equal(truncate(temporary_name(&b->directory, FILE_PATH, &path), 3 * MIB), 0);
	assert_int_equal(truncate(buf_text(&path), 9 * MIB), 0);
	int fd = open(buf_text(&path), O_RDONLY | O_CLOEXEC);
	bool has_holes = lseek(fd, 0, SEEK_HOLE) == (off_t)(3 * MIB);
	fd_close(fd);
	buf_done(&path);
	if (!has_holes)
		skip();
	go(b);
	assert_int_equal(b->run->layout_bytes, 6 * MIB);
}

static int open_file(const struct bench *b)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(&b->directory, FILE_PATH, &path), O_RDWR | O_CLOEXEC);

	buf_done(&path);
	assert_true(fd >= 0);
	return fd;
}

static void space_that_was_only_allocated_is_laid_out_anew(void **state)
{
	struct bench *b = *state;
	off_t at = (off_t)(HEADER_DATA_OFFSET + 5 * MIB);

	go(b);
	int fd = open_file(b);
	int r = fallocate(fd, FALLOC_FL_ZERO_RANGE, at, MIB);
	bool is_told = r == 0 && lseek(fd, 0, SEEK_HOLE) == at;
	fd_close(fd);
	if (!is_told)
		skip();
	go(b);
	assert_int_equal(b->run->layout_bytes, 3 * MIB);
	fd = open_file(b);
	assert_int_equal(lseek(fd, 0, SEEK_HOLE), HEADER_DATA_OFFSET + 8 * MIB);
	fd_close(fd);
	go(b);
	assert_int_equal(b->run->layout_bytes, 0);
}

static uint8_t *read_data(const struct bench *b, uint8_t *dst)
{
	int fd = open_file(b);

	assert_int_equal(pread(fd, dst, 8 * MIB, HEADER_DATA_OFFSET), 8 * MIB);
	fd_close(fd);
	return dst + 8 * MIB;
}

static int compare_units(const void *a, const void *b)
{
	return memcmp(a, b, PAYLOAD_UNIT_BYTES);
}

/* Not even with the same seed, which only repeats the offsets. */
static void no_unit_of_the_file_is_ever_written_twice(void **state)
{
	struct bench *b = *state;
	size_t units = 3 * 8 * MIB / PAYLOAD_UNIT_BYTES;
	uint8_t *all = malloc(units * PAYLOAD_UNIT_BYTES);
	uint8_t *end = all;

	assert_non_null(all);
	b->job.workload.has_seed = true;
	b->job.workload.seed = 7;
	b->job.workload.max_bytes = 8 * MIB; /* each block of the file once */
	for (int i = 0; i < 3; i++) {
		go(b);
		end = read_data(b, end);
	}
	qsort(all, units, PAYLOAD_UNIT_BYTES, compare_units);
	for (size_t i = 1; i < units; i++)
		assert_int_not_equal(compare_units(all + (i - 1) * PAYLOAD_UNIT_BYTES,
					     all + i * PAYLOAD_UNIT_BYTES),
			0);
	free(all);
}

static void set_up_time_is_in_no_sample(void **state)
{
	struct bench *b = *state;

	b->job.file_target_bytes = 64 * MIB;
	b->job.workload.queue_depth = 1;
	b->job.workload.max_ios = 9; /* one after the warm-up */
	go(b);
	assert_true(b->run->layout_bytes >= 64 * MIB);
	assert_int_equal(b->run->operations[RUN_WRITE].ios, 1);
	/* The one sample is all that was measured: no part of the layout and the looking around. */
	assert_int_equal(b->run->operations[RUN_WRITE].latency.max_nsec, b->run->measured_nsec);
	assert_true(b->run->measured_nsec < b->run->setup_nsec);
}

static void reads_out_of_the_page_cache_are_labelled(void **state)
{
	struct bench *b = *state;

	b->job.workload.cache = WORKLOAD_BUFFERED;
	b->job.workload.write_percent = 0;
	b->job.workload.max_bytes = 64 * MIB; /* of 8 */
	go(b);
	assert_true(b->run->trust & RUN_TRUST_BUFFERED);
	assert_true(b->run->trust & RUN_TRUST_CACHED);
}

static void without_keep_file_nothing_stays(void **state)
{
	struct bench *b = *state;

	b->job.keep_file = false;
	go(b);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void without_space_nothing_stays(void **state)
{
	struct bench *b = *state;

	b->job.file_target_bytes = UINT64_C(1) << 60;
	again(b);
	assert_int_equal(b->run->status, RUN_NO_SPACE);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void modes_of_the_page_cache_work(void **state)
{
	static const enum workload_cache modes[] = { WORKLOAD_DIRECT, WORKLOAD_DSYNC,
		WORKLOAD_BUFFERED };
	struct bench *b = *state;

	for (size_t i = 0; i < 3; i++) {
		b->job.workload.cache = modes[i];
		b->job.workload.write_percent = 50;
		go(b);
	}
}

static void the_threads_engine_measures_too(void **state)
{
	struct bench *b = *state;

	b->job.workload.engine = WORKLOAD_ENGINE_THREADS;
	b->job.workload.write_percent = 50;
	b->job.workload.queue_depth = 4;
	again(b);
	assert_string_equal(b->run->reason, "");
	assert_int_equal(b->run->status, RUN_OK);
	assert_int_equal(b->run->engine, WORKLOAD_ENGINE_THREADS);
	assert_false(b->run->has_registered_buffers);
	assert_false(run_had_no_uring(b->run));
	assert_int_equal(
		b->run->operations[RUN_READ].ios + b->run->operations[RUN_WRITE].ios, 32 - 8);
}

static void several_threads_share_the_bounds(void **state)
{
	static const enum workload_engine engines[] = { WORKLOAD_ENGINE_AUTO,
		WORKLOAD_ENGINE_THREADS };
	struct bench *b = *state;

	b->job.workload.threads = 4;
	b->job.workload.block_size_bytes = 4096;
	b->job.workload.write_percent = 30;
	b->job.workload.pattern = WORKLOAD_RANDOM;
	b->job.workload.cache = WORKLOAD_BUFFERED;
	b->job.workload.max_bytes = 0;
	b->job.workload.max_ios = 2008;
	for (size_t i = 0; i < 2; i++) {
		b->job.workload.engine = engines[i];
		go(b);
		const struct run_operation_result *r = &b->run->operations[RUN_READ];
		const struct run_operation_result *w = &b->run->operations[RUN_WRITE];
		/* 8 are the warm-up, and what other threads complete just before it is over. */
		assert_in_range(r->ios + w->ios, 2000 - 3, 2000);
		assert_int_equal(r->latency.count, r->ios);
		assert_int_equal(w->latency.count, w->ios);
		assert_int_equal(r->bytes + w->bytes, (r->ios + w->ios) * 4096);
		assert_true(r->active_nsec <= b->run->measured_nsec);
		assert_true(w->active_nsec <= b->run->measured_nsec);
		assert_true(r->active_nsec > 0 && w->active_nsec > 0);
	}
}

static void a_duration_is_of_all_threads(void **state)
{
	struct bench *b = *state;

	b->job.workload.threads = 3;
	b->job.workload.block_size_bytes = 4096;
	b->job.workload.write_percent = 0;
	b->job.workload.pattern = WORKLOAD_RANDOM;
	b->job.workload.max_bytes = 0;
	b->job.workload.duration_usec = 1300 * USEC_PER_MSEC;
	b->job.workload.rate_ios_per_sec = 100; /* of each */
	go(b);
	const struct run_iops *iops = b->run->iops;
	assert_in_range(b->run->measured_nsec, NSEC_PER_SEC, 1400 * NSEC_PER_MSEC);
	assert_in_range(b->run->operations[RUN_READ].ios, 100, 400);
	assert_int_equal(iops[RUN_OPERATIONS].seconds, 1);
	assert_in_range(iops[RUN_READ].ios, 50, 310);
	assert_int_equal(iops[RUN_READ].squares, iops[RUN_READ].ios * iops[RUN_READ].ios);
}

/* Which blocks of the file differ from a copy, as a set of bits; the copy follows. */
static void note_changes(struct bench *b, uint8_t *copy, uint8_t *bits, size_t blocks)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	uint8_t block[4096];
	int fd = open(temporary_name(&b->directory, FILE_PATH, &path), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	memset(bits, 0, blocks / 8);
	for (size_t i = 0; i < blocks; i++) {
		off_t at = (off_t)(HEADER_DATA_OFFSET + i * sizeof(block));
		assert_int_equal(pread(fd, block, sizeof(block), at), sizeof(block));
		if (memcmp(copy + i * sizeof(block), block, sizeof(block)) != 0)
			bits[i / 8] |= (uint8_t)(1U << i % 8);
		memcpy(copy + i * sizeof(block), block, sizeof(block));
	}
	fd_close(fd);
	buf_done(&path);
}

static void a_seed_repeats_exactly_and_without_one_no_list_comes_twice(void **state)
{
	enum { BLOCKS = 2048, RUNS = 6 };
	struct bench *b = *state;
	uint8_t *copy = calloc(BLOCKS, 4096);
	uint8_t bits[RUNS][BLOCKS / 8];

	assert_non_null(copy);
	b->job.workload.block_size_bytes = 4096;
	b->job.workload.pattern = WORKLOAD_RANDOM;
	b->job.workload.max_ios = 40;
	go(b);
	note_changes(b, copy, bits[0], BLOCKS);
	for (size_t i = 0; i < RUNS; i++) {
		b->job.workload.has_seed = i < 3;
		b->job.workload.seed = i < 2 ? 77 : 78;
		go(b);
		note_changes(b, copy, bits[i], BLOCKS);
	}
	free(copy);
	assert_memory_equal(bits[0], bits[1], sizeof(bits[0]));
	for (size_t i = 1; i < RUNS; i++)
		for (size_t k = i + 1; k < RUNS; k++)
			assert_memory_not_equal(bits[i], bits[k], sizeof(bits[i]));
}

static void a_fresh_run_leaves_what_is_laid_out_alone(void **state)
{
	enum { BLOCKS = 2048 };
	struct bench *b = *state;
	uint8_t *copy = calloc(BLOCKS, 4096);
	uint8_t bits[BLOCKS / 8];
	static const uint8_t none[BLOCKS / 8];

	assert_non_null(copy);
	go(b);
	note_changes(b, copy, bits, BLOCKS);
	b->job.workload.is_fresh = true;
	go(b); /* 16 MiB were allowed, 8 are what the file holds */
	assert_int_equal(b->run->operations[RUN_WRITE].ios, 16 - 8);
	assert_int_equal(b->run->workload.max_bytes, 8 * MIB);
	note_changes(b, copy, bits, BLOCKS);
	assert_memory_equal(bits, none, sizeof(bits));
	assert_false(temporary_has(&b->directory, FILE_PATH ".fresh"));

	b->job.workload.write_percent = 50;
	b->job.workload.pattern = WORKLOAD_RANDOM;
	b->job.workload.block_size_bytes = 65536; /* so many that some of them are reads */
	go(b);
	assert_true(b->run->operations[RUN_READ].ios > 0);
	note_changes(b, copy, bits, BLOCKS);
	assert_memory_equal(bits, none, sizeof(bits));
	free(copy);
}

static void a_fresh_run_that_only_writes_lays_nothing_out(void **state)
{
	struct bench *b = *state;

	b->job.workload.is_fresh = true;
	go(b);
	assert_int_equal(b->run->layout_bytes, 0);
	assert_int_equal(b->run->operations[RUN_WRITE].ios, 16 - 8);
	assert_false(b->run->trust & RUN_TRUST_WARMING);
	b->job.keep_file = false;
	go(b);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void write_file(const struct bench *b, const char *name, const void *data, size_t len)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(&b->directory, name, &path),
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	fd_close(fd);
	buf_done(&path);
}

static void a_fresh_file_of_a_killed_run_goes_and_anothers_stays(void **state)
{
	struct bench *b = *state;
	uint8_t block[HEADER_BYTES];
	const struct header header = { .created_usec = 1 };

	b->job.workload.is_fresh = true;
	go(b);
	assert_int_equal(header_encode(&header, block), 0);
	write_file(b, FILE_PATH ".fresh", block, sizeof(block));
	go(b);
	assert_false(temporary_has(&b->directory, FILE_PATH ".fresh"));
	write_file(b, FILE_PATH ".fresh", "", 0);
	go(b);
	assert_false(temporary_has(&b->directory, FILE_PATH ".fresh"));
	write_file(b, FILE_PATH ".fresh", "a book", 6);
	again(b);
	assert_int_equal(b->run->status, RUN_REFUSED);
	assert_non_null(strstr(b->run->reason, "left as it is"));
	assert_true(temporary_has(&b->directory, FILE_PATH ".fresh"));
}

static void too_many_ios_for_threads_are_refused(void **state)
{
	struct bench *b = *state;

	b->job.workload.engine = WORKLOAD_ENGINE_THREADS;
	b->job.workload.block_size_bytes = 4096;
	b->job.workload.queue_depth = 1024;
	b->job.workload.threads = 2;
	again(b);
	assert_int_equal(b->run->status, RUN_ERROR);
	assert_non_null(strstr(b->run->reason, "queue_depth 512 would fit"));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_null_kind_takes_exactly_its_latency, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_null_kind_can_stall, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_workload_without_sense_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_first_run_lays_out_and_measures, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_run_reads_and_writes_its_share, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_hole_is_laid_out_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			space_that_was_only_allocated_is_laid_out_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_unit_of_the_file_is_ever_written_twice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(set_up_time_is_in_no_sample, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reads_out_of_the_page_cache_are_labelled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_keep_file_nothing_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_space_nothing_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modes_of_the_page_cache_work, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_threads_engine_measures_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			several_threads_share_the_bounds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_duration_is_of_all_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_seed_repeats_exactly_and_without_one_no_list_comes_twice, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_fresh_run_leaves_what_is_laid_out_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_fresh_run_that_only_writes_lays_nothing_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_fresh_file_of_a_killed_run_goes_and_anothers_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			too_many_ios_for_threads_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
