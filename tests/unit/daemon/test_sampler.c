/* SPDX-License-Identifier: Apache-2.0 */
/* What others did on a disk, from readings and runs that the test makes up: of repositories on one
 * disk and on two, and of workers that did not tell what they did. */
#include "test.h"

#include "base/clock.h"
#include "base/error.h"
#include "core/present.h"
#include "daemon/sampler.h"
#include "supervise/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define SECTORS_OF_MIB 2048
#define RUN_MIB 100 /* what each run writes itself */

static char probe_name[] = "active-full";
static char names[][4] = { "one", "two", "far" };

static struct config_probe probe[] = { { .name = probe_name, .interval_usec = 1000000 } };
static struct config_repository repositories[] = {
	{ .name = names[0], .path = names[0], .probe_count = 1, .probes = probe },
	{ .name = names[1], .path = names[1], .probe_count = 1, .probes = probe },
	{ .name = names[2], .path = names[2], .probe_count = 1, .probes = probe },
};
static const struct config config = { .repository_count = 3, .repositories = repositories };

/* "one" and "two" are on 8:0, "far" is on 8:16. */
struct bench {
	struct present *present;
	struct present_repository *one;
	struct present_repository *two;
	struct present_repository *far;
	uint64_t written_mib; /* on 8:0, since ever */
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	b->present = present_new(&config, NULL, 0, 0);
	if (!b->present)
		return -1;
	b->one = &b->present->repositories[0];
	b->two = &b->present->repositories[1];
	b->far = &b->present->repositories[2];
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	present_free(b->present);
	free(b);
	return 0;
}

/* The kernel's text at a moment, each MiB in two requests. */
static void read_at(const struct bench *b, uint64_t sec, struct reading *ret)
{
	*ret = (struct reading){
		.monotonic_nsec = sec * NSEC_PER_SEC,
		.diskstats = BUF_INIT(1024),
	};
	buf_printf(&ret->diskstats,
		"8 0 sda 0 0 0 0 %llu 0 %llu 0 0 0 0\n8 16 sdb 0 0 0 0 0 0 0 0 0 0 0\n",
		(unsigned long long)b->written_mib * 2,
		(unsigned long long)b->written_mib * SECTORS_OF_MIB);
}

static void tick(struct bench *b, uint64_t sec)
{
	struct reading reading;

	read_at(b, sec, &reading);
	assert_int_equal(sampler_add(b->present, &reading, NULL), 0);
	reading_done(&reading);
}

static struct run *run_on(
	const struct bench *b, const struct present_repository *of, uint64_t seconds)
{
	struct run *run = run_new(of->config->name, probe_name);

	assert_non_null(run);
	memcpy(run->identity.fs_type, "ext4", 5);
	run->identity.has_device = true;
	run->identity.device = (struct device_info){
		.major = 8,
		.minor = of == b->far ? 16 : 0,
		.name = "sda",
		.disk = "sda",
		.has_fua = true,
		.write_copies = 1,
		.has_all_leaves = true,
		.leaf_count = 1,
		.leaves = { { .major = 8, .name = "sda" } },
	};
	run->identity.device.leaves[0].minor = run->identity.device.minor;
	run->duration_nsec = seconds * NSEC_PER_SEC;
	run->has_own = true;
	run->own = (struct facts_own){ .bytes = RUN_MIB * MIB, .ios = RUN_MIB * 2 };
	return run;
}

/* Ends at a moment; what others wrote in between the test has added. begin: NULL, or when a reading
 * was taken for it, with what had been written then. Frees the run. */
static struct facts judge(struct bench *b, struct present_repository *of, struct run *run,
	uint64_t end_sec, const struct reading *begin)
{
	struct reading end;
	struct sampler_readings readings = { .begin = begin, .end = &end };

	if (of != b->far)
		b->written_mib += RUN_MIB;
	read_at(b, end_sec, &end);
	assert_int_equal(sampler_judge(b->present, of, &readings, run, NULL), 0);
	reading_done(&end);
	struct facts facts = run->facts;
	free(run);
	return facts;
}

