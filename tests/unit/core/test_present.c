/* SPDX-License-Identifier: Apache-2.0 */
/* The present: who is due, who must wait, and what survives a reload. */
#include "test.h"

#include "base/clock.h"
#include "core/plan.h"
#include "core/present.h"

#include <stdlib.h>
#include <string.h>

#define NOW_NSEC (UINT64_C(1000) * NSEC_PER_SEC)
#define NOW_USEC INT64_C(1796065200000000)
#define INTERVAL_USEC (300 * USEC_PER_SEC)

static char active_full[] = "active-full";
static char heartbeat[] = "heartbeat";
static char nas1_name[] = "nas1";
static char nas2_name[] = "nas2";
static char nas1_path[] = "/mnt/nas1";
static char nas2_path[] = "/mnt/nas2";

static struct config_probe fast[] = {
	{ .name = active_full, .interval_usec = INTERVAL_USEC },
	{ .name = heartbeat, .interval_usec = INTERVAL_USEC / 5 },
};
static struct config_probe slow[] = { { .name = active_full, .interval_usec = 2 * INTERVAL_USEC } };
static struct config_repository both[] = {
	{ .name = nas1_name,
		.path = nas1_path,
		.is_splay_auto = true,
		.probe_count = 2,
		.probes = fast },
	{ .name = nas2_name,
		.path = nas2_path,
		.is_splay_auto = true,
		.probe_count = 1,
		.probes = slow },
};
static const struct config two = { .repository_count = 2, .repositories = both };
static const struct config one = { .repository_count = 1, .repositories = both };

static struct present *present_of(const struct config *config)
{
	struct present *present = present_new(config, NULL, NOW_NSEC, NOW_USEC);

	assert_non_null(present);
	return present;
}

static struct run *run_of(const char *repository, const char *probe, enum run_status status)
{
	struct run *run = run_new(repository, probe);

	assert_non_null(run);
	run->status = status;
	run->started_usec = NOW_USEC;
	run->duration_nsec = 2 * NSEC_PER_SEC;
	run->operations[RUN_WRITE].ios = 1;
	run->operations[RUN_WRITE].bytes = 4096;
	histogram_add(&run->operations[RUN_WRITE].latency, 5 * NSEC_PER_MSEC);
	return run;
}

static void new_probes_are_due_at_once(void **state)
{
	struct present *present = present_of(&two);

	(void)state;
	assert_int_equal(plan_next_due_nsec(present, NOW_NSEC - 1), NOW_NSEC);
	present_free(present);
}

static void longest_waiting_probe_is_chosen_and_a_busy_repository_passed_over(void **state)
{
	struct present *present = present_of(&two);
	struct present_repository *nas1 = present_find_repository(present, "nas1");
	struct present_repository *nas2 = present_find_repository(present, "nas2");
	struct present_repository *chosen = NULL;

	(void)state;
	nas2->probes[0].due_nsec = NOW_NSEC - 5;
	assert_ptr_equal(plan_choose(present, NOW_NSEC, NULL, 0, &chosen), &nas2->probes[0]);
	assert_ptr_equal(chosen, nas2);
	nas2->place.has_worker = true;
	assert_ptr_equal(plan_choose(present, NOW_NSEC, NULL, 0, &chosen), &nas1->probes[0]);
	nas1->place.has_worker = true;
	assert_null(plan_choose(present, NOW_NSEC, NULL, 0, &chosen));
	present_free(present);
}

static void waiting_repository_is_looked_at_again_when_a_slot_overlaps(void **state)
{
	struct present *present = present_of(&one);

	(void)state;
	present_find_repository(present, "nas1")->place.has_worker = true;
	assert_int_equal(plan_next_due_nsec(present, NOW_NSEC),
		NOW_NSEC + INTERVAL_USEC / 5 * NSEC_PER_USEC);
	present_free(present);
}

