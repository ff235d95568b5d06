/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository was when it was first seen, as a row. */
#include "store/write.h"

int write_first_identity(struct write *w, const struct change *change, struct error *reterr)
{
	const struct first_identity *first = change->first_identity;
	const struct identity_seen *seen = &first->seen;
	int64_t target;

	int r = write_target(w, first->repository, &target, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_SET_FIRST_IDENTITY);
	sql_bind_integer(s, target);
	sql_bind_integer(s, first->wanted);
	sql_bind_integer(s, seen->is_mount);
	sql_bind_text(s, seen->fs_type);
	sql_bind_text(s, seen->source);
	sql_bind_text(s, seen->mount_point);
	sql_bind_text(s, seen->fs_uuid);
	return sql_finish(s, reterr);
}
