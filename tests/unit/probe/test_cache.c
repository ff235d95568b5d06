/* SPDX-License-Identifier: Apache-2.0 */
/* What of a file is seen in the page cache, and which speeds are believed. */
#include "probe/temporary.h"

#include <errno.h>
#include <linux/magic.h>

#include "base/clock.h"
#include "model/run.h"
#include "probe/cache.h"

#define MIB (UINT64_C(1) << 20)
#define FILE_BYTES (4 * MIB)

struct bench {
	struct temporary directory;
	int fd;
};

/* A file that is written, synced and dropped from the cache. */
static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	char *data = calloc(1, FILE_BYTES);

	assert_non_null(b);
	assert_non_null(data);
	temporary_open(&b->directory);
	b->fd = open(
		temporary_name(&b->directory, "file", &path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	buf_done(&path);
	assert_int_equal(write(b->fd, data, FILE_BYTES), FILE_BYTES);
	free(data);
	assert_int_equal(fdatasync(b->fd), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	fd_close(b->fd);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

/* Both ways to look, which must agree. */
static uint64_t look(const struct bench *b, uint64_t start, uint64_t bytes)
{
	uint64_t resident = 0;
	uint64_t mapped = 0;

	assert_int_equal(cache_look(b->fd, start, bytes, &resident), 0);
	assert_int_equal(cache_look_by_mincore(b->fd, start, bytes, &mapped), 0);
	assert_int_equal(resident, mapped);
	return resident;
}

static void drop(const struct bench *b)
{
	cache_drop_all(b->fd);
	if (look(b, 0, FILE_BYTES) != 0)
		skip(); /* a file system in memory */
}

static void read_at(const struct bench *b, uint64_t at, size_t bytes)
{
	char *data = malloc(bytes);

	assert_non_null(data);
	assert_int_equal(pread(b->fd, data, bytes, (off_t)at), bytes);
	free(data);
}

static void what_was_written_is_there_until_it_is_dropped(void **state)
{
	struct bench *b = *state;

	assert_int_equal(look(b, 0, FILE_BYTES), FILE_BYTES);
	assert_int_equal(look(b, MIB, MIB), MIB);
	drop(b);
	assert_int_equal(look(b, MIB, MIB), 0);
}

static void what_was_read_is_there(void **state)
{
	struct bench *b = *state;

	drop(b);
	assert_int_equal(posix_fadvise(b->fd, 0, 0, POSIX_FADV_RANDOM), 0);
	read_at(b, MIB, MIB / 2);
	assert_int_equal(look(b, MIB, MIB / 2), MIB / 2);
	assert_int_equal(look(b, 0, MIB), 0);
	assert_in_range(look(b, 0, FILE_BYTES), MIB / 2, MIB);
}

static void nothing_is_in_no_bytes(void **state)
{
	struct bench *b = *state;
	uint64_t resident = 1;

	assert_int_equal(cache_look(b->fd, 0, 0, &resident), 0);
	assert_int_equal(resident, 0);
}

static void a_small_part_is_dropped_although_it_belongs_to_a_large_one(void **state)
{
	struct bench *b = *state;

	assert_int_equal(look(b, 0, FILE_BYTES), FILE_BYTES);
	cache_drop_around(b->fd, MIB + 4096, 4096);
	if (look(b, 2 * MIB, 2 * MIB) == 0)
		skip();
	cache_drop_all(b->fd);
	if (look(b, 0, FILE_BYTES) != 0)
		skip();
	read_at(b, 0, FILE_BYTES);
	cache_drop_around(b->fd, MIB + 4096, 4096);
	assert_int_equal(look(b, MIB + 4096, 4096), 0);
	cache_drop_around(b->fd, 2 * MIB - 4096, 8192); /* of both halves */
	assert_int_equal(look(b, 0, FILE_BYTES), 0);
}

static void a_meter_counts_what_reads_will_find(void **state)
{
	struct bench *b = *state;
	struct cache_meter meter = { 0 };

	drop(b);
	assert_int_equal(posix_fadvise(b->fd, 0, 0, POSIX_FADV_RANDOM), 0);
	for (uint64_t i = 0; i < 8; i++)
		cache_meter_add(&meter, b->fd, i * MIB / 2, MIB / 2);
	assert_false(cache_meter_is_hit(&meter));
	read_at(b, 0, MIB / 2);
	cache_meter_add(&meter, b->fd, 0, MIB / 2);
	assert_int_equal(meter.read_bytes, 9 * MIB / 2);
	assert_int_equal(meter.resident_bytes, MIB / 2);
	assert_true(cache_meter_is_hit(&meter)); /* one in nine */
	for (uint64_t i = 1; i < 3; i++)
		cache_meter_add(&meter, b->fd, i * MIB, MIB / 2);
	assert_false(cache_meter_is_hit(&meter)); /* one in eleven */
}

static void what_cannot_be_seen_is_not_counted(void **state)
{
	struct cache_meter meter = { 0 };
	uint64_t resident = 1;

	(void)state;
	assert_true(cache_look(-1, 0, 4096, &resident) < 0);
	cache_meter_add(&meter, -1, 0, 4096);
	assert_int_equal(meter.read_bytes, 0);
	assert_false(cache_meter_is_hit(&meter));
}

static void direct_reads_that_leave_pages_were_none(void **state)
{
	static const struct {
		uint64_t read;
		uint64_t part;
		uint64_t before;
		uint64_t after;
		bool has_grown;
	} cases[] = {
		{ 64 * MIB, 1024 * MIB, 0, 0, false },
		{ 64 * MIB, 1024 * MIB, 0, 64 * MIB, true },
		{ 64 * MIB, 1024 * MIB, 0, 6 * MIB, false }, /* somebody else's */
		{ 64 * MIB, 1024 * MIB, 0, 7 * MIB, true },
		{ 64 * MIB, 1024 * MIB, 1024 * MIB, 1024 * MIB, false }, /* nothing came */
		{ 64 * MIB, 1024 * MIB, 64 * MIB, 0, false },
		{ 1024 * MIB, 8 * MIB, 0, 8 * MIB, true }, /* read again and again */
		{ 0, 8 * MIB, 0, 8 * MIB, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(cache_has_grown(cases[i].read, cases[i].part, cases[i].before,
					 cases[i].after),
			cases[i].has_grown);
}

static void zfs_reads_out_of_its_own_cache_unless_it_says_that_it_does_not(void **state)
{
	unsigned long zfs = 0x2fc12fc1;

	(void)state;
	assert_true(cache_is_of_file_system(zfs, true, 0)); /* before 2.3 */
	assert_false(cache_is_of_file_system(zfs, true, 4096));
	assert_true(cache_is_of_file_system(zfs, false, 4096));
	assert_false(cache_is_of_file_system(EXT4_SUPER_MAGIC, true, 0));
	assert_false(cache_is_of_file_system(EXT4_SUPER_MAGIC, false, 512));
}

static void no_disk_is_faster_than_the_bound(void **state)
{
	(void)state;
	assert_int_equal(cache_plausible_nsec(512), 5000);
	assert_int_equal(cache_plausible_nsec(4096), 5000);
	assert_int_equal(cache_plausible_nsec(131072), 5000);
	assert_int_equal(cache_plausible_nsec(524288), 20000);
	assert_int_equal(cache_plausible_nsec(4 * MIB), 160000);
	assert_int_equal(cache_plausible_nsec(WORKLOAD_BLOCK_SIZE_MAX), 2560000);
}

static void half_of_either_kind_is_what_counts(void **state)
{
	static const struct {
		uint32_t block_bytes;
		uint64_t fast; /* so many take fast_nsec, the others 1 ms */
		uint64_t slow;
		uint64_t fast_nsec;
		bool is_too_fast;
	} cases[] = {
		{ 4096, 100, 0, 3000, true }, /* XDISK's reads out of memory: workloads S1 */
		{ 4096, 100, 0, 900, true }, /* fio's: field report 22 */
		{ 4096, 100, 0, 8000, false }, /* a fast flash disk's cache */
		{ 4096, 60, 40, 3000, true },
		{ 4096, 40, 60, 3000, false },
		{ 524288, 100, 0, 15000, true },
		{ 524288, 100, 0, 40000, false }, /* 13 GB/s: PCIe 5.0 */
		{ 524288, 0, 0, 0, false },
	};
	struct run *run = run_new("", "");

	(void)state;
	assert_non_null(run);
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_operation_result *o = &run->operations[i % 2];
		memset(run->operations, 0, sizeof(run->operations));
		run->workload.block_size_bytes = cases[i / 2].block_bytes;
		for (uint64_t k = 0; k < cases[i / 2].fast; k++)
			histogram_add(&o->latency, cases[i / 2].fast_nsec);
		for (uint64_t k = 0; k < cases[i / 2].slow; k++)
			histogram_add(&o->latency, NSEC_PER_MSEC);
		histogram_add(&run->operations[!(i % 2)].latency, NSEC_PER_MSEC);
		assert_int_equal(cache_is_too_fast(run), cases[i / 2].is_too_fast);
	}
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_was_written_is_there_until_it_is_dropped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_read_is_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_in_no_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_small_part_is_dropped_although_it_belongs_to_a_large_one, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_meter_counts_what_reads_will_find, set_up, tear_down),
		cmocka_unit_test(what_cannot_be_seen_is_not_counted),
		cmocka_unit_test(direct_reads_that_leave_pages_were_none),
		cmocka_unit_test(zfs_reads_out_of_its_own_cache_unless_it_says_that_it_does_not),
		cmocka_unit_test(no_disk_is_faster_than_the_bound),
		cmocka_unit_test(half_of_either_kind_is_what_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
