/* SPDX-License-Identifier: Apache-2.0 */
/* diskstats: lines of several kernels, possible and impossible differences. */
#include "model/diskstats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

#define SECOND UINT64_C(1000000000)
#define INTERVAL (10 * SECOND)

/* Linux 6.18, a virtual machine with a virtio disk; one more line as if a field were added. */
static const char modern[] =
	"   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	"   7       1 loop1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	" 254       0 vda 103450 27296 5805146 70956 32189 24747 3706512 16628 0 19588 90564 16615 28 "
	"973448 2730 3502 248\n"
	" 253       0 zram0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	" 259       3 nvme0n1p2 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 nineteen\n";

/* 18 fields since 4.18, 14 before it: the shape of Documentation/admin-guide/iostats.rst. */
static const char older[] =
	"   8       0 sda 37383 14022 2096898 21260 58226 49180 4031498 190736 0 46652 212004 0 0 0 0\n"
	"   8       1 sda1 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 "
	"23705160\n"
	" 104       0 cciss/c0d0 9 0 72 4 1 0 8 1 4294967295 5 5\n";

static void every_known_number_of_fields_is_read(void **state)
{
	struct disk_counters c;
	(void)state;

	assert_int_equal(diskstats_find(modern, 254, 0, &c, NULL), 0);
	assert_int_equal(c.reads, 103450);
	assert_int_equal(c.read_bytes, UINT64_C(5805146) * 512);
	assert_int_equal(c.reading_msec, 70956);
	assert_int_equal(c.writes, 32189);
	assert_int_equal(c.write_bytes, UINT64_C(3706512) * 512);
	assert_int_equal(c.writing_msec, 16628);
	assert_int_equal(c.in_flight, 0);
	assert_int_equal(c.io_time_msec, 19588);
	assert_int_equal(c.weighted_msec, 90564);
	assert_int_equal(c.discards, 16615);
	assert_int_equal(c.flushes, 3502);

	assert_int_equal(diskstats_find(older, 8, 0, &c, NULL), 0);
	assert_int_equal(c.reads, 37383);
	assert_int_equal(c.weighted_msec, 212004);
	assert_int_equal(c.discards, 0);

	assert_int_equal(diskstats_find(older, 8, 1, &c, NULL), 0);
	assert_int_equal(c.writes, 424847);
	assert_int_equal(c.io_time_msec, 3376340);
	assert_int_equal(c.weighted_msec, 23705160);
	assert_int_equal(c.discards, 0);
	assert_int_equal(c.flushes, 0);
}

static void fields_after_the_twentieth_are_ignored(void **state)
{
	struct disk_counters c;
	(void)state;

	assert_int_equal(diskstats_find(modern, 259, 3, &c, NULL), 0);
	assert_int_equal(c.reads, 1);
	assert_int_equal(c.flushes, 16);
}

static void requests_counted_below_zero_are_none(void **state)
{
	struct disk_counters c;
	(void)state;

	assert_int_equal(diskstats_find(older, 104, 0, &c, NULL), 0);
	assert_int_equal(c.reads, 9);
	assert_int_equal(c.in_flight, 0);
}

static void a_device_that_is_not_there_is_not_found(void **state)
{
	struct disk_counters c = { .reads = 7 };
	struct error error = { 0 };
	(void)state;

	assert_int_equal(diskstats_find(modern, 254, 1, &c, &error), -ENOENT);
	assert_non_null(strstr(error.text, "254:1"));
	assert_int_equal(diskstats_find("", 254, 0, &c, NULL), -ENOENT);
	assert_int_equal(c.reads, 7);
}

static void malformed_lines_are_refused_in_words(void **state)
{
	static const char *const texts[] = {
		"\n",
		"disk\n",
		"8\n",
		"8 0\n",
		"8 0 sda\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 -11\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 eleven\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 18446744073709551616\n",
		"8 0 sda 1 2 36028797018963968 4 5 6 7 8 9 10 11\n", /* bytes beyond 2^64 */
		"7 x loop0 1 2 3 4 5 6 7 8 9 10 11\n8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n",
	};
	struct disk_counters c = { .reads = 7 };
	(void)state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error error = { 0 };
		assert_int_equal(diskstats_find(texts[i], 8, 0, &c, &error), -EBADMSG);
		assert_non_null(strstr(error.text, "line 1 "));
		assert_int_equal(c.reads, 7);
	}
}

/* A disk after some use. */
static struct disk_counters disk(void)
{
	return (struct disk_counters){
		.reads = 1000000,
		.read_bytes = 50000000000,
		.reading_msec = 4000000,
		.writes = 2000000,
		.write_bytes = 900000000000,
		.writing_msec = 8000000,
		.in_flight = 3,
		.io_time_msec = 7000000,
		.weighted_msec = 12000000,
		.discards = 5,
		.flushes = 6,
	};
}

