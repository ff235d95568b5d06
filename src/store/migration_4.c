/* SPDX-License-Identifier: Apache-2.0 */
/* Mutes that somebody asked for. */
#include "store/schema.h"

/* clang-format off: SQL keeps its own shape */
const char schema_migration_4[] =
	"CREATE TABLE mute (\n"
	"	id INTEGER PRIMARY KEY CHECK (id > 0),\n"
	"	repository TEXT NOT NULL, -- its name; '': all\n"
	"	mode INTEGER NOT NULL, -- 1: messages, 2: probing too\n"
	"	from_usec INTEGER NOT NULL,\n"
	"	until_usec INTEGER NOT NULL, -- shortened when it is taken back\n"
	"	uid INTEGER NOT NULL, -- of who asked\n"
	"	reason TEXT NOT NULL\n"
	") STRICT;\n"
	"CREATE INDEX mute_until ON mute (until_usec);\n"
	"PRAGMA user_version = 4;\n";
/* clang-format on */
