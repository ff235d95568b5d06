/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about workers are read as they were written; nothing else is accepted. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/worker_note.h"

#define BOOT "0123abcd-0123-4567-89ab-0123456789ab"
#define OTHER_BOOT "ffffffff-0123-4567-89ab-0123456789ab"
#define HEAD "repoprobe workers 1\nboot " BOOT "\n"

static int parse(const char *text, struct worker_note **ret, size_t *ret_count)
{
	struct error error = { "" };
	int r = worker_notes_parse(text, BOOT, ret, ret_count, &error);

	assert_true((r < 0) == (error.text[0] != '\0'));
	return r;
}

static void what_was_written_is_read(void **state)
{
	struct worker_note first = { .pid = 4194304,
		.start_ticks = UINT64_MAX,
		.run_id = INT64_MAX,
		.started_nsec = 5000000000,
		.started_usec = 1796065200000000,
		.stuck_since_usec = 1796065267000000,
		.stuck_count = 3,
		.repository = "a name with blanks, no: a b",
		.probe = "active-full" };
	struct worker_note second = { .pid = 2, .repository = "ä", .probe = "p q" };
	struct buf b = BUF_INIT(4096);
	struct worker_note *notes = NULL;
	size_t count = 0;

	(void)state;
	memcpy(first.repository, "two words", sizeof("two words"));
	worker_notes_begin(&b, BOOT);
	worker_note_add(&b, &first);
	worker_note_add(&b, &second);
	assert_int_equal(parse(buf_text(&b), &notes, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(notes[0].pid, first.pid);
	assert_true(notes[0].start_ticks == first.start_ticks);
	assert_true(notes[0].run_id == first.run_id);
	assert_int_equal(notes[0].started_nsec, first.started_nsec);
	assert_int_equal(notes[0].started_usec, first.started_usec);
	assert_int_equal(notes[0].stuck_since_usec, first.stuck_since_usec);
	assert_int_equal(notes[0].stuck_count, 3);
	assert_string_equal(notes[0].repository, "two words");
	assert_string_equal(notes[0].probe, "active-full");
	assert_string_equal(notes[1].repository, "ä");
	assert_string_equal(notes[1].probe, "p q");
	free(notes);
	buf_done(&b);
}

static void another_boot_has_no_workers(void **state)
{
	struct worker_note *notes = NULL;
	size_t count = 7;

	(void)state;
	assert_int_equal(
		parse("repoprobe workers 1\nboot " OTHER_BOOT "\nworker 2 0 0 0 0 0 0 a/b\n",
			&notes, &count),
		0);
	assert_int_equal(count, 0);
	assert_null(notes);
	assert_int_equal(parse(HEAD, &notes, &count), 0);
	assert_int_equal(count, 0);
}

static void anything_else_is_refused_as_a_whole(void **state)
{
	static const char *const texts[] = {
		"",
		"repoprobe workers 2\nboot " BOOT "\n",
		"repoprobe workers 1\n",
		"repoprobe workers 1\nboot \n",
		"repoprobe workers 1\nboot 0123ABCD-0123-4567-89ab-0123456789ab\n",
		"repoprobe workers 1\nboot 0123abcd-0123-4567-89ab-0123456789abc\n",
		HEAD "\n",
		HEAD "worker\n",
		HEAD "worker 1 0 0 0 0 0 0 a/b\n", /* init */
		HEAD "worker 0 0 0 0 0 0 0 a/b\n",
		HEAD "worker -2 0 0 0 0 0 0 a/b\n",
		HEAD "worker 4194305 0 0 0 0 0 0 a/b\n",
		HEAD "worker 2 0 9223372036854775808 0 0 0 0 a/b\n",
		HEAD "worker 2 0 0 0 9007199254740993 0 0 a/b\n", /* an impossible time */
		HEAD "worker 2 0 0 0 0 9223372036854775807 0 a/b\n",
		HEAD "worker 2 0 0 0 0 0 4294967296 a/b\n",
		HEAD "worker 2 0 0 0 0 0 0 a\n",
		HEAD "worker 2 0 0 0 0 0 0\n",
		HEAD "worker 2 0 0 0 0 0 a/b\n",
		HEAD "worker 2 0 0 0 0 0 0 /b\n",
		HEAD "worker 2 0 0 0 0 0 0 a/\n",
		HEAD "worker 2 0 0 0 0 0 0 a/b/c\n",
		HEAD "worker 2  0 0 0 0 0 0 a/b\n",
		HEAD "worker 2 0 0 0 0 0 0 a/\x01\n",
		HEAD "worker 2 0 0 0 0 0 0 \xff/b\n",
		HEAD "worker 2 0 0 0 0 0 0 a/b\nworker 2 0 0 0 0 0 0 c/d\n", /* one process twice */
		HEAD "worker 2 0 0 0 0 0 0 a/b\nworker 3 0 0 0 0 0 0 a/c\n", /* two workers of one
										repository */
		HEAD "worker 2 0 0 0 0 0 0 a/b\nrubbish\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct worker_note *notes = NULL;
		size_t count = 7;
		if (parse(texts[i], &notes, &count) != -EBADMSG || notes || count != 7)
			fail_msg("text %zu was taken: %s", i, texts[i]);
	}
}

static void a_long_name_and_a_long_list_are_refused(void **state)
{
	struct worker_note *notes = NULL;
	size_t count = 0;
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	buf_add_text(&b, HEAD "worker 2 0 0 0 0 0 0 a/");
	for (int i = 0; i < RUN_NAME_MAX + 1; i++)
		buf_add_char(&b, 'x');
	assert_int_equal(parse(buf_text(&b), &notes, &count), -EBADMSG);
	buf_clear(&b);
	buf_add_text(&b, HEAD);
	for (int i = 0; i < WORKER_NOTES_MAX; i++)
		buf_printf(&b, "worker %d 0 0 0 0 0 0 %d/b\n", i + 2, i);
	assert_int_equal(parse(buf_text(&b), &notes, &count), 0);
	assert_int_equal(count, WORKER_NOTES_MAX);
	free(notes);
	buf_add_text(&b, "worker 4000 0 0 0 0 0 0 last/b\n");
	assert_int_equal(parse(buf_text(&b), &notes, &count), -EBADMSG);
	buf_done(&b);
}

#define AFTER " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 8765 20\n"

static void the_start_of_a_process_is_its_22nd_field(void **state)
{
	static const struct {
		const char *text;
		const char *comm; /* NULL: refused */
	} cases[] = {
		{ "12 (repoprobe-worke)" AFTER, "repoprobe-worke" },
		{ "12 (a) b (c)" AFTER, "a) b (c" },
		{ "12 ())" AFTER, ")" },
		{ "12 ()" AFTER, "" },
		{ "12 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", NULL },
		{ "12 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 -5", NULL },
		{ "12 a" AFTER, NULL },
		{ ")12(", NULL },
		{ "", NULL },
		{ "12 (0123456789012345678901234567890123456789012345678901234567890123456789)" AFTER,
			NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char comm[WORKER_NOTE_COMM_SIZE] = "";
		uint64_t ticks = 0;
		int r = worker_note_read_stat(cases[i].text, comm, &ticks);
		if (!cases[i].comm) {
			assert_int_equal(r, -EBADMSG);
			continue;
		}
		assert_int_equal(r, 0);
		assert_string_equal(comm, cases[i].comm);
		assert_int_equal(ticks, 8765);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(another_boot_has_no_workers),
		cmocka_unit_test(anything_else_is_refused_as_a_whole),
		cmocka_unit_test(a_long_name_and_a_long_list_are_refused),
		cmocka_unit_test(the_start_of_a_process_is_its_22nd_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
