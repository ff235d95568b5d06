/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log, captured in a pipe that replaces stderr. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/log_queue.h"
#include "base/parse.h"

struct capture {
	int saved;
	int read_end;
	char text[20000];
};

static int start_capture(void **state)
{
	struct capture *c = calloc(1, sizeof(*c));
	int pair[2];

	*state = c;
	if (!c || pipe2(pair, O_CLOEXEC | O_DIRECT) < 0)
		return -1;
	c->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	c->read_end = pair[0];
	if (c->saved < 0 || dup2(pair[1], STDERR_FILENO) < 0)
		return -1;
	fd_close(pair[1]);
	log_set_level(LOG_LEVEL_INFO);
	return unsetenv("JOURNAL_STREAM");
}

static int stop_capture(void **state)
{
	struct capture *c = *state;
	int r = dup2(c->saved, STDERR_FILENO) < 0 ? -1 : 0;

	fd_close(c->saved);
	fd_close(c->read_end);
	free(c);
	return r;
}

/* One read returns one write: the pipe is in packet mode. */
static const char *next_line(struct capture *c)
{
	ssize_t n = read(c->read_end, c->text, sizeof(c->text) - 1);

	assert_true(n > 0);
	c->text[n] = '\0';
	return c->text;
}

static void only_serious_lines_say_their_level(void **state)
{
	log_info("started on %s", "nas");
	assert_string_equal(next_line(*state), "started on nas\n");
	log_notice("reloaded");
	assert_string_equal(next_line(*state), "reloaded\n");
	log_warning("slow");
	assert_string_equal(next_line(*state), "warning: slow\n");
	log_error("bad");
	assert_string_equal(next_line(*state), "error: bad\n");
	log_critical("end");
	assert_string_equal(next_line(*state), "critical: end\n");
}

static void lines_below_the_level_are_dropped(void **state)
{
	log_debug("hidden");
	log_info("shown");
	assert_string_equal(next_line(*state), "shown\n");
	log_set_level(LOG_LEVEL_ERROR);
	log_warning("hidden");
	log_error("shown");
	assert_string_equal(next_line(*state), "error: shown\n");
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("shown");
	assert_string_equal(next_line(*state), "shown\n");
}

static void promised_lines_pass_every_level(void **state)
{
	log_set_level(LOG_LEVEL_ERROR);
	log_warning("dropped");
	log_always(LOG_LEVEL_WARNING, "kept");
	log_set_level(LOG_LEVEL_INFO);
	assert_string_equal(next_line(*state), "warning: kept\n");
}

static void one_event_is_one_line(void **state)
{
	log_info("first\nsecond\r\nthird\x1b[31m\n");
	assert_string_equal(next_line(*state), "first second  third [31m\n");
}

static void a_long_event_is_cut_between_characters(void **state)
{
	struct capture *c = *state;
	char text[9001];

	for (size_t i = 0; i < 9000; i += 3)
		memcpy(text + i, "€", 3);
	text[9000] = '\0';
	for (int i = 1; i <= 3; i++) {
		log_info("%.*s%s", i, "xxx", text);
		assert_true(strlen(next_line(c)) > 4000);
		assert_true(parse_is_utf8(c->text));
		assert_null(strchr(c->text, '?'));
		assert_ptr_equal(strchr(c->text, '\n'), c->text + strlen(c->text) - 1);
	}
}

static void the_journal_gets_priorities(void **state)
{
	struct stat st;
	char stream[64];

	assert_false(log_is_journal());
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(
		stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
	assert_true(log_is_journal());
	log_warning("slow");
	assert_string_equal(next_line(*state), "<4>slow\n");
	log_info("fine");
	assert_string_equal(next_line(*state), "<6>fine\n");
	assert_int_equal(setenv("JOURNAL_STREAM", "1:2", 1), 0);
	assert_false(log_is_journal());
}

static void logging_keeps_errno(void **state)
{
	errno = EIO;
	log_info("x");
	assert_int_equal(errno, EIO);
	assert_string_equal(next_line(*state), "x\n");
}

/* --- The queue ---------------------------------------------------------- */

static void a_full_queue_loses_the_newest_lines_and_counts_them_in_their_place(void **state)
{
	struct log_queue *queue = calloc(1, sizeof(*queue));
	char line[LOG_LINE_MAX];
	char taken[LOG_LINE_MAX];
	uint32_t lost;

	(void)state;
	assert_non_null(queue);
	for (int round = 0; round < 50;
		round++) { /* so that every position wraps at the ring's end */
		unsigned kept = 0;
		memset(line, 'a' + round % 26, sizeof(line));
		size_t len = 1 + (size_t)(round * 83) % LOG_LINE_MAX;
		while (log_queue_push(queue, line, len))
			kept++;
		assert_true(kept >= LOG_QUEUE_BYTES / (LOG_LINE_MAX + 16));
		assert_false(log_queue_push(queue, line, len));
		assert_int_equal(log_queue_pop(queue, taken, &lost), len);
		assert_int_equal(lost, 0);
		assert_true(log_queue_push(queue, line, len));
		for (unsigned i = 0; i < kept; i++) {
			assert_int_equal(log_queue_pop(queue, taken, &lost), len);
			assert_memory_equal(taken, line, len);
			assert_int_equal(lost, i + 1 == kept ? 2 : 0);
		}
		assert_int_equal(log_queue_pop(queue, taken, &lost), 0);
		assert_int_equal(lost, 0);
	}
	free(queue);
}

static void lines_lost_at_the_end_are_said_when_all_others_are_taken(void **state)
{
	struct log_queue *queue = calloc(1, sizeof(*queue));
	char line[LOG_LINE_MAX] = "x";
	uint32_t lost = 0;
	uint32_t sum = 0;

	(void)state;
	assert_non_null(queue);
	while (log_queue_push(queue, line, sizeof(line)))
		continue;
	while (log_queue_pop(queue, line, &lost) > 0)
		sum += lost;
	assert_int_equal(sum, 0);
	assert_int_equal(lost, 1);
	assert_int_equal(log_queue_pop(queue, line, &lost), 0);
	assert_int_equal(lost, 0);
	free(queue);
}

/* --- A reader that stops ------------------------------------------------ */

static void fill_pipe(void)
{
	int flags = fcntl(STDERR_FILENO, F_GETFL);

	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK), 0);
	while (write(STDERR_FILENO, "filler\n", 7) > 0)
		continue;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, flags), 0);
}