static void what_happened_is_the_difference(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters later = disk();
	struct disk_counters d;
	(void)state;

	later.reads += 10;
	later.read_bytes += 40960;
	later.reading_msec += 25;
	later.writes += 20;
	later.write_bytes += 10485760;
	later.writing_msec += 300;
	later.in_flight = 1;
	later.io_time_msec += 200;
	later.weighted_msec += 325;
	later.discards += 1;
	later.flushes += 2;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), 0);
	assert_int_equal(d.reads, 10);
	assert_int_equal(d.read_bytes, 40960);
	assert_int_equal(d.reading_msec, 25);
	assert_int_equal(d.writes, 20);
	assert_int_equal(d.write_bytes, 10485760);
	assert_int_equal(d.writing_msec, 300);
	assert_int_equal(d.in_flight, 1);
	assert_int_equal(d.io_time_msec, 200);
	assert_int_equal(d.weighted_msec, 325);
	assert_int_equal(d.discards, 1);
	assert_int_equal(d.flushes, 2);
}

static void times_wrap_at_32_bits(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters later = disk();
	struct disk_counters d;
	(void)state;

	earlier.io_time_msec = UINT32_MAX - 99;
	later.io_time_msec = 400;
	earlier.weighted_msec = UINT32_MAX;
	later.weighted_msec = 0;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), 0);
	assert_int_equal(d.io_time_msec, 500);
	assert_int_equal(d.weighted_msec, 1);
}

static void one_counter_of_a_32_bit_kernel_may_wrap(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters later = disk();
	struct disk_counters d;
	(void)state;

	earlier.write_bytes = (UINT64_C(1) << 41) - 512 * 100;
	later.write_bytes = 512 * 50;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), 0);
	assert_int_equal(d.write_bytes, 512 * 150);

	/* Two disks added up have twice the range. */
	earlier.write_bytes += UINT64_C(1) << 41;
	later.write_bytes += UINT64_C(1) << 41;
	assert_int_equal(diskstats_difference(&earlier, &later, 2, INTERVAL, &d), 0);
	assert_int_equal(d.write_bytes, 512 * 150);
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
}

static void a_device_that_was_replaced_gives_no_numbers(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters fresh = { .reads = 40, .read_bytes = 1000000, .io_time_msec = 20 };
	struct disk_counters d = { .reads = 7 };
	(void)state;

	assert_int_equal(diskstats_difference(&earlier, &fresh, 1, INTERVAL, &d), -ERANGE);
	/* A 64-bit counter that went back did not wrap. */
	struct disk_counters later = disk();
	earlier.write_bytes = UINT64_C(1) << 44;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	/* Nor did a counter with a small value. */
	earlier = disk();
	later.reads = 3;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	/* Nor did one that was far from the end of its range. */
	earlier = disk();
	later = disk();
	earlier.reads = 3500000000;
	later.reads = 3;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	/* Two that went back at once, each as if wrapped. */
	later = disk();
	earlier.reads = UINT32_MAX;
	earlier.writes = UINT32_MAX;
	later.reads = 1;
	later.writes = 1;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	assert_int_equal(d.reads, 7);
}

static void more_than_a_hundred_percent_busy_is_refused(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters later = disk();
	struct disk_counters d;
	(void)state;

	later.io_time_msec += 10090; /* jiffies */
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), 0);
	assert_int_equal(d.io_time_msec, 10000);
	later.io_time_msec = earlier.io_time_msec + UINT64_C(71582800) / 100 * 10;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	/* Two disks have twice the time. */
	later.io_time_msec = earlier.io_time_msec + 20000;
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	assert_int_equal(diskstats_difference(&earlier, &later, 2, INTERVAL, &d), 0);
	assert_int_equal(d.io_time_msec, 20000);
}

static void more_than_any_device_moves_is_refused(void **state)
{
	struct disk_counters earlier = disk();
	struct disk_counters later = disk();
	struct disk_counters d;
	(void)state;

	later.read_bytes += UINT64_C(4000000000000);
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), 0);
	later.read_bytes += UINT64_C(1000000000000);
	assert_int_equal(diskstats_difference(&earlier, &later, 1, INTERVAL, &d), -ERANGE);
	assert_int_equal(diskstats_difference(&earlier, &earlier, 1, 0, &d), -ERANGE);
	assert_int_equal(diskstats_difference(&earlier, &earlier, 0, INTERVAL, &d), -ERANGE);
}

static void devices_are_summed_up(void **state)
{
	struct disk_counters sum = disk();
	struct disk_counters one = disk();
	(void)state;

	diskstats_add(&sum, &one);
	assert_int_equal(sum.reads, 2000000);
	assert_int_equal(sum.write_bytes, UINT64_C(1800000000000));
	assert_int_equal(sum.in_flight, 6);
	assert_int_equal(sum.flushes, 12);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_known_number_of_fields_is_read),
		cmocka_unit_test(fields_after_the_twentieth_are_ignored),
		cmocka_unit_test(requests_counted_below_zero_are_none),
		cmocka_unit_test(a_device_that_is_not_there_is_not_found),
		cmocka_unit_test(malformed_lines_are_refused_in_words),
		cmocka_unit_test(what_happened_is_the_difference),
		cmocka_unit_test(times_wrap_at_32_bits),
		cmocka_unit_test(one_counter_of_a_32_bit_kernel_may_wrap),
		cmocka_unit_test(a_device_that_was_replaced_gives_no_numbers),
		cmocka_unit_test(more_than_a_hundred_percent_busy_is_refused),
		cmocka_unit_test(more_than_any_device_moves_is_refused),
		cmocka_unit_test(devices_are_summed_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
