/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks, and the file that shifts them in builds with test hooks. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static uint64_t read_five(const struct clock *c)
{
	(void)c;
	return 5;
}

static int64_t read_seven(const struct clock *c)
{
	(void)c;
	return 7;
}

static void a_clock_is_what_its_functions_say(void **state)
{
	const struct clock c = { .monotonic_nsec = read_five, .realtime_usec = read_seven };

	(void)state;
	assert_int_equal(clock_monotonic_nsec(&c), 5);
	assert_int_equal(clock_realtime_usec(&c), 7);
}

static void the_system_clock_does_not_run_backwards(void **state)
{
	const struct clock c = clock_system();
	uint64_t last = 0;

	(void)state;
	/* The 1st of January 2024: no build machine has an earlier date. */
	assert_true(clock_realtime_usec(&c) > INT64_C(1704067200000000));
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_monotonic_nsec(&c);

		assert_true(now >= last && now > 0);
		last = now;
	}
}

#ifdef ENABLE_TEST_HOOKS
/* How far a file with this content shifts the clocks, within a hundred seconds. */
static void assert_both_move(
	const char *path, const char *content, int64_t expected_sec, int64_t expected_monotonic_sec)
{
	assert_int_equal(setenv("REPOPROBE_TEST_CLOCK", path, 1), 0);
	assert_int_equal(fd_replace_file(path, 0600, content, strlen(content)), 0);
	const struct clock moved = clock_system();
	assert_int_equal(unsetenv("REPOPROBE_TEST_CLOCK"), 0);
	const struct clock plain = clock_system();

	assert_null(plain.offset_file);
	int64_t realtime_usec = clock_realtime_usec(&moved) - clock_realtime_usec(&plain);
	assert_true(llabs(realtime_usec / 1000000 - expected_sec) < 100);
	if (expected_monotonic_sec < 0)
		return; /* the time since boot cannot be negative */
	int64_t nsec = (int64_t)(clock_monotonic_nsec(&moved) - clock_monotonic_nsec(&plain));
	assert_true(llabs(nsec / 1000000000 - expected_monotonic_sec) < 100);
}

static void assert_moves(const char *path, const char *content, int64_t expected_sec)
{
	assert_both_move(path, content, expected_sec, expected_sec);
}

static void the_hook_moves_both_clocks(void **state)
{
	char directory[] = "/tmp/repoprobe-test-XXXXXX";
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/offset", directory);
	assert_moves(path, "86400\n", 86400);
	assert_moves(path, "3600.5", 3600);
	assert_moves(path, "-86400", -86400);
	assert_moves(path, "", 0);
	assert_moves(path, "soon\n", 0);
	assert_moves(path, "99999999999\n", 0); /* more than a hundred years */
	assert_both_move(path, "0 86400\n", 86400, 0);
	assert_both_move(path, "3600 -86400", -82800, 3600);
	assert_both_move(path, "3600 soon", 3600, 3600);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}
#else
static void the_hook_moves_both_clocks(void **state)
{
	(void)state;
	assert_int_equal(setenv("REPOPROBE_TEST_CLOCK", "/nonexistent", 1), 0);
	assert_null(clock_system().offset_file);
}
#endif

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_is_what_its_functions_say),
		cmocka_unit_test(the_system_clock_does_not_run_backwards),
		cmocka_unit_test(the_hook_moves_both_clocks),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
