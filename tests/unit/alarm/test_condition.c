/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and formatting of conditions, the exact error messages, and verdicts at the boundary. */
#include "alarm/condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "test.h"

#define TEXT_MAX 256

static void conditions_are_read_and_written(void **state)
{
	static const struct {
		const char *text;
		const char *canonical;
		struct condition condition;
	} cases[] = {
		{ "avg > 15ms", "avg > 15ms", { false, 0, CONDITION_AVG, false, 15000000, false } },
		{ "write avg>15ms", "write avg > 15ms",
			{ true, RUN_WRITE, CONDITION_AVG, false, 15000000, false } },
		{ "  read\tp99.9  >  1.5s  ", "read p99.9 > 1.5s",
			{ true, RUN_READ, CONDITION_P99_9, false, 1500000000, false } },
		{ "p50 > 250us", "p50 > 250us", { false, 0, CONDITION_P50, false, 250000, false } },
		{ "p95 > 0", "p95 > 0s", { false, 0, CONDITION_P95, false, 0, false } },
		{ "p99 > 1min 30s", "p99 > 1min30s",
			{ false, 0, CONDITION_P99, false, UINT64_C(90000000000), false } },
		{ "max>1h", "max > 1h",
			{ false, 0, CONDITION_MAX, false, UINT64_C(3600000000000), false } },
		{ "throughput < 100M", "throughput < 100M",
			{ false, 0, CONDITION_THROUGHPUT, true, 104857600, false } },
		{ "write throughput < 100MB/s", "write throughput < 100000000",
			{ true, RUN_WRITE, CONDITION_THROUGHPUT, true, 100000000, false } },
		{ "read iops < 500", "read iops < 500",
			{ true, RUN_READ, CONDITION_IOPS, true, 500, false } },
		{ "errors > 0", "errors > 0", { false, 0, CONDITION_ERRORS, false, 0, false } },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(TEXT_MAX);
		struct condition c;
		struct error e = { "" };

		if (condition_parse(cases[i].text, &c, &e) < 0)
			fail_msg("%s: %s", cases[i].text, e.text);
		assert_int_equal(c.has_operation, cases[i].condition.has_operation);
		if (c.has_operation)
			assert_int_equal(c.operation, cases[i].condition.operation);
		assert_int_equal(c.measure, cases[i].condition.measure);
		assert_int_equal(c.is_below, cases[i].condition.is_below);
		assert_int_equal(c.value, cases[i].condition.value);
		condition_format(&c, &b);
		assert_string_equal(buf_text(&b), cases[i].canonical);
		buf_done(&b);
	}
}

#define MEASURES "avg, p50, p95, p99, p99.9, max, throughput, iops, errors"

static void refusals_point_at_the_place_and_say_what_was_meant(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *sentence;
	} cases[] = {
		{ "", -EINVAL, "column 1: expected one of read, write, " MEASURES },
		{ "write", -EINVAL, "column 6: expected one of " MEASURES },
		{ "write > 5ms", -EINVAL, "column 7: expected one of " MEASURES },
		{ "wirte avg > 5ms", -EINVAL,
			"column 1: \"wirte\" is not one of read, write, " MEASURES
			"; did you mean write?" },
		{ "write avgg > 5ms", -EINVAL,
			"column 7: \"avgg\" is not one of " MEASURES "; did you mean avg?" },
		{ "p98 > 5ms", -EINVAL,
			"column 1: \"p98\" is not one of read, write, " MEASURES
			"; did you mean p95?" },
		{ "write read avg > 5ms", -EINVAL, "column 7: \"read\" is not one of " MEASURES },
		{ "avg 5ms", -EINVAL, "column 5: expected > or < after avg" },
		{ "avg", -EINVAL, "column 4: expected > or < after avg" },
		{ "avg >= 5ms", -EINVAL, "column 5: >= is not known; did you mean >?" },
		{ "avg = 5ms", -EINVAL, "column 5: expected > or < after avg" },
		{ "avg >", -EINVAL, "column 6: a value is missing" },
		{ "avg >  ", -EINVAL, "column 8: a value is missing" },
		{ "avg > x2 normal", -EOPNOTSUPP,
			"column 7: \"x2 normal\" is not in this version, which knows no normal here" },
		{ "iops < -1", -EINVAL, NULL },
		{ "iops < 10K", -EINVAL, NULL },
		{ "throughput < 5ms", -EINVAL, NULL },
		{ "avg > 15", -EINVAL, NULL },
		{ "avg > 15m", -EINVAL, NULL },
		{ "avg > 5ms or so", -EINVAL, NULL },
		{ "avg > 300y", 0, NULL },
		{ "avg > 600y", -ERANGE, "column 7: 600y: too long for a latency" },
		{ "avg > 1111111111111111111111111111111111111111111111111111111111111111ms",
			-EINVAL, "column 7: the value is too long" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition c = { .value = 99 };
		struct error e = { "" };
		int r = condition_parse(cases[i].text, &c, &e);

		if (r != cases[i].r)
			fail_msg("\"%s\": %d, not %d: %s", cases[i].text, r, cases[i].r, e.text);
		if (r < 0)
			assert_int_equal(c.value, 99); /* written only on success */
		if (cases[i].sentence)
			assert_string_equal(e.text, cases[i].sentence);
		else if (r < 0)
			assert_memory_equal(e.text, "column ", 7);
	}
}

