/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that write, and the transaction around the changes of a batch. */
#include "store/write.h"

#include <errno.h>
#include <sqlite3.h>

#include "base/error.h"

static const char *const texts[WRITE_STATEMENTS] = {
	[WRITE_BEGIN] = "BEGIN IMMEDIATE",
	[WRITE_COMMIT] = "COMMIT",
	[WRITE_ROLLBACK] = "ROLLBACK",
	[WRITE_FIND_TARGET] = "SELECT id FROM target WHERE name = ?",
	[WRITE_ADD_TARGET] = "INSERT INTO target (name) VALUES (?) RETURNING id",
	[WRITE_FIND_SERIES] = "SELECT id FROM series WHERE target = ? AND probe = ? AND key = ?",
	[WRITE_ADD_SERIES] =
		"INSERT INTO series (target, probe, key) VALUES (?, ?, ?) RETURNING id",
	[WRITE_FIND_WORKLOAD] = "SELECT id FROM workload WHERE options = ?",
	[WRITE_ADD_WORKLOAD] = "INSERT INTO workload (options) VALUES (?) RETURNING id",
	/* The size is bound, as in the other statement, but does not tell one from another. */
	[WRITE_FIND_IDENTITY] =
		"SELECT id FROM identity WHERE target = ? AND fs_type = ? AND source = ?"
		" AND mount_point = ? AND fs_uuid = ? AND is_mount = ? AND sector_bytes = ?"
		" AND mount_options = ? AND fs_options = ? AND device = ? AND ? IS NOT NULL",
	[WRITE_ADD_IDENTITY] =
		"INSERT INTO identity (target, fs_type, source, mount_point, fs_uuid, is_mount,"
		" sector_bytes, mount_options, fs_options, device, size_bytes)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
	[WRITE_ADD_RUN] =
		"INSERT INTO run (id, series, started_usec, status, skip, error_number, reason,"
		" trust, engine, workload, identity, start_delay_usec, duration_nsec, setup_nsec,"
		" measured_nsec, cpu_user_nsec, cpu_system_nsec, outstanding_ios, layout_bytes,"
		" others_bytes_per_sec, others_ios_per_sec, pressure_some, pressure_full,"
		" file_bytes, file_target_bytes, file_size_bytes, free_bytes, size_bytes,"
		" registered_buffers, iops_seconds, iops_ios, iops_squares, is_confirmation,"
		" setup_longest_nsec, setup_step)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?,"
		" nullif(?, (SELECT size_bytes FROM identity WHERE id = ?11)), ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_ADD_OPERATION] =
		"INSERT INTO run_operation (run, operation, ios, bytes, errors, active_nsec,"
		" iops_seconds, iops_ios, iops_squares, latencies, sum_nsec, min_nsec, max_nsec,"
		" p50_nsec, p95_nsec, p99_nsec, histogram)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_ADD_HOUR_DUE] = "INSERT OR IGNORE INTO hour_due (hour, series) VALUES (?, ?)",
	[WRITE_ADD_DAY_DUE] = "INSERT OR IGNORE INTO day_due (day, series) VALUES (?, ?)",
	[WRITE_SET_DURATION] = "UPDATE run SET duration_nsec = ? WHERE id = ?",
	[WRITE_SET_BUDGET] = "INSERT INTO budget (target, day_bytes, level_bytes, saved_usec)"
			     " VALUES (?, ?, ?, ?) ON CONFLICT (target) DO UPDATE SET"
			     " day_bytes = excluded.day_bytes, level_bytes = excluded.level_bytes,"
			     " saved_usec = excluded.saved_usec",
	[WRITE_SET_WATCHED] = "INSERT OR REPLACE INTO meta (key, value) VALUES ('watched', ?)",
	[WRITE_SET_ALARM] =
		"UPDATE target SET incident = ?, incident_level = ?, incident_changes = ?,"
		" alarm = ? WHERE id = ?",
	/* What was closed stays so, unless it is opened again. */
	[WRITE_SET_INCIDENT] = "INSERT INTO incident (id, target, level, opened_usec, closed_usec)"
			       " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET"
			       " level = max(level, excluded.level), closed_usec ="
			       " iif(?6, NULL, coalesce(closed_usec, excluded.closed_usec))",
	[WRITE_ADD_EVENT] =
		"INSERT INTO incident_event (incident, sequence, change, level, reason, time_usec,"
		" probe, operation, value_nsec, limit_nsec, hits, window_runs, status, rule,"
		" value, normal, normal_low, normal_high, normal_runs, load,"
		" others_bytes_per_sec, confirmations, agreed, moved, cause, alarm, condition,"
		" unit, setup_step)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?)"
		" ON CONFLICT (incident, sequence) DO NOTHING",
	[WRITE_ADD_MESSAGE] =
		"INSERT INTO outbox (key, channel, created_usec, tries, text, incident, sequence)"
		" VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
	[WRITE_SET_DELIVERY] = "UPDATE outbox SET delivered_usec = ? WHERE key = ?",
	[WRITE_SET_FIRST_IDENTITY] =
		"INSERT OR REPLACE INTO first_identity (target, wanted, is_mount, fs_type, source,"
		" mount_point, fs_uuid) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[WRITE_SET_MUTE] =
		"INSERT INTO mute (id, repository, mode, from_usec, until_usec, uid, reason)"
		" VALUES (?, ?, ?, ?, ?, ?, ?)"
		" ON CONFLICT (id) DO UPDATE SET until_usec = excluded.until_usec",
	[WRITE_SET_SAMPLE] = "UPDATE run_operation SET sample = ? WHERE run = ? AND operation = ?",
	[WRITE_SET_BASELINE] =
		"INSERT OR REPLACE INTO baseline (series, operation, built_usec, anchor,"
		" anchor_usec, valley_nsec, since_usec) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[WRITE_SET_ACKNOWLEDGEMENT] =
		"UPDATE incident SET acknowledged_usec = ?, acknowledged_uid = ?,"
		" acknowledged_text = ? WHERE id = ?",
};

