/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to listen on: their form, their real port, and a port that is taken. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "http/listen.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void other_forms_are_refused(void **state)
{
	static const char *const bad[] = { "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
		"127.0.0.1:-1", "127.0.0.1:80x", "localhost:80", ":80", "::1:80", "[::1]",
		"[::1]80", "[::1:80", "[]:80", "*:80", "1.2.3:80", "127.0.0.1 :80",
		"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:1" };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct error e = { .text = "" };
		char address[LISTEN_ADDRESS_SIZE];
		int fd = -1;
		if (listen_open(bad[i], &fd, address, &e) != -EINVAL || fd != -1)
			fail_msg("'%s' is taken", bad[i]);
		assert_non_null(strstr(e.text, "expected ADDRESS:PORT"));
	}
}

static void port_zero_becomes_a_real_one_which_is_then_in_use(void **state)
{
	struct error e = { .text = "" };
	char address[LISTEN_ADDRESS_SIZE];
	char again[LISTEN_ADDRESS_SIZE] = "untouched";
	int fd = -1;
	int second = -1;

	(void)state;
	assert_int_equal(listen_open("127.0.0.1:0", &fd, address, &e), 0);
	assert_memory_equal(address, "127.0.0.1:", 10);
	assert_string_not_equal(address, "127.0.0.1:0");
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(listen_open(address, &second, again, &e), -EADDRINUSE);
	assert_non_null(strstr(e.text, address));
	assert_non_null(strstr(e.text, "is in use"));
	assert_int_equal(second, -1);
	(void)fd_close(fd);
}

static void an_address_of_another_machine_is_named(void **state)
{
	struct error e = { .text = "" };
	char address[LISTEN_ADDRESS_SIZE];
	int fd = -1;

	(void)state;
	assert_int_equal(listen_open("192.0.2.1:0", &fd, address, &e), -EADDRNOTAVAIL);
	assert_non_null(strstr(e.text, "192.0.2.1:0"));
	assert_int_equal(fd, -1);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_forms_are_refused),
		cmocka_unit_test(port_zero_becomes_a_real_one_which_is_then_in_use),
		cmocka_unit_test(an_address_of_another_machine_is_named),
	};

	return cmocka_run_group_tests_name("http/listen", tests, NULL, NULL);
}
