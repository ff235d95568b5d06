/* SPDX-License-Identifier: Apache-2.0 */
/* The first message of a group goes out at once when it is critical, else after a short wait; who
 * comes later within the window shares one that follows it. */
#include "core/grouping.h"

static bool is_together(const struct grouping_member *members, size_t self, size_t i)
{
	return i != self && storage_group_is_same(&members[self].group, &members[i].group);
}

bool grouping_has_others(const struct grouping_member *members, size_t count, size_t self)
{
	for (size_t i = 0; i < count; i++)
		if (is_together(members, self, i))
			return true;
	return false;
}

size_t grouping_find_outage(const struct grouping_member *members, size_t count, size_t self)
{
	for (size_t i = 0; members[self].is_slowness && i < count; i++)
		if (is_together(members, self, i) && members[i].has_outage)
			return i;
	return count;
}

static bool is_held(const struct grouping_member *members, size_t count, size_t i)
{
	return grouping_find_outage(members, count, i) < count;
}

/* What was said of the group lately. */
struct recent {
	enum alarm_level level; /* the highest; ALARM_NONE: nothing was */
	int64_t first_usec;
};

static struct recent find_recent(const struct grouping_member *members, size_t count, size_t self)
{
	struct recent found = { .level = ALARM_NONE };

	for (size_t i = 0; i < count; i++) {
		const struct grouping_member *m = &members[i];
		if (!is_together(members, self, i) || m->told_level == ALARM_NONE ||
			m->told_usec <= members[self].owed_usec - GROUPING_WINDOW_USEC)
			continue;
		if (found.level == ALARM_NONE || m->told_usec < found.first_usec)
			found.first_usec = m->told_usec;
		if (m->told_level > found.level)
			found.level = m->told_level;
	}
	return found;
}

static int64_t first_owed_usec(const struct grouping_member *members, size_t count, size_t self)
{
	int64_t first_usec = members[self].owed_usec;

	for (size_t i = 0; i < count; i++)
		if (is_together(members, self, i) && members[i].owed_level != ALARM_NONE &&
			members[i].owed_usec < first_usec && !is_held(members, count, i))
			first_usec = members[i].owed_usec;
	return first_usec;
}

int64_t grouping_due_usec(const struct grouping_member *members, size_t count, size_t self)
{
	const struct grouping_member *me = &members[self];

	if (!grouping_has_others(members, count, self))
		return me->owed_usec;
	if (is_held(members, count, self))
		return INT64_MAX;
	struct recent recent = find_recent(members, count, self);
	/* A clock that was set back must not make it wait for longer than the window. */
	int64_t anchor_usec = recent.first_usec < me->owed_usec ? recent.first_usec : me->owed_usec;
	if (recent.level >= me->owed_level)
		return anchor_usec + GROUPING_WINDOW_USEC;
	if (me->owed_level == ALARM_CRITICAL)
		return me->owed_usec;
	return first_owed_usec(members, count, self) + GROUPING_WAIT_USEC;
}

bool grouping_joins(const struct grouping_member *members, size_t count, size_t self, size_t i)
{
	return i == self ||
		(is_together(members, self, i) && members[i].owed_level != ALARM_NONE &&
			!is_held(members, count, i));
}

size_t grouping_count_told(const struct grouping_member *members, size_t count, size_t self)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += is_together(members, self, i) && members[i].owed_level == ALARM_NONE &&
			members[i].told_level != ALARM_NONE;
	return found;
}
