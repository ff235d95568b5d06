/* SPDX-License-Identifier: Apache-2.0 */
/* What repositories were when they were first seen. */
#include <string.h>

#include "base/error.h"
#include "store/reader.h"

static int read_first_identity(struct sql *s, struct store_first_identity *ret)
{
	memset(ret, 0, sizeof(*ret));
	sql_text(s, ret->repository, sizeof(ret->repository));
	ret->wanted = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->seen.is_set = true;
	ret->seen.is_mount = sql_unsigned(s, 1);
	sql_text(s, ret->seen.fs_type, sizeof(ret->seen.fs_type));
	sql_text(s, ret->seen.source, sizeof(ret->seen.source));
	sql_text(s, ret->seen.mount_point, sizeof(ret->seen.mount_point));
	sql_text(s, ret->seen.fs_uuid, sizeof(ret->seen.fs_uuid));
	return s->error;
}

int store_read_first_identities(struct store_reader *reader,
	int (*each)(void *data, const struct store_first_identity *first), void *data,
	struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, f.wanted, f.is_mount, f.fs_type, f.source,"
		" f.mount_point, f.fs_uuid"
		" FROM first_identity AS f JOIN target ON target.id = f.target ORDER BY target.id";
	struct store_first_identity first;
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = read_first_identity(&s, &first);
		if (r < 0)
			r = reader_refuse_row(&s, "first identity of repository", id, reterr);
		else
			r = each(data, &first);
	}
	sql_done(&s);
	return r;
}
