/* SPDX-License-Identifier: Apache-2.0 */
/* When a repository is told of beside others on the same storage, and in what words. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "core/grouping.h"
#include "report/message.h"

#define SECOND ((int64_t)USEC_PER_SEC)
#define BEGIN (INT64_C(1000000) * SECOND)
#define NEVER INT64_MAX
#define MEMBERS_MAX 4

/* Seconds after BEGIN. */
struct told {
	const char *on; /* NULL: no such member */
	enum alarm_level told;
	int64_t told_at;
	enum alarm_level owed;
	int64_t owed_at;
	bool is_slowness;
	bool has_outage;
};

static size_t make_members(const struct told *list, struct grouping_member *ret)
{
	size_t count = 0;

	for (; count < MEMBERS_MAX && list[count].on; count++) {
		const struct told *t = &list[count];
		ret[count] = (struct grouping_member){
			.group = { .kind = t->on[0] != '\0' ? STORAGE_GROUP_SERVER
							    : STORAGE_GROUP_NONE },
			.told_level = t->told,
			.told_usec = t->told != ALARM_NONE ? BEGIN + t->told_at * SECOND : 0,
			.owed_level = t->owed,
			.owed_usec = BEGIN + t->owed_at * SECOND,
			.is_slowness = t->is_slowness,
			.has_outage = t->has_outage,
		};
		(void)snprintf(ret[count].group.key, sizeof(ret[count].group.key), "%s", t->on);
	}
	return count;
}

#define NONE ALARM_NONE
#define WARN ALARM_WARNING
#define CRIT ALARM_CRITICAL

static const struct {
	const char *what;
	int64_t due; /* of the first member */
	const char *together; /* which go into its message */
	struct told list[MEMBERS_MAX];
} cases[] = {
	{ "nobody else is there", 0, "0", { { "nas1", NONE, 0, WARN, 0, true, false } } },
	{ "others are elsewhere", 0, "0",
		{ { "nas1", NONE, 0, WARN, 0, true, false },
			{ "nas2", NONE, 0, WARN, 0, true, false } } },
	{ "nothing is known of where it is", 0, "0",
		{ { "", NONE, 0, WARN, 0, true, false }, { "", NONE, 0, WARN, 0, true, false } } },
	{ "a warning waits for the other", 60, "0",
		{ { "nas1", NONE, 0, WARN, 0, true, false },
			{ "nas1", NONE, 0, NONE, 0, false, false } } },
	{ "which joins", 60, "012",
		{ { "nas1", NONE, 0, WARN, 0, true, false },
			{ "nas1", NONE, 0, WARN, 20, true, false },
			{ "nas1", NONE, 0, WARN, 59, true, false },
			{ "nas2", NONE, 0, WARN, 59, true, false } } },
	{ "from the first on", 60, "01",
		{ { "nas1", NONE, 0, WARN, 20, true, false },
			{ "nas1", NONE, 0, WARN, 0, true, false } } },
	{ "a critical one does not wait", 0, "0",
		{ { "nas1", NONE, 0, CRIT, 0, false, false },
			{ "nas1", NONE, 0, NONE, 0, false, false } } },
	{ "and takes along what waits", 20, "01",
		{ { "nas1", NONE, 0, CRIT, 20, false, false },
			{ "nas1", NONE, 0, WARN, 0, true, false } } },
	{ "what comes later waits for the window to end", 300, "0",
		{ { "nas1", NONE, 0, WARN, 70, true, false },
			{ "nas1", CRIT, 0, NONE, 0, true, false } } },
	{ "critical or not", 300, "02",
		{ { "nas1", NONE, 0, CRIT, 70, true, false },
			{ "nas1", CRIT, 0, NONE, 0, true, false },
			{ "nas1", NONE, 0, WARN, 290, true, false } } },
	{ "but not when it is worse", 70, "0",
		{ { "nas1", NONE, 0, CRIT, 70, true, false },
			{ "nas1", WARN, 60, NONE, 0, true, false } } },
	{ "its own warning is no reason to wait", 70, "0",
		{ { "nas1", WARN, 60, CRIT, 70, true, false },
			{ "nas1", NONE, 0, NONE, 0, true, false } } },
	{ "the window begins with its first message", 300, "0",
		{ { "nas1", NONE, 0, WARN, 200, true, false },
			{ "nas1", WARN, 0, NONE, 0, true, false },
			{ "nas1", CRIT, 100, NONE, 0, true, false } } },
	{ "and is over some time", 300 + 60, "0",
		{ { "nas1", NONE, 0, WARN, 300, true, false },
			{ "nas1", WARN, 0, NONE, 0, true, false } } },
	{ "what was told in the future was not", 300, "0",
		{ { "nas1", NONE, 0, WARN, 0, true, false },
			{ "nas1", WARN, 90000, NONE, 0, true, false } } },
	{ "slowness is not told while another does not answer", NEVER, "0",
		{ { "nas1", NONE, 0, CRIT, 0, true, false },
			{ "nas1", CRIT, 0, NONE, 0, false, true } } },
	{ "elsewhere it is", 0, "0",
		{ { "nas1", NONE, 0, CRIT, 0, true, false },
			{ "nas2", CRIT, 0, NONE, 0, false, true } } },
	{ "nor does it join what is told", 60, "0",
		{ { "nas1", NONE, 0, WARN, 0, false, true },
			{ "nas1", NONE, 0, WARN, 0, true, false } } },
	{ "another outage does", 0, "01",
		{ { "nas1", NONE, 0, CRIT, 0, false, true },
			{ "nas1", NONE, 0, CRIT, 0, false, true } } },
	{ "what is held makes nobody hurry", 80, "0",
		{ { "nas1", NONE, 0, WARN, 20, false, true },
			{ "nas1", NONE, 0, WARN, 0, true, false } } },
};

