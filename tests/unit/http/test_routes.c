/* SPDX-License-Identifier: Apache-2.0 */
/* The table of endpoints: what is there, what comes later, and that nothing can be changed. */
#include "test.h"

#include <stddef.h>
#include <string.h>

#include "http/query.h"
#include "http/routes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum outcome {
	HERE,
	LATER,
	NOWHERE,
};

static void paths_lead_where_they_should(void **state)
{
	static const struct {
		const char *path;
		enum outcome outcome;
		const char *rest;
	} cases[] = {
		{ "/", HERE, "" },
		{ "/a/0123/app.mjs", HERE, "0123/app.mjs" },
		{ "/metrics", HERE, "" },
		{ "/-/healthy", HERE, "" },
		{ "/-/ready", HERE, "" },
		{ "/api/v1/overview", HERE, "" },
		{ "/api/v1/runs", HERE, "" },
		{ "/api/v1/runs/17", HERE, "17" },
		{ "/api/v1/series", HERE, "" },
		{ "/api/v1/repositories", LATER, "" },
		{ "/api/v1/repositories/a", LATER, "a" },
		{ "/api/v1/heatmap", HERE, "" },
		{ "/api/v1/incidents", HERE, "" },
		{ "/api/v1/incidents/1", HERE, "1" },
		{ "/api/v1/status", LATER, "" },
		{ "", NOWHERE, NULL },
		{ "/a", NOWHERE, NULL },
		{ "/a/", NOWHERE, NULL },
		{ "/metrics/", NOWHERE, NULL },
		{ "/Metrics", NOWHERE, NULL },
		{ "/api/v1/runs/", NOWHERE, NULL },
		{ "/api/v1/overview2", NOWHERE, NULL },
		{ "/api/v2/overview", NOWHERE, NULL },
		{ "*", NOWHERE, NULL },
		{ "http://localhost/", NOWHERE, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *rest = NULL;
		const struct route *route = routes_find(cases[i].path, &rest);
		enum outcome outcome = !route ? NOWHERE : route->handle ? HERE : LATER;
		if (outcome != cases[i].outcome)
			fail_msg("%s", cases[i].path);
		if (route)
			assert_string_equal(rest, cases[i].rest);
	}
}

static void only_get_and_head_are_allowed(void **state)
{
	static const char *const paths[] = { "/", "/metrics", "/api/v1/overview",
		"/api/v1/runs/1" };
	static const char *const others[] = { "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
		"get", "GE", "GETX", "" };
	const char *rest = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++) {
		const struct route *route = routes_find(paths[i], &rest);
		assert_true(routes_allow(route, "GET"));
		assert_true(routes_allow(route, "HEAD"));
		assert_string_equal(route->methods, "GET, HEAD");
		for (size_t k = 0; k < COUNT(others); k++)
			assert_false(routes_allow(route, others[k]));
	}
	assert_true(routes_is_read("GET"));
	assert_true(routes_is_read("HEAD"));
	assert_false(routes_is_read("POST"));
}

static void required_parameters_are_allowed_ones(void **state)
{
	static const char *const paths[] = { "/api/v1/overview", "/api/v1/runs", "/api/v1/runs/1",
		"/api/v1/series" };
	const char *rest = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++) {
		const struct query_rules *rules = routes_find(paths[i], &rest)->rules;
		assert_non_null(rules);
		assert_int_equal(rules->required & ~rules->allowed, 0);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_where_they_should),
		cmocka_unit_test(only_get_and_head_are_allowed),
		cmocka_unit_test(required_parameters_are_allowed_ones),
	};

	return cmocka_run_group_tests_name("http/routes", tests, NULL, NULL);
}
