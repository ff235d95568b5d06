/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what can be opened, and makes room for a new database where the old one cannot be used. */
#include "store/opening.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/sql.h"

static int open_at(const char *path, struct opening *o, struct error *reterr)
{
	if (strlen(path) >= sizeof(o->path))
		return error_set(reterr, -ENAMETOOLONG, "%s: %s", path, errno_text(ENAMETOOLONG));
	int r = database_open(path, &o->db, reterr);
	if (r < 0)
		return r;
	r = write_init(&o->write, o->db, reterr);
	if (r < 0) {
		opening_done(o);
		if (r == -EINVAL)
			return error_prefix(reterr, r,
				"%s: it lacks a table or column that repoprobe needs and is left alone; "
				"restore a copy of it, or move it away",
				path);
		return error_prefix(reterr, r, "%s", path);
	}
	memcpy(o->path, path, strlen(path) + 1);
	if (rescue_identify(path, &o->files) < 0)
		o->files = (struct rescue_files){ 0 }; /* then nothing can be noticed */
	return 0;
}

/* Renames what is at path: a damaged database (is_trial: one of before the first release). Only the
 * new name needs the time. */
static int set_aside(const char *path, struct opening *o, bool is_trial, const struct error *why,
	struct error *reterr)
{
	struct clock clock = clock_system();
	struct buf kept = BUF_INIT(OPENING_PATH_MAX);
	struct error reason = *why;

	int r = database_set_aside(
		path, is_trial ? "trial" : "corrupt", clock_realtime_usec(&clock), &kept, reterr);
	if (r == 0 && is_trial)
		(void)error_set(&o->notice, 0,
			"the history was made by a development version before the first release; "
			"it is kept as %s, and a new one was begun",
			buf_text(&kept)); /* an output */
	else if (r == 0)
		(void)error_set(&o->notice, 0,
			"the history was damaged (%s); it is kept as %s, and a new one was started",
			reason.text, buf_text(&kept)); /* an output */
	buf_done(&kept);
	o->is_new = r == 0;
	return r;
}

static int open_or_replace(const char *path, struct opening *o, struct error *reterr)
{
	struct error error = { "" };
	int r = open_at(path, o, &error);

	if (r == -EUCLEAN || r == -EPROTONOSUPPORT) {
		r = set_aside(path, o, r == -EPROTONOSUPPORT, &error, &error);
		if (r == 0)
			r = open_at(path, o, &error);
	}
	return r < 0 ? error_set(reterr, r, "%s", error.text) : 0;
}

static int open_older(const char *path, struct opening *o, struct error *reterr)
{
	struct buf older = BUF_INIT(OPENING_PATH_MAX);
	struct error aside;

	database_add_older_path(path, &older);
	int r = older.error;
	if (r == 0)
		r = open_or_replace(buf_text(&older), o, reterr);
	if (r == 0 && o->notice.text[0] == '\0') {
		(void)error_set(&aside, 0,
			"%s was made by a newer repoprobe and is left alone; this version (schema "
			"%d) records in %s",
			path, schema_migrations.newest, buf_text(&older)); /* an output */
		o->notice = aside;
	}
	buf_done(&older);
	return r;
}

int opening_open(const char *path, struct opening *o, struct error *reterr)
{
	*o = (struct opening){ 0 };
	int r = open_or_replace(path, o, reterr);

	return r == -EPROTO ? open_older(path, o, reterr) : r;
}

void opening_done(struct opening *o)
{
	write_done(&o->write);
	o->db = database_close(o->db);
}

int opening_renew(const char *path, struct opening *o, struct error *reterr)
{
	struct error why = *reterr;
	struct error notice;

	opening_done(o);
	int r = set_aside(o->path, o, false, &why, reterr);
	if (r < 0)
		return r;
	notice = o->notice;
	r = opening_open(path, o, reterr);
	o->notice = notice;
	return r;
}

/* --- Files that were removed or replaced ---------------------------------- */

static const char *const happened[] = {
	[RESCUE_NOT_NEEDED] = "is in its place",
	[RESCUE_REMOVED] = "was removed while it was open",
	[RESCUE_REPLACED] = "was replaced by another file while it was open",
	[RESCUE_LOG_LOST] = "lost its log (-wal) or index (-shm) while it was open",
};

static void describe(struct error *notice, const char *path, const struct opening_rescue *rescue,
	const char *kept)
{
	const char *what = happened[rescue->state];
	const char *has_kept = kept[0] != '\0' ? "; the file that was there is kept as " : "";

	if (rescue->copied == 0)
		(void)error_set(notice, 0, "%s %s; it was restored completely%s%s", path, what,
			has_kept, kept); /* an output */
	else
		(void)error_set(notice, 0,
			"%s %s and could not be copied back (%s); a new one was started with what "
			"the daemon knows at present%s%s",
			path, what, errno_text(-rescue->copied), has_kept, kept); /* likewise */
}

/* Where a new file would fail as well, the one that is open is still the best there is. */
static bool may_begin_anew(enum rescue_state state, int r)
{
	return state != RESCUE_LOG_LOST && (r == -ENOSPC || r == -EIO || r == -EUCLEAN);
}

int opening_look(struct opening *o, struct opening_rescue *ret, struct error *reterr)
{
	struct rescue_files found;

	if (rescue_identify(o->path, &found) < 0)
		return 0; /* nobody can tell just now */
	enum rescue_state state = rescue_compare(&o->files, &found);
	if (state == RESCUE_NOT_NEEDED)
		return 0;
	int copied = rescue_copy(o->db, o->path, reterr);
	if (copied < 0 && !may_begin_anew(state, copied))
		return error_prefix(
			reterr, copied, "%s %s and cannot be put back", o->path, happened[state]);
	*ret = (struct opening_rescue){ .state = state, .copied = copied };
	return 1;
}

int opening_put_back(const char *path, struct opening *o, const struct opening_rescue *rescue,
	struct error *reterr)
{
	const struct clock clock = clock_system();
	const struct rescue_files files = o->files;
	struct buf kept = BUF_INIT(OPENING_PATH_MAX);
	char used[OPENING_PATH_MAX];
	struct error notice;

	memcpy(used, o->path, sizeof(used));
	opening_done(o);
	/* The name alone needs the time. */
	int r = rescue_clear_place(used, &files, clock_realtime_usec(&clock), &kept, reterr);
	if (r == 0 && rescue->copied == 0)
		r = rescue_put_copy(used, reterr);
	describe(&notice, used, rescue, buf_text(&kept));
	buf_done(&kept);
	if (r < 0)
		return r;
	r = opening_open(path, o, reterr);
	o->notice = notice;
	o->is_new = rescue->copied < 0;
	return r;
}
