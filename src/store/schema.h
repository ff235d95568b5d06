/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the database, and the way to it from every earlier one. Private to the store. */
#ifndef REPOPROBE_STORE_SCHEMA_H
#define REPOPROBE_STORE_SCHEMA_H

#include <stdint.h>

struct error;
struct sqlite3;

#define SCHEMA_VERSION 7
#define SCHEMA_APPLICATION_ID 1919971938 /* "rprb" */

/* A migration's statements; they end by setting user_version. Never changed once released. */
extern const char schema_migration_1[];
extern const char schema_migration_2[];
extern const char schema_migration_3[];
extern const char schema_migration_4[];
extern const char schema_migration_5[];
extern const char schema_migration_6[];
extern const char schema_migration_7[];

/* Whose database is this, and how old? Only reads. *ret_version is 0 for an empty one. -EINVAL: a
 * database of another program; -EPROTO: made by a newer version of ours; -EUCLEAN: damaged. */
int schema_identify(struct sqlite3 *db, int *ret_version, struct error *reterr);

/* Brings an identified database from a version to a later one in one transaction. The next
 * migration is a file with its text, a row in schema.c and SCHEMA_VERSION; it only adds, so that an
 * hour's work on a big database is done later, in pieces, by the one that needs it. */
int schema_migrate(struct sqlite3 *db, int version, int to_version, struct error *reterr);

#endif
