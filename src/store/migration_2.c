/* SPDX-License-Identifier: Apache-2.0 */
/* Write budgets, and which runs were confirming ones. */
#include "store/schema.h"

/* clang-format off: SQL keeps its own shape */
const char schema_migration_2[] =
	"CREATE TABLE budget (\n"
	"	target INTEGER NOT NULL PRIMARY KEY REFERENCES target (id) ON DELETE CASCADE,\n"
	"	day_bytes INTEGER NOT NULL,\n"
	"	level_bytes INTEGER NOT NULL, -- what might be written at that time; below 0: owed\n"
	"	saved_usec INTEGER NOT NULL\n"
	") STRICT;\n"
	"ALTER TABLE run ADD COLUMN is_confirmation INTEGER; -- 1; NULL: 0\n"

	"PRAGMA user_version = 2;\n";
/* clang-format on */
