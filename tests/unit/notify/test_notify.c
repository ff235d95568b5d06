/* SPDX-License-Identifier: Apache-2.0 */
/* The notifier's thread and queue. Its channel writes to stderr here, which is a pipe of the test:
 * a full pipe is a delivery that hangs. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "notify/notify.h"

#define PATIENCE_MSEC 10000
#define STOP_NSEC (10 * NSEC_PER_SEC)

struct stderr_pipe {
	int saved;
	int read_end;
};

static struct stderr_pipe redirect(void)
{
	struct stderr_pipe p;
	int ends[2];

	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	p.saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	assert_true(p.saved >= 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	fd_close(ends[1]);
	p.read_end = ends[0];
	return p;
}

static void restore(struct stderr_pipe *p)
{
	assert_int_equal(dup2(p->saved, STDERR_FILENO), STDERR_FILENO);
	p->saved = fd_close(p->saved);
	p->read_end = fd_close(p->read_end);
}

/* Fills the pipe to the last byte, so that the next write waits. */
static void fill(void)
{
	static const char blanks[4096] = { 0 };
	int flags = fcntl(STDERR_FILENO, F_GETFL);

	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK), 0);
	while (write(STDERR_FILENO, blanks, sizeof(blanks)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	while (write(STDERR_FILENO, blanks, 1) > 0)
		;
	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, flags), 0);
}

/* Reads until the text ends with this line. */
static void read_until(int fd, const char *line)
{
	char last[512] = "";
	size_t len = 0;

	while (len < strlen(line) || memcmp(last + len - strlen(line), line, strlen(line)) != 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		assert_int_equal(poll(&p, 1, PATIENCE_MSEC), 1);
		if (len == sizeof(last)) {
			memmove(last, last + len / 2, len / 2);
			len /= 2;
		}
		assert_int_equal(read(fd, last + len, 1), 1);
		len++;
	}
}

static struct message message(unsigned number, const char *channel, const char *text)
{
	struct message m = {
		.created_usec = 1796061600000000,
		.event = { .incident_id = 12, .sequence = number, .level = ALARM_WARNING },
	};

	(void)snprintf(m.key, sizeof(m.key), "%s/12/%u", channel, number);
	(void)snprintf(m.channel, sizeof(m.channel), "%s", channel);
	(void)snprintf(m.text, sizeof(m.text), "%s", text);
	return m;
}

static struct notifier *start(size_t max_queue)
{
	struct notifier *n = NULL;
	struct error e = { "" };

	assert_int_equal(notifier_start(max_queue, &n, &e), 0);
	assert_non_null(n);
	return n;
}

static bool is_readable(const struct notifier *n, int timeout_msec)
{
	struct pollfd p = { .fd = notifier_fd(n), .events = POLLIN };

	return poll(&p, 1, timeout_msec) == 1;
}

static struct notify_result wait_for_result(struct notifier *n)
{
	struct notify_result result;

	assert_true(is_readable(n, PATIENCE_MSEC));
	assert_int_equal(notifier_take(n, &result), 0);
	return result;
}

static void messages_become_lines_by_level_and_results_in_order(void **unused)
{
	struct stderr_pipe p = redirect();
	struct notifier *n = start(8);
	struct message first = message(0, "journal", "nas1: writes are slow");
	struct message second = message(1, "journal", "nas1: worse");
	struct message third = message(2, "journal", "nas1: cleared");
	struct notify_result result;

	(void)unused;
	second.event.level = ALARM_CRITICAL;
	second.event.change = INCIDENT_WORSE;
	third.event.level = ALARM_CRITICAL;
	third.event.change = INCIDENT_CLEARED;
	assert_int_equal(notifier_take(n, &result), -EAGAIN);
	assert_false(is_readable(n, 0));
	assert_int_equal(notifier_submit(n, &first), 0);
	assert_int_equal(notifier_submit(n, &second), 0);
	assert_int_equal(notifier_submit(n, &third), 0);
	read_until(p.read_end, "warning: nas1: writes are slow\n");
	read_until(p.read_end, "critical: nas1: worse\n");
	read_until(p.read_end, "nas1: cleared\n");
	for (int i = 0; i < 3; i++) {
		char key[MESSAGE_KEY_MAX + 1];
		result = wait_for_result(n);
		(void)snprintf(key, sizeof(key), "journal/12/%d", i);
		assert_string_equal(result.key, key);
		assert_int_equal(result.error, 0);
	}
	assert_false(is_readable(n, 0));
	assert_int_equal(notifier_take(n, &result), -EAGAIN);
	assert_null(notifier_stop(n, STOP_NSEC));
	restore(&p);
}

static void a_repeat_without_a_journal_is_written_again(void **unused)
{
	struct stderr_pipe p = redirect();
	struct notifier *n = start(8);
	struct message m = message(0, "journal", "nas1: perhaps said before");

	(void)unused;
	m.tries = 2;
	assert_int_equal(notifier_submit(n, &m), 0);
	read_until(p.read_end, "warning: nas1: perhaps said before\n");
	assert_int_equal(wait_for_result(n).error, 0);
	assert_null(notifier_stop(n, STOP_NSEC));
	restore(&p);
}

