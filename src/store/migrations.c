/* SPDX-License-Identifier: Apache-2.0 */
/* The list of migrations. Nothing else is in this file, so that a test can link another list in its
 * place. */
#include "store/schema.h"

static const char *const texts[] = {
	schema_migration_1,
};

const struct schema_migrations schema_migrations = {
	.newest = sizeof(texts) / sizeof(texts[0]),
	.texts = texts,
};
