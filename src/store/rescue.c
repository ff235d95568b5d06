/* SPDX-License-Identifier: Apache-2.0 */
/* The copy is complete before anything at the path is touched. A new inode takes the place also
 * when only the log was lost: connections that are open on the old one never meet the new log. */
#include "store/rescue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "store/backup.h"
#include "store/database.h"

#define FILE_MODE 0640
#define DIRECTORY_MODE 0750

static const char *const suffixes[RESCUE_PARTS] = {
	[RESCUE_FILE] = "",
	[RESCUE_LOG] = "-wal",
	[RESCUE_INDEX] = "-shm",
};

static int add_name(struct buf *b, const char *path, const char *suffix)
{
	buf_clear(b);
	buf_add_text(b, path);
	buf_add_text(b, suffix);
	return b->error;
}

/* --- Which files ---------------------------------------------------------- */

static int identify(const char *path, struct rescue_id *ret)
{
	struct stat st;

	*ret = (struct rescue_id){ .is_there = false };
	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	*ret = (struct rescue_id){ .is_there = true, .device = st.st_dev, .inode = st.st_ino };
	return 0;
}

int rescue_identify(const char *path, struct rescue_files *ret)
{
	struct buf name = BUF_INIT(PATH_MAX);
	int r = 0;

	for (size_t i = 0; r == 0 && i < RESCUE_PARTS; i++) {
		r = add_name(&name, path, suffixes[i]);
		if (r == 0)
			r = identify(buf_text(&name), &ret->parts[i]);
	}
	buf_done(&name);
	return r;
}

static bool is_same(const struct rescue_id *a, const struct rescue_id *b)
{
	return a->is_there && b->is_there && a->device == b->device && a->inode == b->inode;
}

enum rescue_state rescue_compare(const struct rescue_files *open, const struct rescue_files *found)
{
	if (!open->parts[RESCUE_FILE].is_there)
		return RESCUE_NOT_NEEDED; /* it was not known, so nothing is */
	if (!found->parts[RESCUE_FILE].is_there)
		return RESCUE_REMOVED;
	if (!is_same(&open->parts[RESCUE_FILE], &found->parts[RESCUE_FILE]))
		return RESCUE_REPLACED;
	for (size_t i = RESCUE_LOG; i < RESCUE_PARTS; i++)
		if (open->parts[i].is_there && !is_same(&open->parts[i], &found->parts[i]))
			return RESCUE_LOG_LOST;
	return RESCUE_NOT_NEEDED;
}

/* --- Putting it back ------------------------------------------------------ */

static int make_directory(const char *path, struct error *reterr)
{
	struct buf directory = BUF_INIT(PATH_MAX);
	const char *slash = strrchr(path, '/');
	int r = 0;

	if (slash && slash > path) {
		buf_add(&directory, path, (size_t)(slash - path));
		r = directory.error < 0 ? directory.error
					: fd_make_directories(buf_text(&directory), DIRECTORY_MODE);
	}
	if (r < 0)
		(void)error_set(reterr, r, "%s: %s", buf_text(&directory), errno_text(-r));
	buf_done(&directory);
	return r;
}

int rescue_copy(struct sqlite3 *db, const char *path, struct error *reterr)
{
	struct buf copy = BUF_INIT(PATH_MAX);
	int r = make_directory(path, reterr);

	if (r == 0)
		r = add_name(&copy, path, ".rescued");
	if (r == 0) {
		(void)unlink(buf_text(&copy)); /* of an attempt that was cut short, if at all */
		r = backup_copy(db, buf_text(&copy), FILE_MODE, NULL, reterr);
	}
	buf_done(&copy);
	return r;
}

/* Returns 1 when it was kept. */
static int clear_part(const char *path, const char *kept, enum rescue_part part,
	const struct rescue_id *open, struct error *reterr)
{
	struct buf from = BUF_INIT(PATH_MAX);
	struct buf to = BUF_INIT(PATH_MAX);
	struct rescue_id found;

	int r = add_name(&from, path, suffixes[part]);
	if (r == 0)
		r = add_name(&to, kept, suffixes[part]);
	if (r == 0)
		r = identify(buf_text(&from), &found);
	if (r == 0 && found.is_there) {
		bool is_ours = is_same(open, &found);
		if (is_ours && part == RESCUE_FILE)
			r = 0; /* the copy replaces it */
		else if (is_ours)
			r = unlink(buf_text(&from)) < 0 ? -errno : 0;
		else
			r = rename(buf_text(&from), buf_text(&to)) < 0 ? -errno : 1;
	}
	if (r < 0)
		(void)error_set(reterr, r, "%s: %s", buf_text(&from), errno_text(-r));
	buf_done(&from);
	buf_done(&to);
	return r;
}

int rescue_clear_place(const char *path, const struct rescue_files *open, int64_t now_usec,
	struct buf *kept, struct error *reterr)
{
	/* The file last: while it stands, it stands with what belongs to it or is not ours anyway.
	 */
	static const enum rescue_part order[] = { RESCUE_LOG, RESCUE_INDEX, RESCUE_FILE };
	struct buf name = BUF_INIT(PATH_MAX);
	bool has_kept = false;
	int r;

	database_add_kept_name(path, "found", now_usec, &name);
	r = name.error;
	for (size_t i = 0; r >= 0 && i < RESCUE_PARTS; i++) {
		r = clear_part(path, buf_text(&name), order[i], &open->parts[order[i]], reterr);
		has_kept |= r > 0;
	}
	if (r >= 0 && has_kept)
		buf_add_text(kept, buf_text(&name));
	buf_done(&name);
	return r < 0 ? r : 0;
}

int rescue_put_copy(const char *path, struct error *reterr)
{
	struct buf copy = BUF_INIT(PATH_MAX);
	int r = add_name(&copy, path, ".rescued");

	if (r == 0 && rename(buf_text(&copy), path) < 0)
		r = error_set(reterr, -errno, "%s: %s", buf_text(&copy), errno_text(errno));
	buf_done(&copy);
	return r;
}
