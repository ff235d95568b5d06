/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies our database among others, older and newer ones, and migrates it. */
#include "store/schema.h"

#include <errno.h>
#include <sqlite3.h>

#include "base/error.h"
#include "store/sql.h"

int schema_identify(struct sqlite3 *db, int *ret_version, struct error *reterr)
{
	int64_t application_id;
	int64_t version;
	int64_t objects;

	int r = sql_query_integer(db, "PRAGMA application_id", &application_id, reterr);
	if (r < 0)
		return r;
	r = sql_query_integer(db, "PRAGMA user_version", &version, reterr);
	if (r < 0)
		return r;
	r = sql_query_integer(db, "SELECT count(*) FROM sqlite_schema", &objects, reterr);
	if (r < 0)
		return r;
	if (application_id == 0 && version == 0 && objects == 0) {
		*ret_version = 0;
		return 0;
	}
	if (application_id == SCHEMA_TRIAL_APPLICATION_ID && version >= 1)
		return error_set(reterr, -EPROTONOSUPPORT,
			"it was made by a development version before the first release, and "
			"repoprobed keeps it under another name and begins a new one when it "
			"starts");
	if (application_id != SCHEMA_APPLICATION_ID || version < 1)
		return error_set(reterr, -EINVAL, "it is not a repoprobe database");
	if (version > schema_migrations.newest)
		return error_set(reterr, -EPROTO,
			"it was made by a newer repoprobe (schema %lld, this version knows %d)",
			(long long)version, schema_migrations.newest);
	*ret_version = (int)version;
	return 0;
}

/* Records which program version made the change; a later one has no other trace of it. */
static int note_migration(struct sqlite3 *db, int version, struct error *reterr)
{
	static const char text[] = "INSERT INTO meta (key, value) VALUES ('migration ' || ?, ?)";
	struct sql s = { 0 };

	int r = sql_prepare(db, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, version);
	sql_bind_text(&s, PACKAGE_STRING);
	r = sql_finish(&s, reterr);
	sql_done(&s);
	return r;
}

static int migrate_from(struct sqlite3 *db, int version, int to_version, struct error *reterr)
{
	for (int i = version; i < to_version; i++) {
		int r = sql_execute(db, schema_migrations.texts[i], reterr);
		if (r == 0)
			r = note_migration(db, i + 1, reterr);
		if (r < 0)
			return r;
	}
	return sql_execute(db, "COMMIT", reterr);
}

int schema_migrate(struct sqlite3 *db, int version, int to_version, struct error *reterr)
{
	if (version == to_version)
		return 0;
	int r = sql_execute(db, "BEGIN IMMEDIATE", reterr);
	if (r < 0)
		return r;
	r = migrate_from(db, version, to_version, reterr);
	if (r < 0 && !sqlite3_get_autocommit(db))
		(void)sql_execute(db, "ROLLBACK", NULL); /* the first error is reported */
	return r;
}