static void a_full_pipe_holds_nobody_and_what_is_lost_is_said(void **state)
{
	struct capture *c = *state;
	const uint64_t lost_before = log_lost_lines();
	const unsigned count = 20000;
	unsigned next = 0;
	unsigned skipped = 0;
	unsigned said = 0;

	fill_pipe();
	(void)alarm(60); /* ends a test that would block forever */
	assert_int_equal(log_start(), 0);
	for (unsigned i = 0; i < count; i++)
		log_info("line %u", i);
	assert_in_range(log_lost_lines() - lost_before, 1, count - 1);
	/* The thread takes one line and then blocks on it: this makes room once. */
	if (log_always(LOG_LEVEL_WARNING, "promised") == 0)
		assert_int_equal(log_always(LOG_LEVEL_WARNING, "promised"), -ENOBUFS);
	const unsigned lost = (unsigned)(log_lost_lines() - lost_before);
	while (next + skipped < count || skipped < lost) {
		unsigned number;
		const char *line = next_line(c);
		if (sscanf(line, "line %u\n", &number) == 1)
			assert_int_equal(number, next++ + skipped);
		else if (sscanf(line, "warning: %u lines of the log are lost here", &said) == 1 ||
			sscanf(line, "warning: %u line of the log is lost here", &said) == 1)
			skipped += said;
		else if (strcmp(line, "warning: promised\n") != 0)
			assert_string_equal(line, "filler\n");
	}
	assert_int_equal(skipped, lost);
	log_info("as before");
	assert_string_equal(next_line(c), "as before\n");
	assert_true(log_stop(20 * NSEC_PER_SEC));
	(void)alarm(0);
}

static void a_stop_writes_what_waits(void **state)
{
	assert_int_equal(log_start(), 0);
	log_info("last");
	assert_true(log_stop(20 * NSEC_PER_SEC));
	assert_string_equal(next_line(*state), "last\n");
	log_info("later");
	assert_string_equal(next_line(*state), "later\n");
	assert_true(log_stop(0));
}

/* In a child, because the abandoned thread ends only with its process. */
static void a_stop_does_not_wait_for_a_reader(void **state)
{
	int status;

	(void)state;
	fill_pipe();
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)alarm(60);
		if (log_start() < 0)
			_exit(2);
		log_info("never read");
		_exit(log_stop(NSEC_PER_MSEC) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void who_never_waits_loses_what_does_not_fit(void **state)
{
	const uint64_t lost_before = log_lost_lines();
	int status;

	(void)state;
	fill_pipe();
	pid_t child = fork(); /* the mode cannot be reset */
	assert_true(child >= 0);
	if (child == 0) {
		(void)alarm(60);
		log_never_wait();
		log_info("lost");
		_exit(log_lost_lines() == lost_before + 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void level_names_are_read(void **state)
{
	static const enum log_level levels[] = { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING,
		LOG_LEVEL_NOTICE, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
	enum log_level level = LOG_LEVEL_CRITICAL;

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		assert_int_equal(log_parse_level(log_level_name(levels[i]), &level), 0);
		assert_int_equal(level, levels[i]);
	}
	assert_int_equal(log_parse_level("critical", &level), -EINVAL);
	assert_int_equal(log_parse_level("", &level), -EINVAL);
	assert_int_equal(log_parse_level("Info", &level), -EINVAL);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_serious_lines_say_their_level, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			lines_below_the_level_are_dropped, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			promised_lines_pass_every_level, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(one_event_is_one_line, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			a_long_event_is_cut_between_characters, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			the_journal_gets_priorities, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(logging_keeps_errno, start_capture, stop_capture),
		cmocka_unit_test(
			a_full_queue_loses_the_newest_lines_and_counts_them_in_their_place),
		cmocka_unit_test(lines_lost_at_the_end_are_said_when_all_others_are_taken),
		cmocka_unit_test_setup_teardown(
			a_stop_does_not_wait_for_a_reader, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			who_never_waits_loses_what_does_not_fit, start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(a_full_pipe_holds_nobody_and_what_is_lost_is_said,
			start_capture, stop_capture),
		cmocka_unit_test_setup_teardown(
			a_stop_writes_what_waits, start_capture, stop_capture),
		cmocka_unit_test(level_names_are_read),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
