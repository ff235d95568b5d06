/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a worker as sequences of events, seconds apart. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "supervise/supervise.h"

#define START (1000 * NSEC_PER_SEC)
#define LIMIT 60 /* seconds; the kill comes at 62 */
#define STEPS_MAX 12

enum {
	TIME = SUPERVISE_EVENT_TIME,
	PROGRESS = SUPERVISE_EVENT_PROGRESS,
	RESULT = SUPERVISE_EVENT_RESULT,
	STOP = SUPERVISE_EVENT_STOP,
	EXIT = SUPERVISE_EVENT_EXIT,
	NOTHING = SUPERVISE_DO_NOTHING,
	KILL = SUPERVISE_DO_KILL,
	STUCK = SUPERVISE_DO_DECLARE_STUCK,
	FINISH = SUPERVISE_DO_FINISH,
};

/* At so many seconds after the start this happens, that is to be done, and the next deadline is so
 * many seconds after the start (-1: none). */
struct step {
	double at;
	int event;
	int action;
	double deadline;
};

struct story {
	const char *name;
	struct step steps[STEPS_MAX]; /* ended by deadline 0 */
	enum supervise_state state;
	bool has_result;
	bool was_killed;
	bool was_stopped;
};

static const struct story stories[] = {
	{ .name = "reports and exits",
		.steps = { { 1, PROGRESS, NOTHING, 62 }, { 5, RESULT, NOTHING, 7 },
			{ 5.1, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.has_result = true },
	{ .name = "exits before its result is read",
		.steps = { { 5, EXIT, FINISH, -1 }, { 5, RESULT, NOTHING, -1 },
			{ 99, TIME, NOTHING, -1 } },
		.state = SUPERVISE_GONE },
	{ .name = "time that is not over changes nothing",
		.steps = { { 0, TIME, NOTHING, 62 }, { 61.999, TIME, NOTHING, 62 } },
		.state = SUPERVISE_RUNNING },
	{ .name = "progress does not move a deadline",
		.steps = { { 61, PROGRESS, NOTHING, 62 }, { 62, TIME, KILL, 67 } },
		.state = SUPERVISE_KILLED,
		.was_killed = true },
	{ .name = "silent, killed and gone",
		.steps = { { 62, TIME, KILL, 67 }, { 62.1, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.was_killed = true },
	{ .name = "the kill is sent once",
		.steps = { { 62, TIME, KILL, 67 }, { 63, TIME, NOTHING, 67 },
			{ 64, STOP, NOTHING, 67 }, { 66.9, PROGRESS, NOTHING, 67 } },
		.state = SUPERVISE_KILLED,
		.was_killed = true },
	{ .name = "killed and stuck, then freed",
		.steps = { { 62, TIME, KILL, 67 }, { 67, TIME, STUCK, -1 },
			{ 500, TIME, NOTHING, -1 }, { 600, STOP, NOTHING, -1 },
			{ 9999, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.was_killed = true },
	{ .name = "reported and stuck within five seconds",
		.steps = { { 60, RESULT, NOTHING, 62 }, { 62, TIME, KILL, 65 },
			{ 65, TIME, STUCK, -1 }, { 300, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.has_result = true },
	{ .name = "a result that crossed the kill counts",
		.steps = { { 62, TIME, KILL, 67 }, { 62, RESULT, NOTHING, 67 },
			{ 62.1, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.has_result = true,
		.was_killed = true },
	{ .name = "a result of a stuck worker comes too late",
		.steps = { { 62, TIME, KILL, 67 }, { 67, TIME, STUCK, -1 },
			{ 68, RESULT, NOTHING, -1 } },
		.state = SUPERVISE_STUCK,
		.was_killed = true },
	{ .name = "a second result moves nothing",
		.steps = { { 5, RESULT, NOTHING, 7 }, { 6, RESULT, NOTHING, 7 },
			{ 6, PROGRESS, NOTHING, 7 } },
		.state = SUPERVISE_REPORTED,
		.has_result = true },
	{ .name = "stopped by the caller",
		.steps = { { 3, STOP, KILL, 8 }, { 3.1, EXIT, FINISH, -1 } },
		.state = SUPERVISE_GONE,
		.was_stopped = true },
	{ .name = "stopped, and stuck nevertheless",
		.steps = { { 3, STOP, KILL, 8 }, { 8, TIME, STUCK, -1 } },
		.state = SUPERVISE_STUCK,
		.was_stopped = true },
	{ .name = "late looks at the clock count from the look",
		.steps = { { 100, TIME, KILL, 105 }, { 200, TIME, STUCK, -1 } },
		.state = SUPERVISE_STUCK,
		.was_killed = true },
};

static uint64_t instant(double seconds)
{
	return seconds < 0 ? UINT64_MAX : START + (uint64_t)(seconds * 1000 + 0.5) * NSEC_PER_MSEC;
}

static void tell_story(const struct story *s)
{
	struct supervise_life life;

	supervise_life_init(&life, START, LIMIT * NSEC_PER_SEC);
	assert_int_equal(life.deadline_nsec, instant(62));
	for (size_t i = 0; i < STEPS_MAX && s->steps[i].deadline != 0; i++) {
		const struct step *step = &s->steps[i];
		enum supervise_action action = supervise_life_step(
			&life, (enum supervise_event)step->event, instant(step->at));
		if ((int)action != step->action || life.deadline_nsec != instant(step->deadline))
			fail_msg("%s, step %zu: action %d, deadline %llu", s->name, i, action,
				(unsigned long long)life.deadline_nsec);
	}
	if (life.state != s->state || life.has_result != s->has_result ||
		life.was_killed != s->was_killed || life.was_stopped != s->was_stopped)
		fail_msg("%s: state %d, result %d, killed %d, stopped %d", s->name, life.state,
			life.has_result, life.was_killed, life.was_stopped);
}

static void stories_end_as_they_should(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		tell_story(&stories[i]);
}

static void a_worker_taken_over_is_killed_in_time_or_waited_for(void **state)
{
	struct supervise_life life;

	(void)state;
	supervise_life_adopt(&life, START, START - 100 * NSEC_PER_SEC, false);
	assert_int_equal(life.started_nsec, START - 100 * NSEC_PER_SEC);
	assert_int_equal(life.deadline_nsec, instant(2));
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_TIME, instant(2)), KILL);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_TIME, instant(7)), STUCK);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_EXIT, instant(8)), FINISH);
	supervise_life_adopt(&life, START, START + 1, true); /* a note may lie */
	assert_int_equal(life.started_nsec, START);
	assert_int_equal(life.deadline_nsec, UINT64_MAX);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_TIME, instant(9)), NOTHING);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_STOP, instant(9)), NOTHING);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_EXIT, instant(9)), FINISH);
}

