/* SPDX-License-Identifier: Apache-2.0 */
/* What repositories were when they were first seen. */
#include <string.h>

#include "base/error.h"
#include "store/reader.h"

static void read_first_identity(struct sql *s, struct first_identity *ret)
{
	ret->wanted = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->seen.is_set = true;
	ret->seen.is_mount = sql_unsigned(s, 1);
	sql_text(s, ret->seen.fs_type, sizeof(ret->seen.fs_type));
	sql_text(s, ret->seen.source, sizeof(ret->seen.source));
	sql_text(s, ret->seen.mount_point, sizeof(ret->seen.mount_point));
	sql_text(s, ret->seen.fs_uuid, sizeof(ret->seen.fs_uuid));
}

int store_read_first_identities(struct store_reader *reader,
	int (*each)(void *data, const struct first_identity *first), void *data,
	struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, f.wanted, f.is_mount, f.fs_type, f.source,"
		" f.mount_point, f.fs_uuid"
		" FROM first_identity AS f JOIN target ON target.id = f.target ORDER BY target.id";
	struct first_identity first;
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		memset(&first, 0, sizeof(first));
		r = reader_take_target(reader, &s, id, first.repository, reterr);
		if (r <= 0)
			continue;
		read_first_identity(&s, &first);
		r = reader_take_row(reader, &s, "first_identity", id, reterr);
		if (r > 0)
			r = each(data, &first);
	}
	sql_done(&s);
	return r;
}
