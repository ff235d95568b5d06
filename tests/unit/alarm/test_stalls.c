/* SPDX-License-Identifier: Apache-2.0 */
/* Stalls within a run, of an I/O or of the set-up, and runs with a probe file that still grows. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/series.h"
#include "fixture.h"

static void take_stall(struct fixture *f)
{
	struct run *run = new_read(f, NORMAL_NSEC, 200000000);

	histogram_add(&run->operations[RUN_READ].latency, 2500000000);
	take(f, run, false);
	f->now_usec += SLOT_USEC;
}

static void take_slow_open(struct fixture *f)
{
	struct run *run = new_read(f, NORMAL_NSEC, 200000000);

	run->setup_step = RUN_SETUP_OPEN;
	run->setup_longest_nsec = 25 * NSEC_PER_SEC;
	take(f, run, false);
	f->now_usec += SLOT_USEC;
}

static void an_open_that_hangs_is_a_stall_as_an_io_is(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take_slow_open(f);
	slots(f, 5, 4);
	take_slow_open(f);
	assert_events(f, "opened stall warning");
	const struct alarm_evidence *e = &f->outcome.events[0].evidence;
	assert_int_equal(e->setup_step, RUN_SETUP_OPEN);
	assert_int_equal(e->value, 25 * NSEC_PER_SEC);
	assert_int_equal(e->normal_runs, 0);
	assert_int_equal(e->cause, ALARM_CAUSE_NONE);
	take_stall(f); /* an I/O that hangs has the same reason, and its own evidence */
	take_slow_open(f);
	assert_events(f, "worse stall critical");
	slots(f, 11, 4);
	assert_events(f, "");
	slots(f, 1, 4);
	assert_events(f, "cleared stall critical");
	/* Two seconds are not a stall. */
	for (int i = 0; i < 12; i++) {
		struct run *run = new_read(f, NORMAL_NSEC, 200000000);
		run->setup_step = RUN_SETUP_OPEN;
		run->setup_longest_nsec = 2 * NSEC_PER_SEC;
		take(f, run, false);
	}
	assert_events(f, "");
	free_fixture(f);
}

/* Whatever the state of the file or cache, only the storage can take that long. */
static void a_stall_is_one_in_runs_that_are_else_not_judged(void **unused)
{
	static const uint32_t flags[] = { RUN_TRUST_WARMING, RUN_TRUST_CACHED };

	(void)unused;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct fixture *f = new_fixture();
		for (int k = 0; k < 3; k++) {
			struct run *run = new_read(f, NORMAL_NSEC, 200000000);
			run->trust = flags[i];
			if (k != 1) {
				run->setup_step = RUN_SETUP_OPEN;
				run->setup_longest_nsec = 25 * NSEC_PER_SEC;
			}
			take(f, run, false);
			assert_false(f->outcome.has_sample[RUN_READ]);
			f->now_usec += SLOT_USEC;
		}
		/* Two in a row are one disturbance: a fast run of a cache in between proves
		 * nothing. */
		assert_events(f, flags[i] == RUN_TRUST_WARMING ? "opened stall warning" : "");
		free_fixture(f);
	}
}

static void a_growing_file_teaches_nothing_and_has_no_normal(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	/* Much slower than normal, below the critical limit: only a whole file can be judged. */
	for (int i = 0; i < 4; i++) {
		struct run *run = new_read(f, 29 * NSEC_PER_MSEC, 200000000);
		run->trust = RUN_TRUST_WARMING;
		take(f, run, false);
		assert_false(f->outcome.has_sample[RUN_READ]);
		assert_int_equal(f->outcome.confirm_at_usec, 0);
		f->now_usec += SLOT_USEC;
	}
	assert_events(f, "");
	for (int i = 0; i < 2; i++) {
		struct run *run = new_read(f, 1000 * NSEC_PER_MSEC, 200000000);
		run->trust = RUN_TRUST_WARMING;
		take(f, run, false);
		assert_int_not_equal(f->outcome.confirm_at_usec, 0); /* before a message is sent */
		run = new_read(f, 1000 * NSEC_PER_MSEC, 200000000);
		run->trust = RUN_TRUST_WARMING;
		take(f, run, true);
		run = new_read(f, 1000 * NSEC_PER_MSEC, 200000000);
		run->trust = RUN_TRUST_WARMING;
		take(f, run, true);
		f->now_usec += SLOT_USEC;
	}
	assert_events(f, "opened limit critical");
	free_fixture(f);
}

static void stalls_need_not_come_in_a_row(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take_stall(f);
	slots(f, 5, 4);
	take_stall(f);
	assert_events(f, "opened stall warning");
	take_stall(f);
	slots(f, 2, 4);
	take_stall(f);
	assert_events(f, "worse stall critical");
	slots(f, 11, 4);
	assert_events(f, "");
	slots(f, 1, 4);
	assert_events(f, "cleared stall critical");
	free_fixture(f);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_that_hangs_is_a_stall_as_an_io_is),
		cmocka_unit_test(a_stall_is_one_in_runs_that_are_else_not_judged),
		cmocka_unit_test(a_growing_file_teaches_nothing_and_has_no_normal),
		cmocka_unit_test(stalls_need_not_come_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