static void a_limit_without_end_does_not_wrap(void **state)
{
	struct supervise_life life;

	(void)state;
	supervise_life_init(&life, START, UINT64_MAX - 5);
	assert_int_equal(life.deadline_nsec, UINT64_MAX);
	assert_int_equal(supervise_life_step(&life, SUPERVISE_EVENT_PROGRESS, START + 1), NOTHING);
	assert_int_equal(life.deadline_nsec, UINT64_MAX);
}

/* Whatever order a hostile worker and a slow daemon make of the events, the life ends, says at most
 * once that it is stuck, and asks to finish exactly once. */
static void every_sequence_ends_well(void **state)
{
	(void)state;
	for (unsigned sequence = 0; sequence < 5 * 5 * 5 * 5 * 5 * 5 * 5; sequence++) {
		struct supervise_life life;
		unsigned rest = sequence;
		int counts[4] = { 0 };
		supervise_life_init(&life, START, LIMIT * NSEC_PER_SEC);
		for (unsigned i = 0; i < 7; i++, rest /= 5)
			counts[supervise_life_step(&life, (enum supervise_event)(rest % 5),
				START + i * 30 * NSEC_PER_SEC)]++;
		counts[supervise_life_step(&life, SUPERVISE_EVENT_EXIT, START * 2)]++;
		assert_int_equal(life.state, SUPERVISE_GONE);
		assert_int_equal(counts[FINISH], 1);
		assert_true(counts[STUCK] <= 1);
		assert_true(counts[KILL] <= 2);
	}
}

struct ending {
	struct supervise_life life;
	int wait_status;
	enum run_status status;
	int error_number;
	const char *part;
	struct supervise_seen seen;
};