static void run_is_counted_and_kept(void **state)
{
	struct present *present = present_of(&two);
	struct present_repository *nas1 = present_find_repository(present, "nas1");
	struct present_probe *probe = present_find_probe(nas1, "active-full");
	struct run *run = run_of("nas1", "active-full", RUN_OK);

	(void)state;
	assert_int_equal(present_add_run(nas1, probe, run), 0);
	assert_int_equal(present_add_run(nas1, probe, run), 0);
	run->status = RUN_ERROR;
	assert_int_equal(present_add_run(nas1, probe, run), 0);
	assert_int_equal(probe->runs, 3);
	assert_int_equal(probe->failures[RUN_ERROR], 1);
	assert_int_equal(probe->failures[RUN_OK], 0);
	assert_int_equal(probe->operations[RUN_WRITE].latency_count, 3);
	assert_int_equal(probe->operations[RUN_WRITE].latency_sum_nsec, 15 * NSEC_PER_MSEC);
	assert_int_equal(probe->last_run->status, RUN_ERROR);
	assert_int_equal(probe->last_measured->status, RUN_OK);
	assert_int_equal(probe->last_success_usec, NOW_USEC + 2 * (int64_t)USEC_PER_SEC);
	free(run);
	present_free(present);
}

static void skipped_run_counts_as_a_skip_and_hides_no_result(void **state)
{
	struct present *present = present_of(&two);
	struct present_repository *nas1 = present_find_repository(present, "nas1");
	struct present_probe *probe = present_find_probe(nas1, "active-full");
	struct run *good = run_of("nas1", "active-full", RUN_OK);
	struct run *skipped = run_of("nas1", "active-full", RUN_SKIPPED);

	(void)state;
	skipped->skip = RUN_SKIP_OVERLAP;
	assert_int_equal(present_add_run(nas1, probe, good), 0);
	assert_int_equal(present_add_run(nas1, probe, skipped), 0);
	assert_int_equal(probe->runs, 1);
	assert_int_equal(probe->skips[RUN_SKIP_OVERLAP], 1);
	assert_int_equal(probe->last_run->status, RUN_OK);
	free(good);
	free(skipped);
	present_free(present);
}

static void first_run_that_finds_its_file_in_use_is_tried_again_soon_and_not_for_ever(void **state)
{
	struct present *present = present_of(&two);
	struct present_repository *nas1 = present_find_repository(present, "nas1");
	struct present_probe *probe = present_find_probe(nas1, "active-full");
	struct run *skipped = run_of("nas1", "active-full", RUN_SKIPPED);

	(void)state;
	skipped->skip = RUN_SKIP_IN_USE;
	for (int i = 0; i < PLAN_IN_USE_TRIES; i++) {
		probe->due_nsec = UINT64_MAX;
		assert_int_equal(present_add_run(nas1, probe, skipped), 0);
		plan_retry_in_use(probe, NOW_NSEC, NOW_USEC);
		assert_int_equal(probe->due_nsec, NOW_NSEC + PLAN_IN_USE_USEC * NSEC_PER_USEC);
	}
	probe->due_nsec = UINT64_MAX;
	assert_int_equal(present_add_run(nas1, probe, skipped), 0);
	plan_retry_in_use(probe, NOW_NSEC, NOW_USEC);
	assert_int_equal(probe->due_nsec, UINT64_MAX);
	free(skipped);
	present_free(present);
}

static void reload_keeps_slots_counters_alarms_and_drops_what_is_gone(void **state)
{
	struct present *before = present_of(&two);
	struct present_repository *nas1 = present_find_repository(before, "nas1");
	struct run *run = run_of("nas1", "active-full", RUN_OK);

	(void)state;
	assert_int_equal(present_add_run(nas1, present_find_probe(nas1, "active-full"), run), 0);
	nas1->alarm->incident_id = 7;
	nas1->place.ring->span_count = 3;
	nas1->place.facts.others_ios_per_sec = 9;
	nas1->place.has_worker = true;
	nas1->probes[0].due_nsec = NOW_NSEC + 123;

	struct present *after = present_new(&one, before, NOW_NSEC + 50, NOW_USEC);
	assert_non_null(after);
	present_free(before);
	nas1 = present_find_repository(after, "nas1");
	assert_null(present_find_repository(after, "nas2"));
	assert_int_equal(nas1->alarm->incident_id, 7);
	assert_int_equal(nas1->place.ring->span_count, 3);
	assert_int_equal(nas1->place.facts.others_ios_per_sec, 9);
	assert_true(nas1->place.has_worker);
	assert_int_equal(nas1->probes[0].due_nsec, NOW_NSEC + 123);
	assert_int_equal(nas1->probes[0].runs, 1);
	assert_int_equal(nas1->probes[0].last_run->status, RUN_OK);
	free(run);
	present_free(after);
}