/* The first runs, with which the disks become known. */
static void meet_all(struct bench *b)
{
	struct present_repository *const all[] = { b->one, b->two, b->far };

	for (size_t i = 0; i < 3; i++) {
		struct facts f = judge(b, all[i], run_on(b, all[i], 1), 10 + i, NULL);
		assert_false(f.has_counters);
		assert_true(all[i]->place.has_identity);
	}
	for (uint64_t sec = 20; sec <= 100; sec += 10)
		tick(b, sec);
}

static void others_are_what_is_not_ours(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	b->written_mib += 400; /* 8 a second from 60 to 110 */
	struct facts f = judge(b, b->one, run_on(b, b->one, 10), 110, NULL);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 8 * MIB);
	assert_int_equal(f.others_ios_per_sec, 16);
	assert_int_equal(b->one->place.facts.others_ios_per_sec, 16);
}

static void a_quiet_disk_is_quiet(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	struct facts f = judge(b, b->one, run_on(b, b->one, 10), 110, NULL);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	assert_int_equal(f.others_ios_per_sec, 0);
}

static void probing_of_another_repository_on_the_disk_is_ours(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	(void)judge(b, b->two, run_on(b, b->two, 5), 98, NULL);
	struct facts f = judge(b, b->one, run_on(b, b->one, 10), 110, NULL);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	/* It is nothing that was done on another disk, though. */
	assert_int_equal(b->far->place.ring->span_count, 1);
}

static void while_another_one_probes_the_disk_nobody_knows(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	b->far->probes[0].is_running = true;
	struct facts f = judge(b, b->one, run_on(b, b->one, 10), 110, NULL);
	assert_true(f.has_counters);
	b->two->probes[0].is_running = true;
	tick(b, 120);
	f = judge(b, b->one, run_on(b, b->one, 10), 130, NULL);
	assert_false(f.has_counters);
	b->two->probes[0].is_running = false;
	/* It began before and ends after: all of both is known then. */
	f = judge(b, b->two, run_on(b, b->two, 15), 140, NULL);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
}

static void one_that_nothing_is_known_of_may_be_on_any_disk(void **state)
{
	struct bench *b = *state;
	struct reading begin;

	read_at(b, 1, &begin);
	(void)judge(b, b->one, run_on(b, b->one, 1), 10, NULL);
	tick(b, 20);
	b->two->probes[0].is_running = true;
	struct facts f = judge(b, b->one, run_on(b, b->one, 5), 28, NULL);
	assert_false(f.has_counters);
	b->two->probes[0].is_running = false;
	/* It turns out to be on this one: what was done there counts as ours from the start. */
	f = judge(b, b->two, run_on(b, b->two, 25), 30, &begin);
	reading_done(&begin);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
	assert_int_equal(f.interval_nsec, 29 * NSEC_PER_SEC);
}

static void a_worker_that_did_not_tell_leaves_others_unknown(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	struct run *killed = run_new("one", probe_name);
	assert_non_null(killed);
	run_fail(killed, RUN_TIMEOUT, 0, "silent");
	killed->duration_nsec = 5 * NSEC_PER_SEC;
	assert_false(judge(b, b->one, killed, 105, NULL).has_counters);
	assert_false(judge(b, b->two, run_on(b, b->two, 5), 110, NULL).has_counters);
	assert_true(judge(b, b->far, run_on(b, b->far, 5), 110, NULL).has_counters);
	for (uint64_t sec = 120; sec <= 160; sec += 10)
		tick(b, sec);
	assert_true(judge(b, b->two, run_on(b, b->two, 5), 165, NULL).has_counters);
	/* It told, and then did not end. */
	struct run *stuck = run_on(b, b->one, 5);
	stuck->status = RUN_STUCK;
	assert_false(judge(b, b->one, stuck, 170, NULL).has_counters);
}

static void a_stuck_worker_that_comes_loose_is_a_riddle_once(void **state)
{
	struct bench *b = *state;

	meet_all(b);
	sampler_add_unknown(b->present, b->one, 95 * NSEC_PER_SEC);
	assert_false(judge(b, b->two, run_on(b, b->two, 5), 110, NULL).has_counters);
	for (uint64_t sec = 120; sec <= 160; sec += 10)
		tick(b, sec);
	assert_true(judge(b, b->two, run_on(b, b->two, 5), 165, NULL).has_counters);
}