static void an_end_without_a_result_is_explained(void **state)
{
	static const struct ending endings[] = {
		{ { .has_begun = true, .was_killed = true }, SIGKILL, RUN_TIMEOUT, ETIMEDOUT,
			"was killed at its deadline, before its first I/O", { .at_nsec = 0 } },
		{ { .has_begun = true, .was_killed = true }, SIGKILL, RUN_TIMEOUT, ETIMEDOUT,
			"was killed at its deadline, before its first I/O",
			{ { JOB_PHASE_EXAMINE, 0, 0 }, START } },
		{ { .has_begun = true, .was_killed = true, .started_nsec = START }, SIGKILL,
			RUN_TIMEOUT, ETIMEDOUT,
			"while laying out the probe file (12 MiB in 10 s, 1.2 MiB/s)",
			{ { JOB_PHASE_LAYOUT, 12 << 20, 128 << 20 }, START + 10 * NSEC_PER_SEC } },
		{ { .has_begun = true, .was_killed = true, .started_nsec = START }, SIGKILL,
			RUN_TIMEOUT, ETIMEDOUT, "while measuring",
			{ { JOB_PHASE_MEASURE, 1, 2 }, START + 10 * NSEC_PER_SEC } },
		{ { .was_stopped = true }, SIGKILL, RUN_ERROR, ECANCELED, "stopped",
			{ .at_nsec = 0 } },
		{ { .has_begun = true }, SIGSEGV, RUN_ERROR, EIO, "signal 11", { .at_nsec = 0 } },
		{ { .has_begun = true }, SIGKILL, RUN_ERROR, EIO, "signal 9", { .at_nsec = 0 } },
		{ { .has_begun = true }, 1 << 8, RUN_ERROR, EIO, "code 1", { .at_nsec = 0 } },
		{ { .has_begun = true }, 0, RUN_ERROR, EIO, "code 0", { .at_nsec = 0 } },
		/* What did not touch the repository says nothing of it. */
		{ { .was_killed = true }, SIGKILL, RUN_SKIPPED, 0, "did not start",
			{ .at_nsec = 0 } },
		{ { .has_begun = false }, SIGSEGV, RUN_SKIPPED, 0, "signal 11", { .at_nsec = 0 } },
		{ { .has_begun = false }, SIGKILL, RUN_SKIPPED, 0, "signal 9", { .at_nsec = 0 } },
		{ { .has_begun = false }, 1 << 8, RUN_SKIPPED, 0, "code 1 before it started",
			{ .at_nsec = 0 } },
	};
	struct run *run = run_new("", "");

	(void)state;
	assert_non_null(run);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		supervise_explain_end(
			&endings[i].life, &endings[i].seen, endings[i].wait_status, run);
		assert_int_equal(run->status, endings[i].status);
		assert_int_equal(run->error_number, endings[i].error_number);
		assert_int_equal(run_is_own_trouble(run), endings[i].status == RUN_SKIPPED);
		if (!strstr(run->reason, endings[i].part))
			fail_msg("\"%s\" lacks \"%s\"", run->reason, endings[i].part);
	}
	free(run);
}

static void rubbish_is_the_repository_s_only_after_the_begin(void **state)
{
	struct supervise_life life = { .has_begun = false };
	struct run *run = run_new("", "");

	(void)state;
	assert_non_null(run);
	supervise_explain_rubbish(&life, -EPROTO, "version 9", run);
	assert_true(run_is_own_trouble(run));
	assert_non_null(strstr(run->reason, "cannot be read: version 9"));
	life.has_begun = true;
	supervise_explain_rubbish(&life, -EBADMSG, "too short", run);
	assert_int_equal(run->status, RUN_ERROR);
	assert_int_equal(run->error_number, EBADMSG);
	free(run);
}

static void stuck_replaces_what_was_reported(void **state)
{
	struct supervise_life life = { .started_nsec = START, .has_result = true };
	struct run *run = run_new("", "");

	(void)state;
	assert_non_null(run);
	run_fail(run, RUN_STALLED, 0, "2 of the I/Os had not completed");
	run->outstanding_ios = 2;
	supervise_explain_stuck(&life, START + 65 * NSEC_PER_SEC, run);
	assert_int_equal(run->status, RUN_STUCK);
	assert_non_null(strstr(run->reason, "1min5s"));
	assert_int_equal(run->outstanding_ios, 2); /* the numbers stay */
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stories_end_as_they_should),
		cmocka_unit_test(a_worker_taken_over_is_killed_in_time_or_waited_for),
		cmocka_unit_test(a_limit_without_end_does_not_wrap),
		cmocka_unit_test(every_sequence_ends_well),
		cmocka_unit_test(an_end_without_a_result_is_explained),
		cmocka_unit_test(rubbish_is_the_repository_s_only_after_the_begin),
		cmocka_unit_test(stuck_replaces_what_was_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