/* All that a place can have. */
static void learn(struct present_repository *repository)
{
	static const struct identity identity = { .fs_type = "nfs4", .source = "nas:/a" };
	struct present_place *place = &repository->place;

	present_set_identity(repository, &identity);
	identity_remember(&identity, &place->seen);
	place->is_seen_stored = true;
	place->ring->span_count = 3;
	place->facts.others_ios_per_sec = 9;
	place->has_worker = true;
	place->stuck_count = 2;
	place->pause_nsec = NOW_NSEC + 1;
	place->told_refusal = 4;
	place->file_bytes = place->file_target_bytes = 1 << 30;
	repository->probes[0].is_running = true;
	repository->probes[0].runs = 5;
	repository->alarm->incident_id = 7;
}

static void reload_to_another_path_leaves_behind_what_was_learned_at_the_old_one(void **state)
{
	struct config_repository moved = both[0];
	const struct config config = { .repository_count = 1, .repositories = &moved };
	struct present *before = present_of(&one);

	(void)state;
	learn(&before->repositories[0]);
	moved.path = nas2_path;
	struct present *after = present_new(&config, before, NOW_NSEC, NOW_USEC);
	assert_non_null(after);
	present_free(before);
	const struct present_repository *nas1 = &after->repositories[0];
	struct present_place fresh = { .ring = nas1->place.ring };
	assert_memory_equal(&nas1->place, &fresh, sizeof(fresh));
	assert_int_equal(nas1->place.ring->span_count, 0);
	assert_false(nas1->probes[0].is_running);
	assert_int_equal(nas1->probes[0].runs, 5);
	assert_int_equal(nas1->alarm->incident_id, 7);
	present_free(after);
}

static void reload_to_another_probe_directory_forgets_the_file_and_keeps_the_disk(void **state)
{
	static char elsewhere[] = "/mnt/nas1/.probe";
	struct config_repository moved = both[0];
	const struct config config = { .repository_count = 1, .repositories = &moved };
	struct present *before = present_of(&one);

	(void)state;
	learn(&before->repositories[0]);
	moved.probe_directory = elsewhere;
	struct present *after = present_new(&config, before, NOW_NSEC, NOW_USEC);
	assert_non_null(after);
	present_free(before);
	const struct present_place *place = &after->repositories[0].place;
	assert_int_equal(place->file_bytes, 0);
	assert_int_equal(place->file_target_bytes, 0);
	assert_int_equal(place->told_refusal, 0);
	assert_true(place->has_identity && place->seen.is_set && place->has_worker);
	assert_int_equal(place->ring->span_count, 3);
	present_free(after);
}

static void run_of_a_place_that_was_left_is_nobodys(void **state)
{
	static char elsewhere[] = "/mnt/nas1/.probe";
	struct config_repository moved[] = { both[0], both[1] };
	const struct config config = { .repository_count = 2, .repositories = moved };
	struct run *run = run_of("nas1", "active-full", RUN_OK);
	struct present *present = present_of(&config);

	(void)state;
	assert_ptr_equal(present_find_repository_of(present, run), &present->repositories[0]);
	run->place_key = present_place_key(&moved[0]);
	assert_ptr_equal(present_find_repository_of(present, run), &present->repositories[0]);
	moved[0].probe_directory = elsewhere;
	assert_null(present_find_repository_of(present, run));
	moved[0] = both[0];
	moved[0].path = nas2_path;
	moved[1].path = nas1_path;
	assert_null(present_find_repository_of(present, run));
	assert_ptr_equal(present_find_path(present, nas1_path), &present->repositories[1]);
	assert_null(present_find_path(present, "/mnt/nas"));
	free(run);
	present_free(present);
}

