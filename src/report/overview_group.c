/* SPDX-License-Identifier: Apache-2.0 */
/* Other repositories on the same storage that are in trouble now. */
#include <stdlib.h>
#include <string.h>

#include "model/storage_group.h"
#include "report/incident.h"

static bool is_about_then(const struct alarm_state *a, const struct alarm_state *b)
{
	return llabs(a->incident_opened_usec - b->incident_opened_usec) <= INCIDENT_GROUP_USEC;
}

static bool has_incident(const struct snapshot_repository *repository)
{
	return repository->alarm && repository->alarm->incident_id != 0 && repository->identity;
}

static void add_other(struct incident_group *group, const char *name)
{
	size_t len = strlen(name);

	if (group->count < INCIDENT_GROUP_MAX && len <= RUN_NAME_MAX)
		memcpy(group->repositories[group->count], name, len + 1);
	group->count++;
}

void incident_group_now(const struct snapshot *snapshot,
	const struct snapshot_repository *repository, struct incident_group *ret)
{
	struct storage_group own;
	struct storage_group group;

	*ret = (struct incident_group){ .count = 0 };
	if (!has_incident(repository))
		return;
	storage_group_from(repository->identity, &own);
	memcpy(ret->name, own.name, sizeof(ret->name));
	for (size_t i = 0; i < snapshot->repository_count; i++) {
		const struct snapshot_repository *other = &snapshot->repositories[i];
		if (other == repository || !has_incident(other) ||
			!is_about_then(repository->alarm, other->alarm))
			continue;
		storage_group_from(other->identity, &group);
		if (storage_group_is_same(&own, &group))
			add_other(ret, other->name);
	}
}
