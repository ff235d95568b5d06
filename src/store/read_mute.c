/* SPDX-License-Identifier: Apache-2.0 */
/* Reads mutes that are active or start later. */
#include <string.h>

#include "store/reader.h"

static void read_mute(struct sql *s, int64_t id, struct mute *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->id = id;
	sql_text(s, ret->repository, sizeof(ret->repository));
	ret->mode = (enum mute_mode)sql_integer(s, MUTE_MESSAGES, MUTE_MODES - 1);
	ret->from_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->until_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->uid = (uint32_t)sql_unsigned(s, UINT32_MAX);
	sql_text(s, ret->reason, sizeof(ret->reason));
}

int store_read_mutes(struct store_reader *reader, int64_t after_usec,
	int (*each)(void *data, const struct mute *mute), void *data, struct error *reterr)
{
	static const char text[] = "SELECT id, repository, mode, from_usec, until_usec, uid, reason"
				   " FROM mute WHERE until_usec > ? ORDER BY id";
	struct sql s = { 0 };
	struct mute mute;

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, after_usec);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		read_mute(&s, id, &mute);
		r = reader_take_row(reader, &s, "mute", id, reterr);
		if (r > 0)
			r = each(data, &mute);
	}
	sql_done(&s);
	return r;
}
