/* SPDX-License-Identifier: Apache-2.0 */
/* When a repository is remembered, when it is forgotten, and what a worker is told to expect. */
#include "test.h"

#include "core/present.h"
#include "core/seen.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

static char probe_name[] = "heartbeat";
static char name[] = "vault1";
static char path[] = "/mnt/vault1";
static char other_path[] = "/mnt/vault2";
static char xfs[] = "xfs";
static char source[] = "UUID=2222-2222";
static struct config_probe probes[] = { { .name = probe_name, .interval_usec = 1000000 } };

struct bench {
	struct config_repository repository;
	struct config config;
	struct present *present;
	struct run *run;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->repository = (struct config_repository){
		.name = name,
		.path = path,
		.is_mount_auto = true,
		.probe_count = 1,
		.probes = probes,
	};
	b->config = (struct config){ .repository_count = 1, .repositories = &b->repository };
	b->present = present_new(&b->config, NULL, 0, 0);
	b->run = run_new(name, probe_name);
	assert_true(b->present && b->run);
	b->run->identity = (struct identity){
		.fs_type = "ext4",
		.source = "/dev/sdb1",
		.mount_point = "/mnt/vault1",
		.fs_uuid = "1111-1111",
		.is_mount = true,
	};
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	present_free(b->present);
	free(b->run);
	free(b);
	return 0;
}

static struct present_repository *repository_of(const struct bench *b)
{
	return &b->present->repositories[0];
}

static void the_first_run_that_measured_is_remembered(void **state)
{
	static const enum run_status failures[] = { RUN_ERROR, RUN_NO_SPACE, RUN_REFUSED,
		RUN_WRONG_TARGET, RUN_NOT_MOUNTED, RUN_SKIPPED };
	struct bench *b = *state;
	struct present_repository *repository = repository_of(b);

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		b->run->status = failures[i];
		assert_false(seen_note(repository, b->run));
		assert_false(repository->place.seen.is_set);
	}
	b->run->status = RUN_OK;
	assert_true(seen_note(repository, b->run));
	assert_true(repository->place.seen.is_set && repository->place.seen.is_mount);
	assert_string_equal(repository->place.seen.fs_uuid, "1111-1111");
	assert_false(seen_note(repository, b->run)); /* nothing new */
	memcpy(b->run->identity.fs_uuid, "2222-2222", 10);
	assert_false(seen_note(repository, b->run)); /* the first stays */
	assert_string_equal(repository->place.seen.fs_uuid, "1111-1111");
}

static void a_mount_is_required_as_configured_or_as_first_seen(void **state)
{
	static const struct {
		bool is_auto, is_yes, is_seen, was_mount, is_required;
	} cases[] = {
		{ true, false, false, false, false },
		{ true, false, true, true, true },
		{ true, false, true, false, false },
		{ false, true, false, false, true },
		{ false, true, true, false, true },
		{ false, false, true, true, false },
	};
	struct bench *b = *state;
	struct present_repository *repository = repository_of(b);
	struct job_expectation expected;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b->repository.is_mount_auto = cases[i].is_auto;
		b->repository.requires_mount = cases[i].is_yes;
		repository->place.seen = (struct identity_seen){ .is_set = cases[i].is_seen,
			.is_mount = cases[i].was_mount };
		seen_expect(repository, &expected);
		if (expected.requires_mount != cases[i].is_required)
			fail_msg("case %zu", i);
	}
	b->repository.expect_fstype = xfs;
	b->repository.expect_source = source;
	seen_expect(repository, &expected);
	assert_string_equal(expected.fs_type, "xfs");
	assert_string_equal(expected.source, "UUID=2222-2222");
}

