/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository was when it was first seen (nothing is made up for those seen before: the
 * daemon takes it from their newest run), write budgets, and which runs were confirming ones. */
#include "store/schema.h"

/* clang-format off: SQL keeps its own shape */
const char schema_migration_2[] =
	"CREATE TABLE first_identity ( -- by which a repository is known again; '' is unknown\n"
	"	target INTEGER PRIMARY KEY REFERENCES target (id),\n"
	"	wanted INTEGER NOT NULL, -- hash of the configuration that it holds for\n"
	"	is_mount INTEGER NOT NULL,\n"
	"	fs_type TEXT NOT NULL,\n"
	"	source TEXT NOT NULL,\n"
	"	mount_point TEXT NOT NULL,\n"
	"	fs_uuid TEXT NOT NULL\n"
	") STRICT;\n"
	"CREATE TABLE budget (\n"
	"	target INTEGER NOT NULL PRIMARY KEY REFERENCES target (id) ON DELETE CASCADE,\n"
	"	day_bytes INTEGER NOT NULL,\n"
	"	level_bytes INTEGER NOT NULL, -- what might be written at that time; below 0: owed\n"
	"	saved_usec INTEGER NOT NULL\n"
	") STRICT;\n"
	"ALTER TABLE run ADD COLUMN is_confirmation INTEGER; -- 1; NULL: 0\n"

	"PRAGMA user_version = 2;\n";
/* clang-format on */
