/* SPDX-License-Identifier: Apache-2.0 */
/* For test_migration.py: "old_history PATH VERSION" makes an empty database as that version did. */
#include <sqlite3.h>
#include <stdio.h>

#include "base/error.h"
#include "base/parse.h"
#include "store/schema.h"

int main(int argc, char **argv)
{
	struct error error = { "" };
	struct sqlite3 *db = NULL;
	int64_t version = 0;

	if (argc != 3 || parse_int(argv[2], 1, SCHEMA_VERSION - 1, &version, NULL) < 0) {
		(void)fprintf(stderr, "old_history PATH VERSION, before %d\n", SCHEMA_VERSION);
		return 2;
	}
	int r = sqlite3_open(argv[1], &db) == SQLITE_OK
		? schema_migrate(db, 0, (int)version, &error)
		: error_set(&error, -1, "%s cannot be made", argv[1]);
	(void)sqlite3_close(db); /* it has no statements */
	if (r < 0)
		(void)fprintf(stderr, "%s\n", error.text);
	return r < 0;
}