static void counters_of_another_disk_are_forgotten(void **state)
{
	static const struct facts_sample sample = { .monotonic_nsec = 1 };
	struct identity identity = { .fs_type = "nfs4", .source = "nas:/a", .mount_point = "/b" };
	struct present *present = present_of(&one);
	struct present_repository *nas1 = present_find_repository(present, "nas1");

	(void)state;
	present_set_identity(nas1, &identity);
	assert_true(nas1->place.has_identity);
	facts_ring_add(nas1->place.ring, &sample);
	present_set_identity(nas1, &identity);
	present_set_identity(nas1, &(struct identity){ .source = "a run that saw nothing" });
	assert_string_equal(nas1->place.identity.source, "nas:/a");
	assert_int_equal(nas1->place.ring->sample_count, 1);
	memcpy(identity.source, "nas:/b", 7);
	present_set_identity(nas1, &identity);
	assert_int_equal(nas1->place.ring->sample_count, 0);
	facts_ring_add(nas1->place.ring, &sample);
	identity.has_device = true;
	present_set_identity(nas1, &identity);
	assert_int_equal(nas1->place.ring->sample_count, 0);
	assert_true(nas1->place.ring->has_device);
	present_free(present);
}

static void changed_interval_plans_anew_and_keeps_the_counters(void **state)
{
	struct present *before = present_of(&one);
	struct config_probe changed[] = { { .name = active_full,
		.interval_usec = INTERVAL_USEC / 2 } };
	struct config_repository repository = { .name = nas1_name,
		.path = nas1_path,
		.is_splay_auto = true,
		.probe_count = 1,
		.probes = changed };
	const struct config config = { .repository_count = 1, .repositories = &repository };

	(void)state;
	before->repositories[0].probes[0].runs = 5;
	before->repositories[0].probes[0].due_nsec = NOW_NSEC + INTERVAL_USEC * NSEC_PER_USEC;
	struct present *after = present_new(&config, before, NOW_NSEC, NOW_USEC);
	assert_non_null(after);
	present_free(before);
	assert_int_equal(after->repositories[0].probes[0].runs, 5);
	assert_in_range(after->repositories[0].probes[0].due_nsec, NOW_NSEC + 1,
		NOW_NSEC + INTERVAL_USEC / 2 * NSEC_PER_USEC);
	present_free(after);
}

static void history_fills_the_newest_run_without_counting_it(void **state)
{
	struct present *present = present_of(&two);
	struct run *run = run_of("nas1", "heartbeat", RUN_OK);
	struct run *foreign = run_of("gone", "heartbeat", RUN_OK);
	struct present_probe *probe =
		present_find_probe(present_find_repository(present, "nas1"), "heartbeat");

	(void)state;
	assert_int_equal(present_restore_run(present, run), 0);
	assert_int_equal(present_restore_run(present, foreign), 0);
	assert_int_equal(probe->last_run->status, RUN_OK);
	assert_int_equal(probe->runs, 0);
	assert_int_equal(probe->operations[RUN_WRITE].latency_count, 0);
	free(run);
	free(foreign);
	present_free(present);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_probes_are_due_at_once),
		cmocka_unit_test(longest_waiting_probe_is_chosen_and_a_busy_repository_passed_over),
		cmocka_unit_test(waiting_repository_is_looked_at_again_when_a_slot_overlaps),
		cmocka_unit_test(run_is_counted_and_kept),
		cmocka_unit_test(skipped_run_counts_as_a_skip_and_hides_no_result),
		cmocka_unit_test(
			first_run_that_finds_its_file_in_use_is_tried_again_soon_and_not_for_ever),
		cmocka_unit_test(reload_keeps_slots_counters_alarms_and_drops_what_is_gone),
		cmocka_unit_test(
			reload_to_another_path_leaves_behind_what_was_learned_at_the_old_one),
		cmocka_unit_test(
			reload_to_another_probe_directory_forgets_the_file_and_keeps_the_disk),
		cmocka_unit_test(run_of_a_place_that_was_left_is_nobodys),
		cmocka_unit_test(counters_of_another_disk_are_forgotten),
		cmocka_unit_test(changed_interval_plans_anew_and_keeps_the_counters),
		cmocka_unit_test(history_fills_the_newest_run_without_counting_it),
	};

	return cmocka_run_group_tests_name("present", tests, NULL, NULL);
}
