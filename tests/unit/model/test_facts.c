/* SPDX-License-Identifier: Apache-2.0 */
/* facts: I/O of others on plain disks, partitions, mirrors, stripes and NFS. */
#include "model/facts.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

#define SECOND UINT64_C(1000000000)
#define MIB UINT64_C(1048576)

static const struct device_info plain = {
	.major = 254,
	.name = "vda",
	.disk = "vda",
	.request_max_bytes = 4194304,
	.write_copies = 1,
	.has_all_leaves = true,
	.leaf_count = 1,
	.leaves = { { .major = 254, .name = "vda" } },
};
static const struct device_info partition = {
	.major = 8,
	.minor = 1,
	.name = "sda1",
	.disk = "sda",
	.request_max_bytes = 131072,
	.write_copies = 1,
	.has_all_leaves = true,
	.leaf_count = 1,
	.leaves = { { .major = 8, .name = "sda" } },
};
static const struct device_info mirror = {
	.major = 9,
	.name = "md0",
	.disk = "md0",
	.request_max_bytes = 524288,
	.write_copies = 2,
	.has_all_leaves = true,
	.leaf_count = 2,
	.leaves = { { .major = 8, .name = "sda" }, { .major = 8, .minor = 16, .name = "sdb" } },
};

static struct disk_counters work(
	uint64_t reads, uint64_t read_bytes, uint64_t writes, uint64_t write_bytes)
{
	return (struct disk_counters){
		.reads = 1000 + reads,
		.read_bytes = 1000000 + read_bytes,
		.writes = 1000 + writes,
		.write_bytes = 1000000 + write_bytes,
	};
}

/* Ten seconds in which the disk and its leaves did this. */
static struct facts between(const struct device_info *device, struct disk_counters disk,
	struct disk_counters leaves, struct facts_own own)
{
	struct facts_sample earlier = { .monotonic_nsec = 5 * SECOND, .has_disk = true };
	struct facts_sample later = { .monotonic_nsec = 15 * SECOND, .has_disk = true };

	earlier.disk = work(0, 0, 0, 0);
	earlier.leaves = work(0, 0, 0, 0);
	later.disk = disk;
	later.leaves = leaves;
	return facts_between(device, &earlier, &later, &own);
}

