/* SPDX-License-Identifier: Apache-2.0 */
/* Laying a file out on a real file system. */
#include "probe/temporary.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/compress.h"
#include "probe/extent.h"
#include "probe/layout.h"
#include "probe/place.h"
#include "probe/setup.h"

#define MIB (UINT64_C(1) << 20)

/* A clock that goes on at each look: by a second, unless told otherwise. */
struct ticking {
	struct clock clock; /* first */
	uint64_t *now_nsec;
	uint64_t tick_nsec;
};

struct bench {
	struct temporary directory;
	struct ticking clock;
	uint64_t now_nsec;
	struct observe observe;
	struct probe_observer observer;
	struct layout layout;
	uint64_t told;
	struct job_progress last;
	bool is_cancelled;
};

static uint64_t tick(const struct clock *c)
{
	const struct ticking *t = (const struct ticking *)c;

	*t->now_nsec += t->tick_nsec;
	return *t->now_nsec;
}

static void take_progress(void *data, const struct job_progress *progress)
{
	struct bench *b = data;

	b->told++;
	b->last = *progress;
}

static bool is_cancelled(void *data)
{
	const struct bench *b = data;

	return b->is_cancelled;
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock.clock.monotonic_nsec = tick;
	b->clock.now_nsec = &b->now_nsec;
	b->clock.tick_nsec = NSEC_PER_SEC;
	b->observer = (struct probe_observer){
		.progress = take_progress, .is_cancelled = is_cancelled, .data = b
	};
	b->observe.observer = &b->observer;
	b->layout = (struct layout){
		.fd = open(temporary_name(&b->directory, "file", &path),
			O_RDWR | O_CREAT | O_CLOEXEC, 0600),
		.seed = 77,
		.clock = &b->clock.clock,
		.observe = &b->observe,
	};
	assert_true(b->layout.fd >= 0);
	buf_done(&path);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	fd_close(b->layout.fd);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static uint64_t file_size(const struct bench *b)
{
	struct stat st;

	temporary_stat(&b->directory, "file", &st);
	return (uint64_t)st.st_size;
}

static uint64_t laid_out(const struct bench *b)
{
	struct extent_report report;

	assert_int_equal(extent_measure(b->layout.fd, 0, &report), 0);
	return report.end_bytes;
}

static void the_file_is_full_of_incompressible_data(void **state)
{
	struct bench *b = *state;
	struct buf content = BUF_INIT(8 * MIB);
	struct buf compressed = BUF_INIT(16 * MIB);
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(layout_extend(&b->layout, 5 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), 0);
	assert_int_equal(b->layout.end_bytes, 5 * MIB);
	assert_int_equal(b->layout.written_bytes, 5 * MIB);
	assert_int_equal(file_size(b), 5 * MIB);
	assert_int_equal(laid_out(b), 5 * MIB);
	assert_int_equal(fd_read_file(temporary_name(&b->directory, "file", &path), &content), 0);
	assert_int_equal(compress_zlib(content.data, content.len, 9, &compressed), 0);
	assert_true(compressed.len >= content.len);
	buf_done(&content);
	buf_done(&compressed);
	buf_done(&path);
}

static void it_goes_on_where_it_ended(void **state)
{
	struct bench *b = *state;
	char before[4096];
	char after[4096];

	b->layout.end_bytes = 4096;
	assert_int_equal(layout_extend(&b->layout, MIB + 5000, UINT64_MAX, JOB_PHASE_LAYOUT), 0);
	assert_int_equal(b->layout.end_bytes, MIB + 8192); /* whole blocks */
	assert_int_equal(pread(b->layout.fd, before, sizeof(before), MIB), sizeof(before));
	assert_int_equal(layout_extend(&b->layout, 3 * MIB, UINT64_MAX, JOB_PHASE_GROWTH), 0);
	assert_int_equal(pread(b->layout.fd, after, sizeof(after), MIB), sizeof(after));
	assert_memory_equal(before, after, sizeof(before));
	assert_int_equal(file_size(b), 3 * MIB);
	assert_int_equal(b->layout.written_bytes, 3 * MIB - 4096);
}

static void nothing_to_do_is_nothing_done(void **state)
{
	struct bench *b = *state;

	b->layout.end_bytes = 8 * MIB;
	assert_int_equal(layout_extend(&b->layout, 8 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), 0);
	assert_int_equal(b->layout.written_bytes, 0);
	assert_int_equal(file_size(b), 0);
}

static void it_ends_when_the_time_is_over(void **state)
{
	struct bench *b = *state;

	assert_int_equal(layout_extend(&b->layout, 64 * MIB, b->now_nsec + 5 * NSEC_PER_SEC,
				 JOB_PHASE_LAYOUT),
		0);
	assert_int_equal(b->layout.end_bytes, MIB - MIB / 4); /* one look before, one for each */
	assert_int_equal(file_size(b), MIB - MIB / 4);
	assert_int_equal(b->told, 3);
	assert_int_equal(b->last.phase, JOB_PHASE_LAYOUT);
	assert_int_equal(b->last.done, MIB / 2);
	assert_int_equal(b->last.total, 64 * MIB);
}

/* As large as what takes a moment: the last one before the end misses it by no more. */
static void pieces_follow_the_speed(void **state)
{
	struct bench *b = *state;

	b->layout.is_direct = true;
	b->clock.tick_nsec = NSEC_PER_MSEC;
	assert_int_equal(layout_extend(&b->layout, 16 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), 0);
	assert_int_equal(b->layout.piece_bytes, MIB);
	assert_int_equal(b->layout.written_ios, 4 + 4 + 13);
	b->clock.tick_nsec = NSEC_PER_SEC;
	assert_int_equal(layout_extend(&b->layout, 32 * MIB, UINT64_MAX, JOB_PHASE_GROWTH), 0);
	assert_int_equal(b->layout.piece_bytes, MIB / 16);
	assert_int_equal(b->layout.end_bytes, 32 * MIB);
}

static void it_can_be_cancelled(void **state)
{
	struct bench *b = *state;

	b->is_cancelled = true;
	assert_int_equal(
		layout_extend(&b->layout, 64 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), -ECANCELED);
	assert_int_equal(file_size(b), 0);
}

static void it_stops_at_the_floor_of_free_space(void **state)
{
	struct bench *b = *state;
	struct place place = {
		.path = b->directory.path,
		.fd = open(b->directory.path, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.min_free_percent = 100, /* never fulfilled */
	};

	assert_true(place.fd >= 0);
	b->layout.place = &place;
	assert_int_equal(
		layout_extend(&b->layout, 64 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), -ENOSPC);
	assert_int_equal(b->layout.end_bytes, MIB); /* looked at after some pieces */
	place_close(&place);
}

static void a_failed_write_keeps_count_of_what_is_there(void **state)
{
	struct bench *b = *state;
	struct rlimit old;
	struct rlimit small;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ .rlim_cur = 2 * MIB + 8192, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int r = layout_extend(&b->layout, 8 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(b->layout.end_bytes, 2 * MIB + 8192);
	assert_int_equal(laid_out(b), 2 * MIB + 8192);
}

/* A file of many pieces takes long and hangs nowhere: each write is a step. */
static void the_longest_write_is_told_and_not_their_sum(void **state)
{
	struct bench *b = *state;
	struct run *run = run_new("", "");
	struct setup setup;

	assert_non_null(run);
	setup_begin(&setup, &b->clock.clock, run);
	b->layout.setup = &setup;
	assert_int_equal(layout_extend(&b->layout, 40 * MIB, UINT64_MAX, JOB_PHASE_LAYOUT), 0);
	assert_int_equal(run->setup_step, RUN_SETUP_LAYOUT);
	/* a look before, one after, and one where the size of pieces was chosen */
	assert_int_equal(run->setup_longest_nsec, 3 * NSEC_PER_SEC);
	b->now_nsec += 25 * NSEC_PER_SEC;
	setup_skip(&setup); /* what was done meanwhile is none of it */
	setup_end_step(&setup, RUN_SETUP_LOCK);
	assert_int_equal(run->setup_step, RUN_SETUP_LAYOUT);
	b->now_nsec += 25 * NSEC_PER_SEC;
	setup_end_step(&setup, RUN_SETUP_OPEN);
	setup_end_step(&setup, RUN_SETUP_LOCK);
	setup_end_step(NULL, RUN_SETUP_LOCK);
	assert_int_equal(run->setup_step, RUN_SETUP_OPEN);
	assert_int_equal(run->setup_longest_nsec, 26 * NSEC_PER_SEC);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_file_is_full_of_incompressible_data, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_goes_on_where_it_ended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_to_do_is_nothing_done, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_ends_when_the_time_is_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pieces_follow_the_speed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_can_be_cancelled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			it_stops_at_the_floor_of_free_space, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_failed_write_keeps_count_of_what_is_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_longest_write_is_told_and_not_their_sum, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
