/* SPDX-License-Identifier: Apache-2.0 */
/* What an entry of the journal holds, and that it arrives at the journal's socket: the test is the
 * journal, in a mount namespace of its own. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "notify/journal.h"

#define DATAGRAM_MAX 16384
#define PATIENCE_MSEC 10000
#define EXIT_SKIP 77

static struct message sample(void)
{
	return (struct message){
		.key = "journal/12/0",
		.channel = "journal",
		.created_usec = 1796061600000000,
		.text = "nas1: writes of active-full take 20 ms on average",
		.event = {
			.incident_id = 12,
			.change = INCIDENT_OPENED,
			.level = ALARM_WARNING,
			.reason = ALARM_REASON_LIMIT,
			.repository = "nas1",
			.probe = "active-full",
			.operation = RUN_WRITE,
			.value_nsec = 20 * NSEC_PER_MSEC,
			.limit_nsec = 15 * NSEC_PER_MSEC,
		},
	};
}

static bool has_field(const struct journal_entry *entry, const char *field)
{
	struct iovec fields[JOURNAL_FIELDS_MAX];
	size_t count = journal_entry_fields(entry, fields);

	for (size_t i = 0; i < count; i++)
		if (fields[i].iov_len == strlen(field) &&
			memcmp(fields[i].iov_base, field, fields[i].iov_len) == 0)
			return true;
	return false;
}

static bool has_name(const struct journal_entry *entry, const char *name)
{
	struct iovec fields[JOURNAL_FIELDS_MAX];
	size_t count = journal_entry_fields(entry, fields);

	for (size_t i = 0; i < count; i++)
		if (strncmp(fields[i].iov_base, name, strlen(name)) == 0)
			return true;
	return false;
}

static void an_entry_has_all_facts_as_fields(void **unused)
{
	static const char *const expected[] = {
		"MESSAGE=nas1: writes of active-full take 20 ms on average",
		"PRIORITY=4",
		"MESSAGE_ID=a138948e20d99e89403c33e44b16b5a8",
		"SYSLOG_IDENTIFIER=repoprobed",
		"DOCUMENTATION=man:repoprobed(8)",
		"REPOPROBE_KEY=journal/12/0",
		"REPOPROBE_CREATED_USEC=1796061600000000",
		"REPOPROBE_INCIDENT=12",
		"REPOPROBE_CHANGE=opened",
		"REPOPROBE_LEVEL=warning",
		"REPOPROBE_REASON=limit",
		"REPOPROBE_REPOSITORY=nas1",
		"REPOPROBE_PROBE=active-full",
		"REPOPROBE_OPERATION=write",
		"REPOPROBE_VALUE_SECONDS=0.020000000",
		"REPOPROBE_LIMIT_SECONDS=0.015000000",
	};
	const size_t count = sizeof(expected) / sizeof(expected[0]);
	struct message m = sample();
	struct journal_entry entry;

	(void)unused;
	assert_int_equal(journal_entry_init(&entry, &m), 0);
	for (size_t i = 0; i < count; i++)
		if (!has_field(&entry, expected[i]))
			fail_msg("missing: %s", expected[i]);
	assert_int_equal(entry.count, count);
	journal_entry_done(&entry);
}

static void priority_and_id_follow_the_change(void **unused)
{
	static const struct {
		enum incident_change change;
		enum alarm_level level;
		const char *priority;
		const char *id;
	} cases[] = {
		{ INCIDENT_OPENED, ALARM_CRITICAL, "PRIORITY=2",
			"MESSAGE_ID=a138948e20d99e89403c33e44b16b5a8" },
		{ INCIDENT_WORSE, ALARM_WARNING, "PRIORITY=4",
			"MESSAGE_ID=d4663553e60f1524186777aa7b7a8f1b" },
		{ INCIDENT_WORSE, ALARM_CRITICAL, "PRIORITY=2",
			"MESSAGE_ID=d4663553e60f1524186777aa7b7a8f1b" },
		{ INCIDENT_CLEARED, ALARM_CRITICAL, "PRIORITY=5",
			"MESSAGE_ID=31143a97bf0b6253c29960eae7b3befb" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct message m = sample();
		struct journal_entry entry;
		m.event.change = cases[i].change;
		m.event.level = cases[i].level;
		assert_int_equal(journal_entry_init(&entry, &m), 0);
		assert_true(has_field(&entry, cases[i].priority));
		assert_true(has_field(&entry, cases[i].id));
		journal_entry_done(&entry);
	}
}

static void what_is_no_longer_judged_has_no_value(void **unused)
{
	struct message m = sample();
	struct journal_entry entry;

	(void)unused;
	m.event.change = INCIDENT_CLEARED;
	m.event.value_nsec = 0;
	m.event.limit_nsec = 0;
	assert_int_equal(journal_entry_init(&entry, &m), 0);
	assert_false(has_name(&entry, "REPOPROBE_VALUE_SECONDS"));
	assert_false(has_name(&entry, "REPOPROBE_LIMIT_SECONDS"));
	journal_entry_done(&entry);
}

static void the_longest_message_fits(void **unused)
{
	struct message m = sample();
	struct journal_entry entry;

	(void)unused;
	/* Each byte that is not UTF-8 becomes three. */
	memset(m.text, 0xff, sizeof(m.text) - 1);
	memset(m.key, 'k', sizeof(m.key) - 1);
	memset(m.event.repository, 0xff, sizeof(m.event.repository) - 1);
	memset(m.event.probe, 0xff, sizeof(m.event.probe) - 1);
	assert_int_equal(journal_entry_init(&entry, &m), 0);
	assert_true(has_name(&entry, "REPOPROBE_REPOSITORY=\xef\xbf\xbd"));
	journal_entry_done(&entry);
}