static void what_is_owed_is_told_together_in_time(void **unused)
{
	struct grouping_member *members = calloc(MEMBERS_MAX, sizeof(*members));

	(void)unused;
	assert_non_null(members);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		size_t count = make_members(cases[k].list, members);
		char together[MEMBERS_MAX + 1] = "";
		size_t len = 0;
		int64_t due = grouping_due_usec(members, count, 0);
		for (size_t i = 0; i < count; i++)
			if (grouping_joins(members, count, 0, i))
				together[len++] = (char)('0' + i);
		if (due != NEVER)
			due = (due - BEGIN) / SECOND;
		if (due != cases[k].due || strcmp(together, cases[k].together) != 0)
			fail_msg("%s: %lld, %s", cases[k].what, (long long)due, together);
	}
	free(members);
}

static void who_was_told_of_before_is_counted(void **unused)
{
	static const struct told list[MEMBERS_MAX] = {
		{ "nas1", NONE, 0, WARN, 0, true, false },
		{ "nas1", WARN, 0, NONE, 0, true, false },
		{ "nas1", WARN, 0, CRIT, 0, true, false }, /* it is told anew */
		{ "nas2", WARN, 0, NONE, 0, true, false },
	};
	struct grouping_member *members = calloc(MEMBERS_MAX, sizeof(*members));

	(void)unused;
	assert_non_null(members);
	assert_int_equal(grouping_count_told(members, make_members(list, members), 0), 1);
	free(members);
}

static struct incident_event about(const char *repository, enum alarm_reason reason)
{
	struct incident_event event = { .reason = reason };

	(void)snprintf(event.repository, sizeof(event.repository), "%s", repository);
	return event;
}

static void assert_words(const struct message_group *names, const char *words)
{
	struct buf b = BUF_INIT(4096);

	report_message_group("nas1", names, &b);
	assert_string_equal(buf_text(&b), words);
	buf_done(&b);
}

static void a_group_is_told_in_one_sentence(void **unused)
{
	const struct incident_event slow = about("a", ALARM_REASON_LIMIT);
	const struct incident_event slower = about("b", ALARM_REASON_TAIL);
	const struct incident_event hanging = about("c", ALARM_REASON_HANG);
	const struct incident_event silent = about("d\n", ALARM_REASON_NO_DATA);
	const struct incident_event *events[4] = { &slow, &slower };

	(void)unused;
	assert_words(&(struct message_group){ .events = events, .count = 2 },
		"2 repositories on nas1 are slow: a, b; ");
	assert_words(&(struct message_group){ .events = events, .count = 2, .told = 1 },
		"2 more repositories on nas1 are slow: a, b; ");
	events[2] = &hanging;
	events[3] = &silent;
	assert_words(&(struct message_group){ .events = events, .count = 4 },
		"4 repositories on nas1 have trouble: a, b, c, d ; ");
	assert_words(&(struct message_group){ .events = events + 2, .count = 2 },
		"2 repositories on nas1 do not answer: c, d ; ");
}

static void an_alarm_of_the_user_s_is_not_taken_for_slowness(void **unused)
{
	const struct incident_event slow = about("a", ALARM_REASON_RELATIVE);
	const struct incident_event own = about("b", ALARM_REASON_CUSTOM);
	const struct incident_event *events[2] = { &slow, &own };

	(void)unused;
	assert_true(alarm_reason_is_slowness(ALARM_REASON_STALL));
	assert_false(alarm_reason_is_slowness(ALARM_REASON_CUSTOM));
	assert_false(alarm_reason_is_slowness(ALARM_REASON_SPACE));
	assert_words(&(struct message_group){ .events = events, .count = 2 },
		"2 repositories on nas1 have trouble: a, b; ");
}

static void names_that_would_fill_the_message_are_counted(void **unused)
{
	char name[RUN_NAME_MAX + 1];
	const struct incident_event *events[30];
	struct message_group names = { .events = events, .count = 30 };
	struct buf b = BUF_INIT(4096);

	(void)unused;
	memset(name, 'x', RUN_NAME_MAX);
	name[RUN_NAME_MAX] = '\0';
	const struct incident_event event = about(name, ALARM_REASON_LIMIT);
	for (size_t i = 0; i < 30; i++)
		events[i] = &event;
	report_message_group("nas1", &names, &b);
	assert_int_equal(b.error, 0);
	assert_in_range(b.len, 400, 700);
	assert_non_null(strstr(buf_text(&b), " and 28 more; "));
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_owed_is_told_together_in_time),
		cmocka_unit_test(who_was_told_of_before_is_counted),
		cmocka_unit_test(a_group_is_told_in_one_sentence),
		cmocka_unit_test(an_alarm_of_the_user_s_is_not_taken_for_slowness),
		cmocka_unit_test(names_that_would_fill_the_message_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
