/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of incidents: same storage, about the same time. */
#include <errno.h>
#include <string.h>

#include "model/storage_group.h"
#include "store/code.h"
#include "store/reader.h"

struct row {
	bool is_other; /* not the incident's own repository */
	char repository[RUN_NAME_MAX + 1];
	struct storage_group group;
};

static void read_row(struct sql *s, struct row *ret)
{
	struct identity identity = { .has_device = false };
	size_t len;

	ret->is_other = sql_integer(s, 0, 1);
	sql_text(s, ret->repository, sizeof(ret->repository));
	sql_text(s, identity.fs_type, sizeof(identity.fs_type));
	sql_text(s, identity.source, sizeof(identity.source));
	sql_text(s, identity.mount_point, sizeof(identity.mount_point));
	const char *device = sql_bytes(s, &len);
	if (s->error == 0 && len > 0) {
		int r = code_read_device(device, len, &identity.device);
		s->error = r == -EUCLEAN ? -EBADMSG : r;
		identity.has_device = true;
	}
	storage_group_from(&identity, &ret->group);
}

static void add_other(struct incident_group *group, const struct row *row)
{
	if (group->count < INCIDENT_GROUP_MAX)
		memcpy(group->repositories[group->count], row->repository, sizeof(row->repository));
	group->count++;
}

/* The first row is the incident's own repository; if it cannot be read, there is no group. */
static int read_rows(struct store_reader *reader, struct sql *s, struct incident_group *ret,
	struct error *reterr)
{
	struct row own = { .repository = "" };
	struct row row;
	int r = 0;

	while (r == 0 && (r = sql_step(s, reterr)) > 0) {
		read_row(s, &row);
		int64_t identity = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
		r = reader_take_row(reader, s, "identity", identity, reterr);
		if (r <= 0)
			continue;
		r = 0;
		if (!row.is_other)
			own = row;
		else if (storage_group_is_same(&own.group, &row.group))
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
		" coalesce(identity.mount_point, ''), coalesce(identity.device, ''), identity.id"
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
		r = read_rows(reader, &s, ret, reterr);
	}
	sql_done(&s);
	return r;
}