/* --- In a child: a journal of our own ------------------------------------------------------ */

/* A /run that only this process sees. False: not allowed here. */
static bool enter_own_run(void)
{
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount("tmpfs", "/run", "tmpfs", 0, NULL) == 0;
}

/* stderr becomes what the journal would have given us; keeps the journal from being found
 * otherwise. */
static bool claim_journal_stream(void)
{
	struct stat st;
	char stream[64];

	if (fstat(STDERR_FILENO, &st) < 0)
		return false;
	(void)snprintf(
		stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return setenv("JOURNAL_STREAM", stream, 1) == 0;
}

static int open_socket(void)
{
	const struct sockaddr_un address = {
		.sun_family = AF_UNIX,
		.sun_path = "/run/systemd/journal/socket",
	};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || fd_make_directories("/run/systemd/journal", 0755) < 0 ||
		bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return fd;
}

/* One datagram; its lines are "NAME=value" as long as no value has a line break. */
static bool receive(int fd, char *text, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, PATIENCE_MSEC) != 1)
		return false;
	ssize_t n = recv(fd, text, size - 1, 0);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

static bool is_in(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static int deliver_to_own_journal(void)
{
	static char text[DATAGRAM_MAX];
	struct message m = sample();

	if (!enter_own_run())
		return EXIT_SKIP;
	int fd = open_socket();
	if (fd < 0 || !claim_journal_stream())
		return 2;
	if (journal_deliver(&m) != 0 || !receive(fd, text, sizeof(text)))
		return 3;
	if (!is_in(text, "REPOPROBE_KEY=journal/12/0") || !is_in(text, "PRIORITY=4") ||
		!is_in(text, "MESSAGE=nas1: writes of active-full take 20 ms on average"))
		return 4;
	if (strstr(text, "CODE_FILE="))
		return 5;
	/* This journal keeps nothing, so what may have been said is said again. */
	m.tries = 1;
	if (journal_deliver(&m) != 0 || !receive(fd, text, sizeof(text)))
		return 6;
	return is_in(text, "REPOPROBE_KEY=journal/12/0") ? 0 : 7;
}

/* stderr is the journal's, but its socket is out of reach: the line must go to stderr. */
static int deliver_without_socket(void)
{
	char line[512];
	int ends[2];
	struct message m = sample();

	if (!enter_own_run())
		return EXIT_SKIP;
	if (pipe2(ends, O_CLOEXEC) < 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
		!claim_journal_stream())
		return 2;
	if (journal_deliver(&m) != 0)
		return 3;
	ssize_t n = read(ends[0], line, sizeof(line) - 1);
	if (n <= 0)
		return 4;
	line[n] = '\0';
	return strcmp(line, "<4>nas1: writes of active-full take 20 ms on average\n") == 0 ? 0 : 5;
}

static void run_in_child(int (*function)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(function());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == EXIT_SKIP)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void an_entry_arrives_at_the_journal(void **unused)
{
	(void)unused;
	run_in_child(deliver_to_own_journal);
}

static void without_the_socket_a_line_with_priority_goes_to_stderr(void **unused)
{
	(void)unused;
	run_in_child(deliver_without_socket);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_has_all_facts_as_fields),
		cmocka_unit_test(priority_and_id_follow_the_change),
		cmocka_unit_test(what_is_no_longer_judged_has_no_value),
		cmocka_unit_test(the_longest_message_fits),
		cmocka_unit_test(an_entry_arrives_at_the_journal),
		cmocka_unit_test(without_the_socket_a_line_with_priority_goes_to_stderr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