static void our_own_work_is_no_work_of_others(void **state)
{
	struct disk_counters disk = work(0, 0, 128, 64 * MIB);
	struct facts f =
		between(&plain, disk, disk, (struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	assert_int_equal(f.others_ios_per_sec, 0);
	assert_int_equal(f.interval_nsec, 10 * SECOND);
}

static void what_is_left_is_work_of_others(void **state)
{
	struct disk_counters disk = work(500, 2048000, 128 + 300, 64 * MIB + 2952000);
	struct facts f =
		between(&plain, disk, disk, (struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 500000);
	assert_int_equal(f.others_ios_per_sec, 80);
}

static void counters_that_lag_behind_us_leave_nothing(void **state)
{
	struct disk_counters disk = work(0, 0, 100, 60 * MIB);
	struct facts f =
		between(&plain, disk, disk, (struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	assert_int_equal(f.others_ios_per_sec, 0);
}

static void our_requests_that_were_cut_are_still_ours(void **state)
{
	/* 512K in parts of 128K, and 4096 bytes of another process's journal. */
	struct disk_counters disk = work(0, 0, 128 * 4 + 1, 64 * MIB + 4096);
	struct facts f = between(
		&partition, disk, disk, (struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_int_equal(f.others_bytes_per_sec, 410);
	assert_int_equal(f.others_ios_per_sec, 0);
	/* Split in an unknown way: without bytes there are no requests of others. */
	struct device_info unknown = plain;
	unknown.request_max_bytes = 0;
	disk = work(0, 0, 128 * 4, 64 * MIB);
	f = between(&unknown, disk, disk, (struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	assert_int_equal(f.others_ios_per_sec, 0);
}

static void our_writes_that_are_counted_twice_are_still_ours(void **state)
{
	struct device_info flushed = plain;
	struct facts_own own = { .bytes = 64 * MIB, .ios = 128, .synced_writes = 100 };
	struct disk_counters disk = work(0, 0, 128 + 100 + 1000, 64 * MIB + 4096000);
	(void)state;

	memcpy(flushed.write_cache, "write back", 11);
	struct facts f = between(&flushed, disk, disk, own);
	assert_int_equal(f.others_bytes_per_sec, 409600);
	assert_int_equal(f.others_ios_per_sec, 100);
	flushed.has_fua = true;
	f = between(&flushed, disk, disk, own);
	assert_int_equal(f.others_ios_per_sec, 110);
}

static void work_on_other_partitions_of_the_disk_counts(void **state)
{
	struct facts f = between(&partition, work(0, 0, 512, 64 * MIB),
		work(1000, 4096000, 512 + 2000, 64 * MIB + 16384000),
		(struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 2048000);
	assert_int_equal(f.others_ios_per_sec, 300);
}

static void the_copies_of_a_mirror_are_no_work_of_others(void **state)
{
	struct facts f =
		between(&mirror, work(10, 40960, 128, 64 * MIB), work(10, 40960, 256, 128 * MIB),
			(struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_int_equal(f.others_bytes_per_sec, 4096);
	assert_int_equal(f.others_ios_per_sec, 1);
	/* A resync reads one disk and writes the other. */
	f = between(&mirror, work(0, 0, 128, 64 * MIB), work(100, 100 * MIB, 356, 228 * MIB),
		(struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	assert_int_equal(f.others_bytes_per_sec, 20 * MIB);
	assert_int_equal(f.others_ios_per_sec, 20);
}

static void the_parts_of_a_stripe_are_no_work_of_others(void **state)
{
	struct device_info stripe = mirror;
	stripe.write_copies = 1;
	/* Chunks of 64K below, visible only in the counters of the leaves. */
	struct facts f = between(&stripe, work(0, 0, 128, 64 * MIB), work(0, 0, 1024, 64 * MIB),
		(struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	assert_int_equal(f.others_ios_per_sec, 0);
}

static void requests_cut_below_a_volume_are_no_work_of_others(void **state)
{
	struct device_info volume = partition;
	memcpy(volume.disk, "dm-0", 5);
	/* The volume counts 512K, its disk 128K; another volume does 100 I/Os of 4K. */
	struct facts f = between(&volume, work(0, 0, 128, 64 * MIB),
		work(0, 0, 512 + 100, 64 * MIB + 409600),
		(struct facts_own){ .bytes = 64 * MIB, .ios = 128 });
	(void)state;

	assert_int_equal(f.others_bytes_per_sec, 40960);
	assert_int_equal(f.others_ios_per_sec, 10);
}

static void parity_and_unseen_leaves_leave_the_device_itself(void **state)
{
	struct device_info array = mirror;
	struct disk_counters disk = work(0, 0, 128, 74 * MIB);
	struct disk_counters leaves = work(900, 90 * MIB, 900, 300 * MIB);
	(void)state;

	array.write_copies = 0;
	struct facts f =
		between(&array, disk, leaves, (struct facts_own){ .bytes = 64 * MIB, .ios = 100 });
	assert_int_equal(f.others_bytes_per_sec, MIB);
	assert_int_equal(f.others_ios_per_sec, 3);
	array.write_copies = 1;
	array.has_all_leaves = false;
	f = between(&array, disk, leaves, (struct facts_own){ .bytes = 64 * MIB, .ios = 100 });
	assert_int_equal(f.others_bytes_per_sec, MIB);
}

static void evidence_includes_our_own_work(void **state)
{
	struct disk_counters disk = work(100, MIB, 100, MIB);
	(void)state;

	disk.reading_msec = 400;
	disk.writing_msec = 600;
	disk.io_time_msec = 2500;
	struct facts f =
		between(&plain, disk, disk, (struct facts_own){ .bytes = 2 * MIB, .ios = 200 });
	assert_int_equal(f.busy_basis_points, 2500);
	assert_int_equal(f.request_nsec, 5000000);
	assert_int_equal(f.client_nsec, 0);
	assert_int_equal(f.retransmissions, 0);
}

static void doubt_gives_no_counters(void **state)
{
	struct facts_sample earlier = { .monotonic_nsec = 5 * SECOND, .has_disk = true };
	struct facts_sample later = { .monotonic_nsec = 15 * SECOND, .has_disk = true };
	struct facts_own own = { 0 };
	(void)state;

	earlier.disk = earlier.leaves = later.disk = later.leaves = work(0, 0, 0, 0);
	assert_true(facts_between(&plain, &earlier, &later, &own).has_counters);

	assert_false(facts_between(&plain, &earlier, &later, NULL).has_counters);
	assert_false(facts_between(NULL, &earlier, &later, &own).has_counters);
	assert_false(facts_between(&plain, &earlier, &earlier, &own).has_counters);
	assert_false(facts_between(&plain, &later, &earlier, &own).has_counters);

	struct device_info without_leaves = plain;
	without_leaves.leaf_count = 0;
	assert_false(facts_between(&without_leaves, &earlier, &later, &own).has_counters);

	struct facts_sample broken = later;
	broken.has_disk = false;
	assert_false(facts_between(&plain, &earlier, &broken, &own).has_counters);
	broken = later;
	broken.monotonic_nsec = earlier.monotonic_nsec + SECOND - 1;
	assert_false(facts_between(&plain, &earlier, &broken, &own).has_counters);
	broken = later;
	broken.disk = (struct disk_counters){ .reads = 3 }; /* replaced */
	assert_false(facts_between(&plain, &earlier, &broken, &own).has_counters);
	broken = later;
	broken.leaves = (struct disk_counters){ .reads = 3 };
	assert_false(facts_between(&plain, &earlier, &broken, &own).has_counters);
}

static struct facts_sample nfs_sample(uint64_t seconds, uint64_t bytes, uint64_t operations)
{
	return (struct facts_sample){
		.monotonic_nsec = seconds * SECOND,
		.has_nfs = true,
		.nfs = {
			.age_sec = 1000 + seconds,
			.server_read_bytes = bytes / 4,
			.server_write_bytes = bytes / 4 * 3,
			.read_max_bytes = 262144,
			.write_max_bytes = 131072,
			.read = { .operations = operations / 2, .transmissions = operations / 2 },
			.write = { .operations = operations / 2, .transmissions = operations / 2 },
		},
	};
}

static void nfs_is_counted_at_the_mount(void **state)
{
	struct facts_sample earlier = nfs_sample(10, 4 * MIB, 100);
	struct facts_sample later = nfs_sample(20, 68 * MIB + 40960000, 100 + 512 + 1000);
	struct facts_own own = { .bytes = 64 * MIB, .ios = 128 };
	(void)state;

	later.nfs.read.transmissions += 3;
	later.nfs.read.round_trip_msec = 1000;
	later.nfs.write.round_trip_msec = 2024;
	later.nfs.read.execute_msec = 1500;
	later.nfs.write.execute_msec = 3036;
	struct facts f = facts_between(NULL, &earlier, &later, &own);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 4096000);
	assert_int_equal(f.others_ios_per_sec, 100); /* ours were split into four */
	assert_int_equal(f.request_nsec, 2000000);
	assert_int_equal(f.client_nsec, 1000000);
	assert_int_equal(f.retransmissions, 3);
	assert_int_equal(f.busy_basis_points, 0);

	later.nfs.age_sec = 3; /* remounted */
	assert_false(facts_between(NULL, &earlier, &later, &own).has_counters);
}

static void pressure_is_the_share_of_the_interval(void **state)
{
	struct facts_sample earlier = { .monotonic_nsec = SECOND, .has_pressure = true };
	struct facts_sample later = { .monotonic_nsec = 11 * SECOND, .has_pressure = true };
	(void)state;

	earlier.pressure.some.total_usec = 1000000;
	earlier.pressure.full.total_usec = 500000;
	later.pressure.some.total_usec = 5107000;
	later.pressure.full.total_usec = 1500000;
	struct facts f = facts_between(NULL, &earlier, &later, NULL);
	assert_false(f.has_counters);
	assert_true(f.has_pressure);
	assert_int_equal(f.pressure_some_basis_points, 4107);
	assert_int_equal(f.pressure_full_basis_points, 1000);

	later.pressure.some.total_usec = 11500000; /* more than all */
	f = facts_between(NULL, &earlier, &later, NULL);
	assert_true(f.has_pressure);
	assert_int_equal(f.pressure_some_basis_points, 10000);

	later.pressure.some.total_usec = 999999;
	assert_false(facts_between(NULL, &earlier, &later, NULL).has_pressure);
	later.pressure.some.total_usec = UINT64_MAX;
	assert_false(facts_between(NULL, &earlier, &later, NULL).has_pressure);
	later = (struct facts_sample){ .monotonic_nsec = 11 * SECOND };
	assert_false(facts_between(NULL, &earlier, &later, NULL).has_pressure);
}

static void a_sample_sums_the_leaves_up(void **state)
{
	static const char text[] = "   8       0 sda 10 0 20 1 30 0 40 2 0 3 4\n"
				   "   8      16 sdb 100 0 200 1 300 0 400 2 1 3 4\n"
				   "   9       0 md0 7 0 8 0 9 0 10 0 0 0 0\n";
	struct facts_sample sample = { 0 };
	struct error error = { 0 };
	(void)state;

	assert_int_equal(facts_sample_disk(&sample, text, &mirror, &error), 0);
	assert_true(sample.has_disk);
	assert_int_equal(sample.disk.reads, 7);
	assert_int_equal(sample.disk.write_bytes, 5120);
	assert_int_equal(sample.leaves.reads, 110);
	assert_int_equal(sample.leaves.write_bytes, 440 * 512);
	assert_int_equal(sample.leaves.in_flight, 1);

	/* A leaf is gone. */
	struct facts_sample other = { 0 };
	struct device_info missing = mirror;
	missing.leaves[1].minor = 32;
	assert_int_equal(facts_sample_disk(&other, text, &missing, &error), -ENOENT);
	assert_non_null(strstr(error.text, "8:32"));
	assert_false(other.has_disk);
	assert_int_equal(facts_sample_disk(&other, text, &plain, &error), -ENOENT);
	assert_int_equal(facts_sample_disk(&other, "9 0 md0\n", &mirror, &error), -EBADMSG);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_work_is_no_work_of_others),
		cmocka_unit_test(what_is_left_is_work_of_others),
		cmocka_unit_test(counters_that_lag_behind_us_leave_nothing),
		cmocka_unit_test(our_requests_that_were_cut_are_still_ours),
		cmocka_unit_test(our_writes_that_are_counted_twice_are_still_ours),
		cmocka_unit_test(work_on_other_partitions_of_the_disk_counts),
		cmocka_unit_test(the_copies_of_a_mirror_are_no_work_of_others),
		cmocka_unit_test(the_parts_of_a_stripe_are_no_work_of_others),
		cmocka_unit_test(requests_cut_below_a_volume_are_no_work_of_others),
		cmocka_unit_test(parity_and_unseen_leaves_leave_the_device_itself),
		cmocka_unit_test(evidence_includes_our_own_work),
		cmocka_unit_test(doubt_gives_no_counters),
		cmocka_unit_test(nfs_is_counted_at_the_mount),
		cmocka_unit_test(pressure_is_the_share_of_the_interval),
		cmocka_unit_test(a_sample_sums_the_leaves_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
