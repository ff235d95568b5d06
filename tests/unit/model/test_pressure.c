/* SPDX-License-Identifier: Apache-2.0 */
/* pressure: /proc/pressure/io of real and hypothetical kernels. */
#include "model/pressure.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

static void both_lines_are_read_in_basis_points(void **state)
{
	struct pressure p;
	(void)state;

	assert_int_equal(pressure_parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=9583077\n"
					"full avg10=0.00 avg60=0.00 avg300=0.00 total=8567336\n",
				 &p, NULL),
		0);
	assert_int_equal(p.some.average_10s_basis_points, 0);
	assert_int_equal(p.some.total_usec, 9583077);
	assert_int_equal(p.full.total_usec, 8567336);

	assert_int_equal(
		pressure_parse(
			"some avg10=41.07 avg60=1.25 avg300=0.40 total=18446744073709551615\n"
			"full avg10=100.00 avg60=0.09 avg300=99.99 total=0",
			&p, NULL),
		0);
	assert_int_equal(p.some.average_10s_basis_points, 4107);
	assert_int_equal(p.some.average_60s_basis_points, 125);
	assert_int_equal(p.some.average_300s_basis_points, 40);
	assert_true(p.some.total_usec == UINT64_MAX);
	assert_int_equal(p.full.average_10s_basis_points, 10000);
	assert_int_equal(p.full.average_60s_basis_points, 9);
	assert_int_equal(p.full.average_300s_basis_points, 9999);
}

static void what_later_kernels_may_add_is_ignored(void **state)
{
	struct pressure p;
	(void)state;

	assert_int_equal(
		pressure_parse("\nmost avg10=x\n"
			       "some avg10=1.00 avg60=2.00 avg300=3.00 avg900=z total=4 new=5\n"
			       "full total=8 avg300=7.00 avg60=6.00 avg10=5.00\n",
			&p, NULL),
		0);
	assert_int_equal(p.some.average_300s_basis_points, 300);
	assert_int_equal(p.full.average_10s_basis_points, 500);
	assert_int_equal(p.full.total_usec, 8);
}

static void anything_else_is_refused(void **state)
{
	static const char full[] = "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n";
	static const char *const first[] = {
		"",
		"some\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00\n",
		"some avg60=0.00 avg300=0.00 total=1\n",
		"some avg10= avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=-1.00 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=100.01 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0.00x avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0.0000000000000000 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1.5\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n",
	};
	struct pressure p = { .some.total_usec = 7 };
	(void)state;

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		struct error error = { 0 };
		char text[256] = "";
		memcpy(text, first[i], strlen(first[i]));
		memcpy(text + strlen(first[i]), full, sizeof(full));
		assert_int_equal(pressure_parse(text, &p, &error), -EBADMSG);
		assert_string_not_equal(error.text, "");
		assert_int_equal(p.some.total_usec, 7);
	}
	assert_int_equal(
		pressure_parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n", &p, NULL),
		-EBADMSG);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_lines_are_read_in_basis_points),
		cmocka_unit_test(what_later_kernels_may_add_is_ignored),
		cmocka_unit_test(anything_else_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