static void a_run_of_a_repository_that_is_gone_is_ours_still(void **state)
{
	struct bench *b = *state;
	struct reading end;
	struct sampler_readings readings = { .end = &end };

	meet_all(b);
	struct run *run = run_on(b, b->two, 5);
	b->written_mib += RUN_MIB;
	read_at(b, 98, &end);
	assert_int_equal(sampler_judge(b->present, NULL, &readings, run, NULL), 0);
	reading_done(&end);
	free(run);
	struct facts f = judge(b, b->one, run_on(b, b->one, 5), 110, NULL);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, 0);
}

/* Two mounts of one export, of which the client counts 2 MiB a second between 10 and 50 s. */
static void nfs_read_at(uint64_t sec, struct reading *ret)
{
	unsigned long long mib = (sec - 10) * 2;

	*ret = (struct reading){
		.monotonic_nsec = sec * NSEC_PER_SEC,
		.mountstats = BUF_INIT(4096),
	};
	for (int i = 1; i <= 2; i++)
		buf_printf(&ret->mountstats,
			"device nas:/x mounted on /%d with fstype nfs4 statvers=1.1\n"
			"\topts:\trw,rsize=1048576,wsize=1048576\n\tage:\t%llu\n"
			"\tbytes:\t0 0 0 0 0 %llu 0 0\n\tper-op statistics\n"
			"\tREAD: 0 0 0 0 0 0 0 0 0\n\tWRITE: %llu %llu 0 0 0 0 0 0 0\n",
			i, 1000ULL + sec, mib << 20, mib, mib);
}

static void nfs_run(struct bench *b, struct present_repository *of, uint64_t sec,
	uint64_t own_bytes, struct facts *ret)
{
	struct reading end;
	struct sampler_readings readings = { .end = &end };
	struct run *run = run_on(b, of, 1);

	run->identity = (struct identity){ .fs_type = "nfs4", .source = "nas:/x" };
	memcpy(run->identity.mount_point, of == b->one ? "/1" : "/2", 3);
	run->own = (struct facts_own){ .bytes = own_bytes, .ios = own_bytes / MIB };
	nfs_read_at(sec, &end);
	assert_int_equal(sampler_judge(b->present, of, &readings, run, NULL), 0);
	reading_done(&end);
	*ret = run->facts;
	free(run);
}

static void on_nfs_the_mount_is_the_disk(void **state)
{
	struct bench *b = *state;
	struct reading reading;
	struct facts f;

	nfs_run(b, b->one, 10, 0, &f);
	assert_false(f.has_counters);
	nfs_read_at(20, &reading);
	assert_int_equal(sampler_add(b->present, &reading, NULL), 0);
	reading_done(&reading);
	nfs_run(b, b->two, 30, 40 * MIB, &f); /* the first on this mount */
	assert_false(f.has_counters);
	nfs_run(b, b->one, 50, 20 * MIB, &f);
	assert_true(f.has_counters);
	/* 80 MiB in 40 s, less the 60 of both. */
	assert_int_equal(f.others_bytes_per_sec, MIB / 2);
	assert_int_equal(f.others_ios_per_sec, 1); /* rounded */
}

static void a_text_that_is_not_the_kernels_is_an_error_and_no_counter(void **state)
{
	struct bench *b = *state;
	struct reading reading = { .monotonic_nsec = 200 * NSEC_PER_SEC,
		.diskstats = BUF_INIT(16) };
	struct error error = { "" };

	buf_add_text(&reading.diskstats, "rubbish\n");
	assert_int_equal(sampler_add(b->present, &reading, &error), 0); /* nobody is known */
	meet_all(b);
	assert_int_equal(sampler_add(b->present, &reading, &error), -EBADMSG);
	assert_true(error.text[0] != '\0');
	reading_done(&reading);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_are_what_is_not_ours),
		TEST(a_quiet_disk_is_quiet),
		TEST(probing_of_another_repository_on_the_disk_is_ours),
		TEST(while_another_one_probes_the_disk_nobody_knows),
		TEST(one_that_nothing_is_known_of_may_be_on_any_disk),
		TEST(a_worker_that_did_not_tell_leaves_others_unknown),
		TEST(a_stuck_worker_that_comes_loose_is_a_riddle_once),
		TEST(a_run_of_a_repository_that_is_gone_is_ours_still),
		TEST(on_nfs_the_mount_is_the_disk),
		TEST(a_text_that_is_not_the_kernels_is_an_error_and_no_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
