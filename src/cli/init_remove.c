/* SPDX-License-Identifier: Apache-2.0 */
/* Reports what a worker removed. */
#include "cli/init_remove.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "model/examination.h"

static void add_label(const char *name, struct buf *b)
{
	if (name)
		buf_printf(b, "%s: ", name);
}

static void add_count(uint32_t count, const char *one, const char *many, struct buf *b)
{
	buf_printf(b, "%u %s", (unsigned)count, count == 1 ? one : many);
}

static void add_removed(const struct examination_removal *r, struct buf *b)
{
	if (r->files == 0 && !r->is_directory_removed && !r->is_tag_removed) {
		buf_add_text(b, "there was nothing of this host to remove");
		return;
	}
	buf_add_text(b, "removed ");
	add_count(r->files, "probe file", "probe files", b);
	if (r->bytes > 0) {
		buf_add_text(b, " (");
		format_size_rounded(b, r->bytes);
		buf_add_char(b, ')');
	}
	if (r->is_directory_removed)
		buf_printf(b, " and %s", r->path);
	else if (r->is_tag_removed)
		buf_add_text(b, " and CACHEDIR.TAG");
}

static void add_left(const struct examination_removal *r, struct buf *b)
{
	if (r->is_directory_removed)
		return;
	buf_printf(b, "; %s stays: ", r->path);
	if (r->error_number != 0) {
		buf_printf(b, "it cannot be removed: %s (%s)", errno_text(r->error_number),
			errno_name(r->error_number));
		return;
	}
	if (r->other_files > 0)
		add_count(r->other_files, "probe file of another host is in it",
			"probe files of other hosts are in it", b);
	if (r->foreign_names > 0) {
		buf_add_text(b, r->other_files > 0 ? ", and " : "");
		add_count(r->foreign_names, "name in it is not repoprobe's",
			"names in it are not repoprobe's", b);
	}
}

void init_remove_text(const struct examination_removal *removal, const char *name, const char *file,
	struct buf *b)
{
	bool was_there = removal->files > 0 || removal->other_files > 0 ||
		removal->foreign_names > 0 || removal->is_tag_removed ||
		removal->is_directory_removed || removal->error_number != 0;

	add_label(name, b);
	if (was_there) {
		add_removed(removal, b);
		add_left(removal, b);
	} else {
		buf_printf(b, "%s is not there; nothing was removed", removal->path);
	}
	buf_add_char(b, '\n');
	if (!name)
		return;
	add_label(name, b);
	buf_printf(b,
		"it is configured in %s: a running daemon makes the directory again at its next "
		"run; remove the section and reload\n",
		file);
}

void init_remove_json(const struct examination_removal *removal, struct json_t *object)
{
	json_add_boolean(object, "is_removed", removal->is_done);
	json_add_integer(object, "removed_files", removal->files);
	json_add_integer(object, "removed_bytes", (int64_t)removal->bytes);
	json_add_integer(object, "other_files", removal->other_files);
	json_add_integer(object, "foreign_names", removal->foreign_names);
	json_add_boolean(object, "is_tag_removed", removal->is_tag_removed);
	json_add_boolean(object, "is_directory_removed", removal->is_directory_removed);
}
