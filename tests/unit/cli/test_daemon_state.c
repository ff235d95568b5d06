/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon's command line says of its state directory. */
#include "cli/daemon_state.h"

#include <errno.h>

#include "base/buf.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ETC SYSCONFDIR "/repoprobe/repoprobe.conf"

/* Words are written with \0 between them; the last one's is the string's own. */
#define WORDS(text) (text), sizeof(text)

static void a_command_line_tells_the_state_directory(void **state)
{
	static const struct {
		const char *words;
		size_t len;
		const char *config;
		const char *expected; /* NULL: it is another's, or says nothing */
	} cases[] = {
		{ WORDS("/usr/sbin/repoprobed\0--state-directory\0/s"), ETC, "/s" },
		{ WORDS("repoprobed\0--state-directory=/s\0--foreground"), ETC, "/s" },
		{ WORDS("./repoprobed\0--state-directory\0s"), ETC, "/home/s" },
		{ WORDS("repoprobed\0--state-directory\0/s\0--state-directory\0/t"), ETC, "/t" },
		{ WORDS("repoprobed\0--state-directory\0/s\0--config\0/none/a.conf"), ETC, NULL },
		{ WORDS("repoprobed\0--state-directory\0/s\0--config\0/none/a.conf"),
			"/none/a.conf", "/s" },
		{ WORDS("repoprobed\0--config=a.conf\0--state-directory=/s"), "/home/a.conf",
			"/s" },
		{ WORDS("repoprobed\0--state-directory\0/s"), "/none/a.conf", NULL },
		{ WORDS("repoprobed\0--state-directory"), ETC, NULL },
		{ WORDS("repoprobed\0--state-directory="), ETC, NULL },
		{ WORDS("repoprobed\0--state-directory-of\0/s"), ETC, NULL },
		{ WORDS("repoprobed"), ETC, NULL },
		{ WORDS("repoprobe\0--state-directory\0/s"), ETC, NULL },
		{ WORDS("/repoprobed/vi\0--state-directory\0/s"), ETC, NULL },
		{ "", 0, ETC, NULL }, /* a kernel thread, or a zombie */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf found = BUF_INIT(256);
		int r = daemon_state_of(
			cases[i].words, cases[i].len, "/home", cases[i].config, &found);
		assert_int_equal(r, cases[i].expected ? 0 : -ENOENT);
		assert_string_equal(buf_text(&found), cases[i].expected ? cases[i].expected : "");
		buf_done(&found);
	}
}

/* A process may write over its words: then no NUL need be at their end. */
static void words_without_an_end_are_none(void **state)
{
	static const char words[] = { 'r', 'e', 'p', 'o', 'p', 'r', 'o', 'b', 'e', 'd' };
	struct buf found = BUF_INIT(256);

	(void)state;
	assert_int_equal(daemon_state_of(words, sizeof(words), "/", ETC, &found), -ENOENT);
	buf_done(&found);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_line_tells_the_state_directory),
		cmocka_unit_test(words_without_an_end_are_none),
	};

	return cmocka_run_group_tests_name("daemon_state", tests, NULL, NULL);
}