static void an_unknown_channel_is_a_failed_delivery(void **unused)
{
	struct notifier *n = start(1);
	struct message m = message(0, "pigeon", "coo");

	(void)unused;
	assert_int_equal(notifier_submit(n, &m), 0);
	struct notify_result result = wait_for_result(n);
	assert_string_equal(result.key, "pigeon/12/0");
	assert_int_equal(result.error, -ENOENT);
	assert_null(notifier_stop(n, STOP_NSEC));
}

static void the_queue_holds_no_more_than_its_maximum(void **unused)
{
	struct stderr_pipe p = redirect();
	struct notifier *n = start(2);
	struct message m = message(0, "journal", "first");
	struct message next = message(1, "journal", "second");
	struct message last = message(2, "journal", "third");

	(void)unused;
	fill();
	assert_int_equal(notifier_submit(n, &m), 0);
	assert_int_equal(notifier_submit(n, &next), 0);
	assert_int_equal(notifier_submit(n, &last), -ENOBUFS);
	read_until(p.read_end, "warning: first\n");
	read_until(p.read_end, "warning: second\n");
	/* A result that nobody took takes room too. */
	assert_true(is_readable(n, PATIENCE_MSEC));
	assert_int_equal(notifier_submit(n, &last), -ENOBUFS);
	assert_string_equal(wait_for_result(n).key, "journal/12/0");
	assert_int_equal(notifier_submit(n, &last), 0);
	read_until(p.read_end, "warning: third\n");
	assert_null(notifier_stop(n, STOP_NSEC));
	restore(&p);
}

static void a_stop_delivers_what_waits(void **unused)
{
	struct stderr_pipe p = redirect();
	struct notifier *n = start(64);
	char text[32];

	(void)unused;
	for (unsigned i = 0; i < 64; i++) {
		(void)snprintf(text, sizeof(text), "message %u", i);
		struct message m = message(i, "journal", text);
		assert_int_equal(notifier_submit(n, &m), 0);
	}
	assert_null(notifier_stop(n, STOP_NSEC));
	for (unsigned i = 0; i < 64; i++) {
		(void)snprintf(text, sizeof(text), "warning: message %u\n", i);
		read_until(p.read_end, text);
	}
	restore(&p);
}

static size_t count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	size_t count = 0;

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		count += e->d_name[0] != '.';
	(void)closedir(d);
	return count;
}

/* Reads what comes until the thread is gone. Returns true if the text was in it. */
static bool drain_until_gone(int fd, size_t threads, const char *text)
{
	static char all[512 << 10];
	size_t len = 0;

	for (int i = 0; i < PATIENCE_MSEC; i++) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		bool is_gone = count_threads() == threads;
		if (poll(&p, 1, 1) == 1 && len + 1 < sizeof(all)) {
			ssize_t n = read(fd, all + len, sizeof(all) - len - 1);
			assert_true(n > 0);
			len += (size_t)n;
		} else if (is_gone) {
			return memmem(all, len, text, strlen(text)) != NULL;
		}
	}
	fail_msg("the thread did not end");
	return false;
}

/* All messages are more than the pipe can hold and wait before the first can be written: whoever
 * has read the first knows that the thread hangs in a later one, or soon will. */
static void a_stop_does_not_wait_for_a_delivery_that_hangs(void **unused)
{
	enum { MESSAGES = 256 };
	struct stderr_pipe p = redirect();
	size_t threads = count_threads();
	struct notifier *n = start(MESSAGES);
	char text[MESSAGE_TEXT_MAX + 1];

	(void)unused;
	assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
	fill();
	memset(text, 'x', sizeof(text));
	for (unsigned i = 0; i < MESSAGES; i++) {
		(void)snprintf(text + sizeof(text) - 5, 5, "<%u>", i % 100);
		if (i == MESSAGES - 1)
			(void)snprintf(text + sizeof(text) - 6, 6, "<end>");
		struct message m = message(i, "journal", text);
		assert_int_equal(notifier_submit(n, &m), 0);
	}
	read_until(p.read_end, "x<0>\n");
	assert_null(notifier_stop(n, NSEC_PER_MSEC)); /* a hang here fails the test by time */
	assert_int_equal(count_threads(), threads + 1);
	/* It comes back from its delivery, begins no other, frees everything and ends. */
	assert_false(drain_until_gone(p.read_end, threads, "<end>"));
	restore(&p);
}

static void stopping_nothing_is_allowed(void **unused)
{
	(void)unused;
	assert_null(notifier_stop(NULL, STOP_NSEC));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_become_lines_by_level_and_results_in_order),
		cmocka_unit_test(a_repeat_without_a_journal_is_written_again),
		cmocka_unit_test(an_unknown_channel_is_a_failed_delivery),
		cmocka_unit_test(the_queue_holds_no_more_than_its_maximum),
		cmocka_unit_test(a_stop_delivers_what_waits),
		cmocka_unit_test(a_stop_does_not_wait_for_a_delivery_that_hangs),
		cmocka_unit_test(stopping_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
