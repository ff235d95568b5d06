/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and targets: what is taken, what is refused and in which words. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "http/query.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1796061600000000) /* 2026-11-30T18:00:00Z */
#define HOUR (INT64_C(3600) * 1000000)

static const struct query_rules all = { .allowed = (1U << QUERY_PARAMETERS) - 1 };

static const struct query_rules series = {
	.allowed = QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_FROM) | QUERY_BIT(QUERY_TO) |
		QUERY_BIT(QUERY_POINTS),
	.required = QUERY_BIT(QUERY_REPOSITORY),
	.default_span_usec = 24 * (uint64_t)HOUR,
};

static struct query parse(const char *text, const struct query_rules *rules)
{
	struct error e = { .text = "" };
	struct query q = { .given = 0 };

	if (query_parse(text, rules, NOW, &q, &e) != 0)
		fail_msg("'%s': %s", text, e.text);
	return q;
}

static void nothing_given_leaves_the_defaults(void **state)
{
	(void)state;
	struct query q = parse("", &all);

	assert_int_equal(q.given, 0);
	assert_string_equal(q.repository, "");
	assert_int_equal(q.points, QUERY_POINTS_DEFAULT);
	assert_int_equal(q.limit, QUERY_LIMIT_DEFAULT);
	assert_int_equal(q.columns, QUERY_COLUMNS_DEFAULT);
	assert_int_equal(q.from_usec, 0);
	assert_int_equal(q.to_usec, 0);
	assert_int_equal(q.format, QUERY_JSON);
}

static void every_parameter_is_read(void **state)
{
	(void)state;
	struct query q = parse("repository=nas%201&probe=active-full&operation=write&from=now-2h&"
			       "to=2026-11-30T17:30:00Z&points=200&limit=7&columns=60&format=csv&"
			       "state=open",
		&all);

	assert_string_equal(q.repository, "nas 1");
	assert_string_equal(q.probe, "active-full");
	assert_int_equal(q.operation, RUN_WRITE);
	assert_int_equal(q.from_usec, NOW - 2 * HOUR);
	assert_int_equal(q.to_usec, NOW - HOUR / 2);
	assert_int_equal(q.points, 200);
	assert_int_equal(q.limit, 7);
	assert_int_equal(q.columns, 60);
	assert_int_equal(q.format, QUERY_CSV);
	assert_int_equal(q.state, QUERY_OPEN);
	assert_int_equal(q.given, all.allowed);
}

static void escapes_and_plus_are_undone(void **state)
{
	(void)state;
	assert_string_equal(parse("repository=a+b%2Bc%c3%A9", &all).repository, "a b+c\xc3\xa9");
	assert_string_equal(parse("&&repository=a&", &all).repository, "a");
	assert_string_equal(parse("repositor%79=a", &all).repository, "a");
}

static void a_span_closes_the_range(void **state)
{
	(void)state;
	struct query q = parse("repository=a", &series);

	assert_int_equal(q.to_usec, NOW);
	assert_int_equal(q.from_usec, NOW - 24 * HOUR);
	q = parse("repository=a&to=now-1h", &series);
	assert_int_equal(q.to_usec, NOW - HOUR);
	assert_int_equal(q.from_usec, NOW - 25 * HOUR);
	q = parse("repository=a&to=3600", &series);
	assert_int_equal(q.to_usec, HOUR);
	assert_int_equal(q.from_usec, 0);
}

static void what_is_wrong_is_said(void **state)
{
	static const struct {
		const char *text;
		const struct query_rules *rules;
		const char *sentence;
	} cases[] = {
		{ "repositroy=a", &all,
			"unknown parameter 'repositroy': did you mean 'repository'?" },
		{ "zzzzzzzz=a", &all, "unknown parameter 'zzzzzzzz'" },
		{ "limit=5&repository=a", &series, "unknown parameter 'limit'" },
		{ "=a", &all, "unknown parameter ''" },
		{ "a-parameter-with-a-very-long-name-indeed=1", &all, "too long" },
		{ "probe=a&probe=b", &all, "parameter 'probe' is given twice" },
		{ "points=5", &series, "parameter 'repository' is missing" },
		{ "repository=", &all, "repository: " },
		{ "repository=a%2Fb", &all, "repository: " },
		{ "repository", &all, "repository: " },
		{ "repository=%ff", &all, "not UTF-8" },
		{ "repository=a%00b", &all, "not UTF-8" },
		{ "repository=%4", &all, "not UTF-8" },
		{ "repository=%zz", &all, "not UTF-8" },
		{ "operation=total", &all,
			"operation: 'total' is not an operation: expected read or write" },
		{ "points=0", &all, "points: " },
		{ "points=5001", &all, "points: " },
		{ "points=-1", &all, "points: " },
		{ "limit=1001", &all, "limit: " },
		{ "limit=", &all, "limit: " },
		{ "format=xml", &all, "format: 'xml' is not a format: expected json or csv" },
		{ "state=shut", &all,
			"state: 'shut' is not a state: expected open, closed or all" },
		{ "from=yesterday", &all, "from: " },
		{ "from=now&to=now-1h", &all, "'from' must be before 'to'" },
		{ "repository=a&from=now", &series, "'from' must be before 'to'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error e = { .text = "" };
		struct query q = { .limit = 77 };
		int r = query_parse(cases[i].text, cases[i].rules, NOW, &q, &e);
		if (r != -EINVAL || !strstr(e.text, cases[i].sentence))
			fail_msg("'%s': %d, '%s'", cases[i].text, r, e.text);
		assert_int_equal(q.limit, 77);
	}
}

static void a_value_of_any_length_is_safe(void **state)
{
	char text[4096] = "repository=";
	struct error e = { .text = "" };
	struct query q;

	(void)state;
	for (size_t i = strlen(text); i < sizeof(text) - 1; i++) {
		text[i] = 'a';
		text[i + 1] = '\0';
		int r = query_parse(text, &all, NOW, &q, &e);
		assert_int_equal(r, i + 1 <= strlen("repository=") + RUN_NAME_MAX ? 0 : -EINVAL);
	}
}

static void a_target_is_cut_and_decoded(void **state)
{
	static const struct {
		const char *target;
		int r;
		const char *path;
		const char *query;
	} cases[] = {
		{ "/", 0, "/", "" },
		{ "/metrics?a=b", 0, "/metrics", "a=b" },
		{ "/a?b?c", 0, "/a", "b?c" },
		{ "/a%62c+d?", 0, "/abc+d", "" },
		{ "", 0, "", "" },
		{ "?x", 0, "", "x" },
		{ "/%", -EINVAL, NULL, NULL },
		{ "/%00", -EINVAL, NULL, NULL },
		{ "/%c3", -EINVAL, NULL, NULL },
		{ "/1234567890123456789012345678901", -ENAMETOOLONG, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[32];
		const char *query = NULL;
		int r = query_split_target(cases[i].target, path, sizeof(path), &query);
		assert_int_equal(r, cases[i].r);
		if (r < 0)
			continue;
		assert_string_equal(path, cases[i].path);
		assert_string_equal(query, cases[i].query);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given_leaves_the_defaults),
		cmocka_unit_test(every_parameter_is_read),
		cmocka_unit_test(escapes_and_plus_are_undone),
		cmocka_unit_test(a_span_closes_the_range),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_value_of_any_length_is_safe),
		cmocka_unit_test(a_target_is_cut_and_decoded),
	};

	return cmocka_run_group_tests_name("http/query", tests, NULL, NULL);
}