int write_init(struct write *w, struct sqlite3 *db, struct error *reterr)
{
	*w = (struct write){ .db = db };
	for (size_t i = 0; i < WRITE_STATEMENTS; i++) {
		int r = sql_prepare(db, texts[i], &w->statements[i], reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

void write_done(struct write *w)
{
	for (size_t i = 0; i < WRITE_STATEMENTS; i++)
		sql_done(&w->statements[i]);
	w->db = NULL;
}

struct sql *write_start(struct write *w, enum write_statement which)
{
	struct sql *s = &w->statements[which];

	sql_start(s);
	return s;
}

static int step_to_id(struct sql *s, int64_t *ret_id, struct error *reterr)
{
	int r = sql_step(s, reterr);

	if (r > 0) {
		*ret_id = sql_integer(s, INT64_MIN, INT64_MAX);
		r = s->error < 0 ? s->error : sql_finish(s, reterr);
		return r < 0 ? r : 1;
	}
	return r;
}

int write_look_up(struct write *w, const struct write_lookup *lookup, const void *data,
	int64_t *ret_id, struct error *reterr)
{
	const enum write_statement tries[] = { lookup->find, lookup->add };

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct sql *s = write_start(w, tries[i]);
		lookup->bind(s, data);
		int r = step_to_id(s, ret_id, reterr);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return error_set(reterr, -EINVAL, "history: an insert made no row");
}

static void bind_target(struct sql *s, const void *data)
{
	sql_bind_text(s, data);
}

int write_target(struct write *w, const char *name, int64_t *ret_id, struct error *reterr)
{
	static const struct write_lookup lookup = { WRITE_FIND_TARGET, WRITE_ADD_TARGET,
		bind_target };

	return write_look_up(w, &lookup, name, ret_id, reterr);
}

struct series_key {
	int64_t target;
	const char *probe;
	const char *key;
};

static void bind_series(struct sql *s, const void *data)
{
	const struct series_key *k = data;

	sql_bind_integer(s, k->target);
	sql_bind_text(s, k->probe);
	sql_bind_text(s, k->key);
}

int write_series(struct write *w, int64_t target, const char *probe, const char *key,
	int64_t *ret_id, struct error *reterr)
{
	static const struct write_lookup lookup = { WRITE_FIND_SERIES, WRITE_ADD_SERIES,
		bind_series };
	const struct series_key k = { .target = target, .probe = probe, .key = key };

	return write_look_up(w, &lookup, &k, ret_id, reterr);
}

static int write_changes(struct write *w, const struct batch *batch, struct error *reterr)
{
	static int (*const writers[])(struct write *, const struct change *, struct error *) = {
		[CHANGE_RUN] = write_run,
		[CHANGE_ALARM] = write_alarm,
		[CHANGE_EVENT] = write_event,
		[CHANGE_MESSAGE] = write_message,
		[CHANGE_DELIVERY] = write_delivery,
		[CHANGE_DURATION] = write_duration,
		[CHANGE_FIRST_IDENTITY] = write_first_identity,
		[CHANGE_MUTE] = write_mute,
		[CHANGE_SAMPLE] = write_sample,
		[CHANGE_BASELINE] = write_baseline,
		[CHANGE_ACKNOWLEDGEMENT] = write_acknowledgement,
		[CHANGE_BUDGET] = write_budget,
		[CHANGE_WATCHED] = write_watched,
	};

	for (const struct change *c = batch->first; c; c = c->next) {
		int r = writers[c->kind](w, c, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_each(
	struct write *w, const struct batch *first, size_t count, struct error *reterr)
{
	int r = 0;

	for (const struct batch *b = first; r == 0 && count > 0; b = b->next, count--)
		r = write_changes(w, b, reterr);
	return r;
}

int write_batches(struct write *w, const struct batch *first, size_t count, struct error *reterr)
{
	int r = sql_finish(write_start(w, WRITE_BEGIN), reterr);

	if (r < 0)
		return r;
	r = write_each(w, first, count, reterr);
	if (r == 0)
		r = sql_finish(write_start(w, WRITE_COMMIT), reterr);
	if (r == 0)
		return 0;
	/* A statement left in the middle would keep the transaction's locks. */
	for (size_t i = 0; i < WRITE_STATEMENTS; i++)
		sql_start(&w->statements[i]);
	/* SQLite has already undone it after some errors; the first error is the one to tell. */
	if (!sqlite3_get_autocommit(w->db))
		(void)sql_finish(write_start(w, WRITE_ROLLBACK), NULL);
	return r;
}
