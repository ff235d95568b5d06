/* SPDX-License-Identifier: Apache-2.0 */
/* Who may hold connections of the control socket. */
#include "daemon/control_peers.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

#define OWN 990

/* Connections that are open, as (user, how many). */
struct open {
	uid_t uid;
	size_t count;
};

static const struct admission {
	const char *what;
	struct open open[8];
	uid_t uid;
	int expected;
} admissions[] = {
	{ "the first", { { 0 } }, 1000, 0 },
	{ "one user's sixteenth", { { 1000, 15 } }, 1000, 0 },
	{ "one user's seventeenth", { { 1000, 16 } }, 1000, -EBUSY },
	{ "another user beside it", { { 1000, 16 } }, 1001, 0 },
	{ "a third user when others have their half", { { 1000, 16 }, { 1001, 16 } }, 1002,
		-EBUSY },
	{ "root when others have their half", { { 1000, 16 }, { 1001, 16 } }, 0, 0 },
	{ "the daemon's user then", { { 1000, 16 }, { 1001, 16 } }, OWN, 0 },
	{ "root beside the daemon's user", { { 1000, 16 }, { 1001, 16 }, { OWN, 16 } }, 0, 0 },
	{ "others beside root and the daemon's user", { { 0, 16 }, { OWN, 16 } }, 1000, 0 },
	{ "root's seventeenth", { { 0, 16 } }, 0, -EBUSY },
	{ "the very last", { { 1000, 16 }, { 1001, 16 }, { OWN, 16 }, { 0, 15 } }, 0, 0 },
};

static void each_user_has_a_share_and_root_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(admissions) / sizeof(admissions[0]); i++) {
		const struct admission *a = &admissions[i];
		uid_t held[CONTROL_PEERS_MAX];
		struct error e = { "" };
		size_t count = 0;

		for (size_t k = 0; k < sizeof(a->open) / sizeof(a->open[0]); k++)
			for (size_t n = 0; n < a->open[k].count; n++)
				held[count++] = a->open[k].uid;
		int r = control_peers_admit(held, count, a->uid, OWN, &e);
		if (r != a->expected)
			fail_msg("%s: %d instead of %d", a->what, r, a->expected);
		assert_int_equal(r<0, strlen(e.text)> 0);
	}
}

/* Whoever comes, and in whatever order: never more than there is room for, and root always. */
static void there_is_always_room_for_root(void **state)
{
	uid_t held[CONTROL_PEERS_MAX];
	struct error e = { "" };
	size_t count = 0;
	(void)state;

	for (uid_t uid = 1000; uid < 1400; uid++)
		for (int n = 0; n < 20; n++) {
			uid_t who = n % 5 == 0 ? OWN : uid;
			if (control_peers_admit(held, count, who, OWN, &e) < 0)
				continue;
			assert_true(count < CONTROL_PEERS_MAX);
			held[count++] = who;
		}
	for (size_t n = 0; n < CONTROL_PEERS_OF_UID_MAX; n++) {
		assert_int_equal(control_peers_admit(held, count, 0, OWN, &e), 0);
		assert_true(count < CONTROL_PEERS_MAX);
		held[count++] = 0;
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_user_has_a_share_and_root_its_own),
		cmocka_unit_test(there_is_always_room_for_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
