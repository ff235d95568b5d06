/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a later version: this one's and a migration that no product has. Linked in place of
 * src/store/migrations.c. */
#include "store/schema.h"

static const char migration_2[] = "CREATE TABLE later (x INTEGER) STRICT;"
				  "ALTER TABLE run ADD COLUMN later INTEGER;"
				  "PRAGMA user_version = 2;";

static const char *const texts[] = {
	schema_migration_1,
	migration_2,
};

const struct schema_migrations schema_migrations = {
	.newest = sizeof(texts) / sizeof(texts[0]),
	.texts = texts,
};
