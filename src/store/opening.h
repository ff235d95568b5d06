/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a database that can be written, whatever is found at its path. Private to the store.
 */
#ifndef REPOPROBE_STORE_OPENING_H
#define REPOPROBE_STORE_OPENING_H

#include "base/error.h"
#include "store/write.h"

#define OPENING_PATH_MAX 4096

struct opening {
	struct sqlite3 *db;
	struct write write;
	char path[OPENING_PATH_MAX]; /* of the file in use */
	struct error notice; /* what people must know of it; "": nothing */
};

/* Opens the database at PATH with all its statements: beside it when a newer version made it, anew
 * when it is damaged, which is kept under another name. Until opening_done the caller owns it. */
int opening_open(const char *path, struct opening *o, struct error *reterr);
void opening_done(struct opening *o);

/* The one that is open was found damaged: closes it, keeps it under another name, and opens a new
 * one. On failure nothing is open; opening_open tries again. */
int opening_renew(const char *path, struct opening *o, struct error *reterr);

#endif
