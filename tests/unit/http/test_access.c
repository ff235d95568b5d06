/* SPDX-License-Identifier: Apache-2.0 */
/* Which Host headers name this server. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "http/access.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct host_case {
	const char *header;
	bool is_allowed;
};

static void check(const struct access *access, const struct host_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (access_allows(access, cases[i].header) != cases[i].is_allowed)
			fail_msg("'%s' is %s", cases[i].header,
				cases[i].is_allowed ? "refused" : "allowed");
}

static void loopback_is_known_under_all_its_names(void **state)
{
	static const struct host_case cases[] = {
		{ "localhost", true },
		{ "LocalHost:9847", true },
		{ "localhost.:1", true },
		{ "127.0.0.1", true },
		{ "127.0.0.1:80", true },
		{ "[::1]", true },
		{ "[::1]:9847", true },
		{ "[0:0:0:0:0:0:0:1]:9847", true },
		{ NULL, true },
		{ "", false },
		{ "evil.example", false },
		{ "localhost.evil.example", false },
		{ "localhost:80:80", false },
		{ "localhost:80x", false },
		{ "localhost/", false },
		{ "user@localhost", false },
		{ " localhost", false },
		{ "127.0.0.2", false },
		{ "192.168.1.5", false },
		{ "[::2]", false },
		{ "[::1", false },
		{ "[]", false },
		{ "[localhost]", false },
		{ "[127.0.0.1]x", false },
		{ ".", false },
		{ ":80", false },
	};
	struct access *access = access_new();

	(void)state;
	check(access, cases, COUNT(cases));
	access_free(access);
}

static void added_hosts_are_allowed_and_no_others(void **state)
{
	static const struct host_case cases[] = {
		{ "nas.example", true },
		{ "NAS.example.:443", true },
		{ "192.168.1.5:9847", true },
		{ "[fe80::5]:1", true },
		{ "[2001:DB8:0::7]", true },
		{ "192.168.1.6", false },
		{ "example", false },
	};
	struct access *access = access_new();

	(void)state;
	assert_int_equal(access_add(access, "Nas.Example"), 0);
	assert_int_equal(access_add(access, "192.168.1.5:9847"), 0);
	assert_int_equal(access_add(access, "[fe80:0::5]:9847"), 0);
	assert_int_equal(access_add(access, "2001:db8::7"), 0);
	assert_int_equal(access_add(access, "nas.example"), 0); /* again */
	check(access, cases, COUNT(cases));
	access_free(access);
}

static void a_wildcard_address_allows_addresses_but_no_names(void **state)
{
	static const char *const wildcards[] = { "0.0.0.0:9847", "[::]:9847" };
	static const struct host_case cases[] = {
		{ "192.168.1.5:9847", true },
		{ "[2001:db8::1]", true },
		{ "localhost", true },
		{ "evil.example", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wildcards); i++) {
		struct access *access = access_new();
		assert_int_equal(access_add(access, wildcards[i]), 0);
		check(access, cases, COUNT(cases));
		access_free(access);
	}
}

static void what_is_no_host_is_not_added(void **state)
{
	static const char *const bad[] = { "", "a b", "http://nas/", "nas/", "[::1]x", "[nas]" };
	struct access *access = access_new();
	char too_long[ACCESS_HOST_SIZE + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(access_add(access, bad[i]), -EINVAL);
	memset(too_long, 'a', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	assert_int_equal(access_add(access, too_long), -EINVAL);
	assert_false(access_allows(access, too_long));
	too_long[ACCESS_HOST_SIZE - 1] = '\0';
	assert_int_equal(access_add(access, too_long), 0);
	assert_true(access_allows(access, too_long));
	access_free(access);
}

static void the_list_has_an_end(void **state)
{
	struct access *access = access_new();
	int r = 0;
	int added = 0;

	(void)state;
	while (r == 0 && added <= ACCESS_HOSTS_MAX) {
		char host[32];
		(void)snprintf(host, sizeof(host), "host%d", added);
		r = access_add(access, host);
		added += r == 0;
	}
	assert_int_equal(r, -ENOBUFS);
	assert_int_equal(added, ACCESS_HOSTS_MAX - 3);
	access_free(access);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_is_known_under_all_its_names),
		cmocka_unit_test(added_hosts_are_allowed_and_no_others),
		cmocka_unit_test(a_wildcard_address_allows_addresses_but_no_names),
		cmocka_unit_test(what_is_no_host_is_not_added),
		cmocka_unit_test(the_list_has_an_end),
	};

	return cmocka_run_group_tests_name("http/access", tests, NULL, NULL);
}
