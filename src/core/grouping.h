/* SPDX-License-Identifier: Apache-2.0 */
/* When what is owed of a repository may be told, beside those that share its server, disk or mount:
 * together with theirs, and not at all while one of them does not answer. Pure. */
#ifndef REPOPROBE_CORE_GROUPING_H
#define REPOPROBE_CORE_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/incident.h"
#include "model/storage_group.h"

/* A warning waits so long for others of its group to join its message. */
#define GROUPING_WAIT_USEC INT64_C(60000000)
/* A group that was told of is told of again only after that, unless it gets worse. */
#define GROUPING_WINDOW_USEC INCIDENT_GROUP_USEC

struct grouping_member {
	struct storage_group group;
	enum alarm_level told_level; /* of its open incident; ALARM_NONE: nothing */
	int64_t told_usec; /* when that was last */
	enum alarm_level owed_level; /* ALARM_NONE: nothing is owed, or a mute holds it */
	int64_t owed_usec; /* when it happened */
	bool is_slowness; /* what is owed may come of another's outage */
	bool has_outage; /* hangs, or gives no data; not while muted */
};

/* Shares it with somebody else, at all? */
bool grouping_has_others(const struct grouping_member *members, size_t count, size_t self);

/* The one whose outage holds back what the member at self owes, or count: none does. */
size_t grouping_find_outage(const struct grouping_member *members, size_t count, size_t self);

/* When what the member at self owes may be told: INT64_MAX: not as long as things are so. */
int64_t grouping_due_usec(const struct grouping_member *members, size_t count, size_t self);

/* Whether what the member at i owes goes into the message of the one at self. */
bool grouping_joins(const struct grouping_member *members, size_t count, size_t self, size_t i);

/* How many others of the group were told of before that message, and are not over. */
size_t grouping_count_told(const struct grouping_member *members, size_t count, size_t self);

#endif
