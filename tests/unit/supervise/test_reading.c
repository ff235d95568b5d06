/* SPDX-License-Identifier: Apache-2.0 */
/* Counters from a copy of /proc: what is there, what is missing, what nobody understands. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "model/identity.h"
#include "supervise/reading.h"

#define NOW UINT64_C(77)

static const char disks[] = "   8       0 sda 10 0 80 5 20 0 160 7 0 9 12 0 0 0 0 0 0\n"
			    "   8       1 sda1 9 0 72 5 18 0 144 7 0 9 12 0 0 0 0 0 0\n";
static const char stall[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=500\n"
			    "full avg10=0.00 avg60=0.00 avg300=0.00 total=400\n";

static const struct identity on_disk = {
	.fs_type = "ext4",
	.has_device = true,
	.device = {
		.major = 8,
		.minor = 1,
		.name = "sda1",
		.leaf_count = 1,
		.leaves = { { .major = 8, .minor = 0, .name = "sda" } },
	},
};
static const struct identity on_nfs = { .fs_type = "nfs4", .mount_point = "/mnt" };

struct proc {
	char path[64];
};

static void write_file(const struct proc *p, const char *name, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", p->path, name);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const struct proc *p, const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", p->path, name);
	(void)remove(path);
}

static int set_up(void **state)
{
	struct proc *p = calloc(1, sizeof(*p));
	char path[128];

	if (!p)
		return -1;
	(void)snprintf(p->path, sizeof(p->path), "/tmp/repoprobe-proc-XXXXXX");
	if (!mkdtemp(p->path))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/pressure", p->path);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/self", p->path);
	(void)mkdir(path, 0700);
	write_file(p, "diskstats", disks);
	write_file(p, "pressure/io", stall);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "diskstats", "pressure/io", "self/mountstats",
		"pressure", "self", "" };
	struct proc *p = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove_file(p, names[i]);
	int r = access(p->path, F_OK) == 0 ? -1 : 0;
	free(p);
	return r;
}

static int sample(const struct proc *p, const struct identity *identity, struct facts_sample *ret,
	struct error *error)
{
	struct reading reading = { 0 };

	reading_take(&reading, p->path, true, NOW);
	int r = reading_sample(&reading, identity, ret, error);
	assert_int_equal(error->text[0] != '\0', r < 0);
	reading_done(&reading);
	assert_int_equal(reading.monotonic_nsec, 0);
	return r;
}

static void a_disk_has_counters_and_pressure(void **state)
{
	struct facts_sample s;
	struct error error = { "" };

	assert_int_equal(sample(*state, &on_disk, &s, &error), 0);
	assert_int_equal(s.monotonic_nsec, NOW);
	assert_true(s.has_disk);
	assert_int_equal(s.disk.writes, 18);
	assert_int_equal(s.leaves.writes, 20);
	assert_false(s.has_nfs);
	assert_true(s.has_pressure);
	assert_int_equal(s.pressure.some.total_usec, 500);
}

static void what_is_not_there_is_no_mistake(void **state)
{
	static const struct identity gone = {
		.fs_type = "ext4", .has_device = true, .device = { .major = 9, .name = "md0" }
	};
	struct facts_sample s;
	struct error error = { "" };

	assert_int_equal(sample(*state, &gone, &s, &error), 0);
	assert_false(s.has_disk);
	assert_true(s.has_pressure);
	assert_int_equal(sample(*state, &on_nfs, &s, &error), 0);
	assert_false(s.has_nfs);
	remove_file(*state, "pressure/io");
	assert_int_equal(sample(*state, &on_disk, &s, &error), 0);
	assert_true(s.has_disk);
	assert_false(s.has_pressure);
	remove_file(*state, "diskstats");
	assert_int_equal(sample(*state, &on_disk, &s, &error), 0);
	assert_false(s.has_disk);
	assert_int_equal(s.monotonic_nsec, NOW);
}

static void a_text_that_is_not_the_kernels_is_told_and_the_rest_stays(void **state)
{
	struct facts_sample s;
	struct error error = { "" };

	write_file(*state, "diskstats", "garbage\n");
	assert_int_equal(sample(*state, &on_disk, &s, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "/proc/diskstats"));
	assert_false(s.has_disk);
	assert_true(s.has_pressure);
	write_file(*state, "diskstats", disks);
	write_file(*state, "pressure/io", "garbage");
	error.text[0] = '\0';
	assert_int_equal(sample(*state, &on_disk, &s, &error), -EBADMSG);
	assert_true(s.has_disk);
	assert_false(s.has_pressure);
}

static void a_mount_of_nfs_has_its_own_counters(void **state)
{
	struct facts_sample s;
	struct error error = { "" };

	write_file(*state, "self/mountstats",
		"device nas:/x mounted on /mnt with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,rsize=32768,wsize=32768\n\tage:\t274\n\tbytes:\t1 2 3 4 5 6 7 8\n"
		"\tper-op statistics\n\t        READ: 13 13 0 1768 39412 0 6 6 0\n"
		"\t       WRITE: 4 4 0 15900 544 1 9 10 0\n");
	assert_int_equal(sample(*state, &on_nfs, &s, &error), 0);
	assert_true(s.has_nfs);
	assert_int_equal(s.nfs.server_write_bytes, 6);
	assert_false(s.has_disk);
	assert_int_equal(sample(*state, &on_disk, &s, &error), 0);
	assert_false(s.has_nfs);
}

static void nfs_is_asked_for_only_when_somebody_needs_it(void **state)
{
	const struct proc *p = *state;
	struct reading reading = { 0 };

	write_file(p, "self/mountstats", "device nas:/x mounted on /mnt with fstype nfs4\n");
	reading_take(&reading, p->path, false, NOW);
	assert_int_equal(reading.mountstats.len, 0);
	reading_take(&reading, p->path, true, NOW); /* again: nothing is lost */
	assert_true(reading.mountstats.len > 0);
	reading_done(&reading);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_disk_has_counters_and_pressure),
		TEST(what_is_not_there_is_no_mistake),
		TEST(a_text_that_is_not_the_kernels_is_told_and_the_rest_stays),
		TEST(a_mount_of_nfs_has_its_own_counters),
		TEST(nfs_is_asked_for_only_when_somebody_needs_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
