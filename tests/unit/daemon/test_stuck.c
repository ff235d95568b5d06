/* SPDX-License-Identifier: Apache-2.0 */
/* How long a repository rests after a stuck worker, and the file that a thread keeps. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "core/plan.h"
#include "core/present.h"
#include "daemon/saver.h"
#include "daemon/stuck.h"

#define MINUTE_USEC (60 * USEC_PER_SEC)
#define NOW_NSEC (UINT64_C(1000) * NSEC_PER_SEC)
#define NOW_USEC INT64_C(1796065200000000)

static void the_pause_doubles_from_a_minute_to_an_hour(void **state)
{
	static const struct {
		unsigned count;
		uint64_t minutes;
	} cases[] = { { 0, 1 }, { 1, 1 }, { 2, 2 }, { 3, 4 }, { 4, 8 }, { 5, 16 }, { 6, 32 },
		{ 7, 60 }, { 8, 60 }, { UINT32_MAX, 60 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(stuck_pause_usec(cases[i].count), cases[i].minutes * MINUTE_USEC);
}

static char nas1_name[] = "nas1";
static char nas1_path[] = "/mnt/nas1";
static char heartbeat[] = "heartbeat";
static char no_group[] = "";
static struct config_probe probes[] = { { .name = heartbeat, .interval_usec = MINUTE_USEC } };
static struct config_repository repositories[] = { { .name = nas1_name,
	.path = nas1_path,
	.is_splay_auto = true,
	.group = no_group,
	.probe_count = 1,
	.probes = probes } };
static const struct config config = { .repository_count = 1, .repositories = repositories };

static void nothing_starts_in_the_pause_and_slots_are_skipped(void **state)
{
	struct present *present = present_new(&config, NULL, NOW_NSEC, NOW_USEC);
	struct present_repository *nas1 = &present->repositories[0];
	struct present_repository *chosen = NULL;

	(void)state;
	nas1->place.stuck_count = 2;
	stuck_begin_pause(nas1, NOW_NSEC, NOW_USEC);
	uint64_t end_nsec = NOW_NSEC + 2 * MINUTE_USEC * NSEC_PER_USEC;
	assert_true(plan_is_held(nas1, end_nsec - 1));
	assert_null(plan_choose(present, end_nsec - 1, NULL, 0, &chosen));
	assert_int_equal(
		plan_start_usec(nas1, &nas1->probes[0]), NOW_USEC + (int64_t)(2 * MINUTE_USEC));
	/* Before the end comes the slot after the one that waits. */
	assert_int_equal(
		plan_next_due_nsec(present, NOW_NSEC), NOW_NSEC + MINUTE_USEC * NSEC_PER_USEC);
	nas1->probes[0].overlap_due_nsec = end_nsec + 1;
	assert_int_equal(plan_next_due_nsec(present, NOW_NSEC), end_nsec);
	assert_false(plan_is_held(nas1, end_nsec));
	assert_ptr_equal(plan_choose(present, end_nsec, NULL, 0, &chosen), &nas1->probes[0]);
	present_free(present);
}

static void who_asked_meanwhile_does_not_wait(void **state)
{
	struct present *present = present_new(&config, NULL, NOW_NSEC, NOW_USEC);
	struct present_repository *nas1 = &present->repositories[0];

	(void)state;
	nas1->place.stuck_count = 1;
	nas1->place.is_asked = true;
	stuck_begin_pause(nas1, NOW_NSEC, NOW_USEC);
	assert_false(plan_is_held(nas1, NOW_NSEC));
	stuck_begin_pause(nas1, NOW_NSEC, NOW_USEC);
	assert_true(plan_is_held(nas1, NOW_NSEC)); /* once */
	present_free(present);
}