static void it_is_forgotten_when_what_is_wanted_changes(void **state)
{
	struct bench *b = *state;
	struct config_repository reloads[5];

	for (size_t i = 0; i < 5; i++)
		reloads[i] = b->repository;
	reloads[1].path = other_path;
	reloads[2].is_mount_auto = false;
	reloads[3].expect_fstype = xfs;
	reloads[4].expect_source = source;
	for (size_t i = 0; i < 5; i++) {
		struct config config = { .repository_count = 1, .repositories = &reloads[i] };
		struct present *earlier = present_new(&b->config, NULL, 0, 0);
		bool is_same = i == 0;

		assert_non_null(earlier);
		assert_true(seen_note(&earlier->repositories[0], b->run));
		struct present *reloaded = present_new(&config, earlier, 0, 0);
		assert_non_null(reloaded);
		struct present_repository *repository = &reloaded->repositories[0];
		assert_int_equal(repository->place.seen.is_set, is_same);
		assert_int_equal(repository->place.is_seen_stored, is_same);
		assert_int_equal(seen_note(repository, b->run), !is_same); /* and remembered anew */
		present_free(earlier);
		present_free(reloaded);
	}
}

static void what_is_recorded_comes_back_for_the_same_configuration(void **state)
{
	struct bench *b = *state;
	struct present_repository *repository = repository_of(b);
	struct first_identity first;

	seen_note(repository, b->run);
	seen_to_store(repository, &first);
	assert_string_equal(first.repository, "vault1");
	repository->place.seen = (struct identity_seen){ 0 };
	repository->place.is_seen_stored = false;
	assert_int_equal(seen_restore(b->present, &first), 0);
	assert_string_equal(repository->place.seen.fs_uuid, "1111-1111");
	assert_false(seen_note(repository, b->run));

	repository->place.seen = (struct identity_seen){ 0 };
	first.wanted++;
	assert_int_equal(seen_restore(b->present, &first), 0);
	assert_false(repository->place.seen.is_set);
	memcpy(first.repository, "gone", 5);
	assert_int_equal(seen_restore(b->present, &first), 0);
}

static void old_runs_tell_what_no_earlier_version_recorded(void **state)
{
	struct bench *b = *state;
	struct present_repository *repository = repository_of(b);

	b->run->started_usec = 1;
	assert_int_equal(present_restore_run(b->present, b->run), 0);
	seen_restore_from_runs(b->present);
	assert_string_equal(repository->place.seen.fs_uuid, "1111-1111");
	assert_true(seen_note(repository, b->run)); /* to be recorded now */

	/* Of another path, for all that is known. */
	repository->place.seen = (struct identity_seen){ 0 };
	repository->place.is_seen_stored = false;
	memcpy(b->run->identity.mount_point, "/mnt/vault9", 12);
	assert_int_equal(present_restore_run(b->present, b->run), 0);
	seen_restore_from_runs(b->present);
	assert_false(repository->place.seen.is_set);
}

static void what_is_forgotten_stays_forgotten_over_a_restart(void **state)
{
	struct bench *b = *state;
	struct present_repository *repository = repository_of(b);
	struct first_identity forgotten;
	struct first_identity first;
	struct job_expectation expected;

	seen_note(repository, b->run);
	b->run->started_usec = 1;
	assert_int_equal(present_restore_run(b->present, b->run), 0);
	seen_forget(repository, &forgotten);
	seen_expect(repository, &expected);
	assert_false(expected.seen.is_set || expected.requires_mount);
	repository->place.is_seen_stored = false; /* a new daemon */
	assert_int_equal(seen_restore(b->present, &forgotten), 0);
	seen_restore_from_runs(b->present); /* the old run tells nothing */
	assert_false(repository->place.seen.is_set);

	memcpy(b->run->identity.fs_uuid, "2222-2222", 10);
	assert_true(seen_note(repository, b->run));
	seen_to_store(repository, &first);
	assert_string_equal(first.seen.fs_uuid, "2222-2222");
	assert_int_equal(first.wanted, seen_wanted(repository->config));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_first_run_that_measured_is_remembered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mount_is_required_as_configured_or_as_first_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			it_is_forgotten_when_what_is_wanted_changes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_recorded_comes_back_for_the_same_configuration, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			old_runs_tell_what_no_earlier_version_recorded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_forgotten_stays_forgotten_over_a_restart, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
