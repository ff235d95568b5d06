/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents that belong together: the same storage, about the same time. */
#include <string.h>

#include "model/storage_group.h"
#include "store/code.h"
#include "store/reader.h"

struct row {
	char repository[RUN_NAME_MAX + 1];
	struct storage_group group;
};

static int read_row(struct sql *s, struct row *ret)
{
	struct identity identity = { .has_device = false };
	size_t len;

	(void)sql_integer(s, 0, 1); /* the order's */
	sql_text(s, ret->repository, sizeof(ret->repository));
	sql_text(s, identity.fs_type, sizeof(identity.fs_type));
	sql_text(s, identity.source, sizeof(identity.source));
	sql_text(s, identity.mount_point, sizeof(identity.mount_point));
	const char *device = sql_bytes(s, &len);
	if (s->error == 0 && len > 0) {
		s->error = code_read_device(device, len, &identity.device);
		identity.has_device = true;
	}
	storage_group_from(&identity, &ret->group);
	return s->error;
}

static void add_other(struct incident_group *group, const struct row *row)
{
	if (group->count < INCIDENT_GROUP_MAX)
		memcpy(group->repositories[group->count], row->repository, sizeof(row->repository));
	group->count++;
}

/* The first row is the incident's own repository. */
static int read_rows(struct sql *s, int64_t id, struct incident_group *ret, struct error *reterr)
{
	struct row own = { .repository = "" };
	struct row row;
	int r = 0;

	for (bool is_own = true; r == 0 && (r = sql_step(s, reterr)) > 0; is_own = false) {
		r = read_row(s, is_own ? &own : &row);
		if (r < 0)
			return reader_refuse_row(s, "group of incident", id, reterr);
		if (!is_own && storage_group_is_same(&own.group, &row.group))
			add_other(ret, &row);
	}
	memcpy(ret->name, own.group.name, sizeof(ret->name));
	return r;
}

int store_read_group(struct store_reader *reader, const struct incident *incident,
	struct incident_group *ret, struct error *reterr)
{
	static const char text[] =
		"SELECT DISTINCT other.target <> own.target AS is_other, target.name,"
		" coalesce(identity.fs_type, ''), coalesce(identity.source, ''),"
		" coalesce(identity.mount_point, ''), coalesce(identity.device, '')"
		" FROM incident AS own"
		" JOIN incident AS other ON other.opened_usec BETWEEN own.opened_usec - ?2"
		" AND own.opened_usec + ?2"
		" JOIN target ON target.id = other.target"
		" LEFT JOIN identity ON identity.id ="
		" (SELECT max(i.id) FROM identity AS i WHERE i.target = other.target)"
		" WHERE own.id = ?1 ORDER BY is_other, target.name";
	struct sql s = { 0 };

	*ret = (struct incident_group){ .count = 0 };
	int r = reader_prepare(reader, text, &s, reterr);
	if (r == 0) {
		sql_bind_integer(&s, incident->id);
		sql_bind_integer(&s, INCIDENT_GROUP_USEC);
		r = read_rows(&s, incident->id, ret, reterr);
	}
	sql_done(&s);
	return r;
}