static void an_ok_run_ends_the_count_and_a_reload_does_not(void **state)
{
	struct present *present = present_new(&config, NULL, NOW_NSEC, NOW_USEC);
	struct present_repository *nas1 = &present->repositories[0];
	struct run *run = run_new("nas1", "heartbeat");

	(void)state;
	assert_non_null(run);
	nas1->place.stuck_count = 4;
	stuck_begin_pause(nas1, NOW_NSEC, NOW_USEC);
	run_fail(run, RUN_TIMEOUT, ETIMEDOUT, "no answer");
	assert_int_equal(present_add_run(nas1, &nas1->probes[0], run), 0);
	struct present *next = present_new(&config, present, NOW_NSEC, NOW_USEC);
	present_free(present);
	nas1 = &next->repositories[0];
	assert_int_equal(nas1->place.stuck_count, 4);
	assert_true(plan_is_held(nas1, NOW_NSEC + 8 * MINUTE_USEC * NSEC_PER_USEC - 1));
	run->status = RUN_OK;
	assert_int_equal(present_add_run(nas1, &nas1->probes[0], run), 0);
	assert_int_equal(nas1->place.stuck_count, 0);
	present_free(next);
	free(run);
}

/* --- The file ----------------------------------------------------------- */

struct place {
	char directory[32];
	char path[64];
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	memcpy(p->directory, "/tmp/repoprobe-unit-XXXXXX", 27);
	assert_non_null(mkdtemp(p->directory));
	(void)snprintf(p->path, sizeof(p->path), "%s/file", p->directory);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	(void)unlink(p->path);
	assert_int_equal(rmdir(p->directory), 0); /* no temporary file is left */
	free(p);
	return 0;
}

static void the_file_holds_the_newest_content(void **state)
{
	const struct place *p = *state;
	struct buf text = BUF_INIT(4096);
	struct saver *s = NULL;
	struct stat st;

	assert_int_equal(saver_start(p->path, &s), 0);
	for (int i = 0; i < 500; i++)
		assert_int_equal(saver_submit(s, "older", 5), 0);
	assert_int_equal(saver_submit(s, "newest", 6), 0);
	assert_true(saver_stop(s, 20 * NSEC_PER_SEC));
	assert_int_equal(fd_read_file(p->path, &text), 0);
	assert_string_equal(buf_text(&text), "newest");
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_mode & 07, 0); /* nothing for others */
	buf_done(&text);
}

static void what_has_the_name_of_the_new_file_gives_way(void **state)
{
	const struct place *p = *state;
	struct buf name = BUF_INIT(4096);
	struct buf text = BUF_INIT(4096);
	struct saver *s = NULL;

	buf_printf(&name, "%s.new", p->path);
	assert_int_equal(mkfifo(buf_text(&name), 0600), 0);
	assert_int_equal(saver_start(p->path, &s), 0);
	assert_int_equal(saver_submit(s, "text", 4), 0);
	assert_true(saver_stop(s, 20 * NSEC_PER_SEC));
	assert_int_equal(fd_read_file(p->path, &text), 0);
	assert_string_equal(buf_text(&text), "text");
	buf_done(&text);
	buf_done(&name);
}

static void no_content_is_no_file(void **state)
{
	const struct place *p = *state;
	struct saver *s = NULL;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(saver_start(p->path, &s), 0);
		if (i == 0)
			assert_int_equal(saver_submit(s, "text", 4), 0);
		assert_int_equal(saver_submit(s, NULL, 0), 0);
		assert_true(saver_stop(s, 20 * NSEC_PER_SEC));
		assert_int_equal(access(p->path, F_OK), -1);
	}
	assert_true(saver_stop(NULL, 0));
}

static void trouble_is_told(void **state)
{
	const struct place *p = *state;
	struct saver *s = NULL;

	assert_int_equal(mkdir(p->path, 0700), 0); /* cannot be replaced by a file */
	assert_int_equal(saver_start(p->path, &s), 0);
	assert_int_equal(saver_submit(s, "text", 4), 0);
	assert_false(saver_stop(s, 20 * NSEC_PER_SEC));
	assert_int_equal(rmdir(p->path), 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pause_doubles_from_a_minute_to_an_hour),
		cmocka_unit_test(nothing_starts_in_the_pause_and_slots_are_skipped),
		cmocka_unit_test(who_asked_meanwhile_does_not_wait),
		cmocka_unit_test(an_ok_run_ends_the_count_and_a_reload_does_not),
		cmocka_unit_test_setup_teardown(
			the_file_holds_the_newest_content, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_has_the_name_of_the_new_file_gives_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_content_is_no_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(trouble_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
