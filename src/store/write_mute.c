/* SPDX-License-Identifier: Apache-2.0 */
/* Mutes as rows. */
#include "store/write.h"

int write_mute(struct write *w, const struct change *change, struct error *reterr)
{
	const struct mute *mute = change->mute;
	struct sql *s = write_start(w, WRITE_SET_MUTE);

	sql_bind_integer(s, mute->id);
	sql_bind_text(s, mute->repository);
	sql_bind_integer(s, mute->mode);
	sql_bind_integer(s, mute->from_usec);
	sql_bind_integer(s, mute->until_usec);
	sql_bind_integer(s, mute->uid);
	sql_bind_text(s, mute->reason);
	return sql_finish(s, reterr);
}
