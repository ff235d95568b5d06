/* SPDX-License-Identifier: Apache-2.0 */
/* An open database whose files were removed or replaced is written for nobody: notices that, and
 * puts it back at its path with all that is in it. Private to the store. */
#ifndef REPOPROBE_STORE_RESCUE_H
#define REPOPROBE_STORE_RESCUE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct error;
struct sqlite3;

enum rescue_part {
	RESCUE_FILE,
	RESCUE_LOG,
	RESCUE_INDEX,
};
#define RESCUE_PARTS (RESCUE_INDEX + 1)

/* Which files are at a path. */
struct rescue_files {
	struct rescue_id {
		bool is_there;
		uint64_t device;
		uint64_t inode;
	} parts[RESCUE_PARTS];
};
/* -errno when that cannot be told. */
int rescue_identify(const char *path, struct rescue_files *ret);

enum rescue_state {
	RESCUE_NOT_NEEDED,
	RESCUE_REMOVED, /* there is no file at the path */
	RESCUE_REPLACED, /* there is another one */
	RESCUE_LOG_LOST, /* the file is there, its log or index is not */
};
enum rescue_state rescue_compare(const struct rescue_files *open, const struct rescue_files *found);

/* Copies an open database to PATH.rescued, with the directory if that is gone. */
int rescue_copy(struct sqlite3 *db, const char *path, struct error *reterr);

/* Makes room at the path: what is not of `open` is kept as PATH.found-TIME, which is appended to
 * kept; log and index of `open` go. */
int rescue_clear_place(const char *path, const struct rescue_files *open, int64_t now_usec,
	struct buf *kept, struct error *reterr);

/* Moves the copy to the path. The database is closed by then. */
int rescue_put_copy(const char *path, struct error *reterr);

#endif
