/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the database while it is in use. Private to the store. */
#ifndef REPOPROBE_STORE_BACKUP_H
#define REPOPROBE_STORE_BACKUP_H

#include "store/store.h"

struct sqlite3;

/* Copies what a connection sees at this moment into a new file (-EEXIST), complete in itself.
 * Others go on reading and writing. What could not be finished is removed. progress may be NULL. */
int backup_copy(struct sqlite3 *from, const char *path, unsigned mode,
	const struct store_progress *progress, struct error *reterr);

#endif