static struct run *new_run(unsigned ios, uint64_t latency_nsec)
{
	struct run *run = run_new("nas", "p");
	struct run_operation_result *o = &run->operations[RUN_WRITE];

	assert_non_null(run);
	for (unsigned i = 0; i < ios; i++)
		histogram_add(&o->latency, latency_nsec);
	o->ios = ios;
	o->bytes = (uint64_t)ios * 4096;
	run->measured_nsec = NSEC_PER_SEC;
	return run;
}

static enum condition_verdict judge(
	const char *text, const struct run *run, enum run_operation operation)
{
	struct condition c;

	assert_int_equal(condition_parse(text, &c, NULL), 0);
	return condition_judge(&c, run, operation);
}

static void a_condition_is_not_met_at_its_value(void **state)
{
	struct run *run = new_run(100, 15000000);
	(void)state;

	assert_int_equal(judge("avg > 15ms", run, RUN_WRITE), CONDITION_NOT_MET);
	assert_int_equal(judge("avg < 15ms", run, RUN_WRITE), CONDITION_NOT_MET);
	assert_int_equal(judge("avg > 14999us", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(judge("iops < 100", run, RUN_WRITE), CONDITION_NOT_MET);
	assert_int_equal(judge("iops < 101", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(judge("throughput < 409600", run, RUN_WRITE), CONDITION_NOT_MET);
	assert_int_equal(judge("throughput < 409601", run, RUN_WRITE), CONDITION_MET);
	/* One nanosecond in a hundred I/Os is above the limit: nothing is rounded. */
	run->operations[RUN_WRITE].latency.sum_nsec++;
	assert_int_equal(judge("avg > 15ms", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(condition_measured(CONDITION_AVG, run, RUN_WRITE), 15000000);
	run->measured_nsec++;
	assert_int_equal(judge("iops < 100", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(condition_measured(CONDITION_IOPS, run, RUN_WRITE), 100);
	assert_int_equal(condition_measured(CONDITION_THROUGHPUT, run, RUN_WRITE), 409600);
	free(run);
}

static void a_percentile_needs_enough_ios(void **state)
{
	struct run *run = new_run(999, 1000000);
	(void)state;

	assert_int_equal(condition_ios_needed(CONDITION_P50), 20);
	assert_int_equal(condition_ios_needed(CONDITION_P95), 200);
	assert_int_equal(condition_ios_needed(CONDITION_P99), 1000);
	assert_int_equal(condition_ios_needed(CONDITION_P99_9), 10000);
	assert_int_equal(condition_ios_needed(CONDITION_MAX), 0);
	assert_int_equal(judge("p99 > 500us", run, RUN_WRITE), CONDITION_TOO_FEW);
	assert_int_equal(judge("p95 > 500us", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(judge("max > 500us", run, RUN_WRITE), CONDITION_MET);
	histogram_add(&run->operations[RUN_WRITE].latency, 1000000);
	assert_int_equal(judge("p99 > 500us", run, RUN_WRITE), CONDITION_MET);
	assert_int_equal(judge("p99 > 1ms", run, RUN_WRITE), CONDITION_NOT_MET);
	assert_int_equal(judge("p99.9 > 500us", run, RUN_WRITE), CONDITION_TOO_FEW);
	free(run);
}

static void what_did_not_happen_is_absent(void **state)
{
	struct run *run = new_run(100, 1000000);
	(void)state;

	for (int i = 0; i < CONDITION_MEASURES; i++) {
		struct condition c = {
			.measure = (enum condition_measure)i, .is_below = true, .value = UINT64_MAX
		};
		assert_int_equal(condition_judge(&c, run, RUN_READ), CONDITION_ABSENT);
	}
	run->operations[RUN_READ].errors = 1;
	assert_int_equal(judge("errors > 0", run, RUN_READ), CONDITION_MET);
	assert_int_equal(judge("avg > 0", run, RUN_READ), CONDITION_ABSENT);
	assert_int_equal(judge("errors > 0", run, RUN_WRITE), CONDITION_NOT_MET);
	run->measured_nsec = 0;
	assert_int_equal(judge("iops < 1", run, RUN_WRITE), CONDITION_ABSENT);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_are_read_and_written),
		cmocka_unit_test(refusals_point_at_the_place_and_say_what_was_meant),
		cmocka_unit_test(a_condition_is_not_met_at_its_value),
		cmocka_unit_test(a_percentile_needs_enough_ios),
		cmocka_unit_test(what_did_not_happen_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
