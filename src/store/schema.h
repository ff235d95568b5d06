/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the database, and the way to it from every earlier one. Private to the store. */
#ifndef REPOPROBE_STORE_SCHEMA_H
#define REPOPROBE_STORE_SCHEMA_H

#include <stdint.h>

struct error;
struct sqlite3;

/* The application_id. Development versions before the first release counted seven schemas of their
 * own under another id; the schema began again at 1 under a new one. So a trial database is never
 * taken for one of ours, whatever its version, and a development version refuses ours. */
#define SCHEMA_APPLICATION_ID 1919971951 /* "rpro" */
#define SCHEMA_TRIAL_APPLICATION_ID 1919971938 /* "rprb" */

/* A migration's statements; they end by setting user_version. Never changed once released. */
extern const char schema_migration_1[];

/* texts[i] brings a database from schema i to i + 1; the last leads to the newest. */
struct schema_migrations {
	int newest;
	const char *const *texts;
};
extern const struct schema_migrations schema_migrations;

/* Reads which program made the database, and its schema. *ret_version is 0 for an empty one.
 * -EINVAL: a database of another program; -EPROTO: made by a newer version of ours;
 * -EPROTONOSUPPORT: a trial database; -EUCLEAN: damaged. */
int schema_identify(struct sqlite3 *db, int *ret_version, struct error *reterr);

/* Brings an identified database from a version to a later one in one transaction. The next
 * migration is a file with its text and a row in migrations.c; it only adds, so that an hour's work
 * on a big database is done later, in pieces, by the code that needs it. */
int schema_migrate(struct sqlite3 *db, int version, int to_version, struct error *reterr);

#endif
