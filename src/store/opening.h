/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a database that can be written, whatever is found at its path. Private to the store.
 */
#ifndef REPOPROBE_STORE_OPENING_H
#define REPOPROBE_STORE_OPENING_H

#include "base/error.h"
#include "store/rescue.h"
#include "store/write.h"

#define OPENING_PATH_MAX 4096

struct opening {
	struct sqlite3 *db;
	struct write write;
	char path[OPENING_PATH_MAX]; /* of the file in use */
	struct rescue_files files; /* that are open */
	bool is_new; /* it was begun in the place of one that is not used any more */
	struct error notice; /* what people must know of it; "": nothing */
};

/* Opens the database at PATH with all its statements: beside it when a newer version made it. A
 * damaged one, or one of before the first release, is kept under another name and a new one begun.
 * Until opening_done the caller owns it. */
int opening_open(const char *path, struct opening *o, struct error *reterr);
void opening_done(struct opening *o);

/* Looks whether the files that are open are those at the path. 0: they are. 1: they are not, and a
 * copy of the database is ready to be put back, or (copied < 0) a new one is to be begun, since it
 * cannot be copied. Else neither can be done, and what is open is the best there is. */
struct opening_rescue {
	enum rescue_state state;
	int copied;
};
int opening_look(struct opening *o, struct opening_rescue *ret, struct error *reterr);
/* Does that; o->notice says it. On failure nothing is open: opening_open tries again. */
int opening_put_back(const char *path, struct opening *o, const struct opening_rescue *rescue,
	struct error *reterr);

/* The one that is open was found damaged: closes it, keeps it under another name, and opens a new
 * one. On failure nothing is open; opening_open tries again. */
int opening_renew(const char *path, struct opening *o, struct error *reterr);

#endif
