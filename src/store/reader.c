/* SPDX-License-Identifier: Apache-2.0 */
/* A read-only connection, and how its queries are interrupted. */
#include "store/reader.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "store/bad_rows.h"
#include "store/database.h"

#define DEFAULT_LIMIT 100
#define PROGRESS_STEPS 1000 /* SQLite VM instructions, well below a millisecond */

static int is_to_stop(void *data)
{
	struct store_reader *reader = data;

	return atomic_load(&reader->is_stopped);
}

static uint64_t inode_of(struct sqlite3 *db)
{
	struct stat st;
	const char *path = sqlite3_db_filename(db, "main");

	return path && stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

bool reader_is_current(const struct store_reader *reader)
{
	return inode_of(reader->db) == reader->inode;
}

static int open_reader(
	const char *path, bool takes_older, struct store_reader **ret, struct error *reterr)
{
	struct store_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));
	int r = database_open_to_read(path, takes_older, &reader->db, reterr);
	if (r < 0) {
		store_reader_close(reader);
		return r;
	}
	reader->inode = inode_of(reader->db);
	sqlite3_progress_handler(reader->db, PROGRESS_STEPS, is_to_stop, reader);
	*ret = reader;
	return 0;
}

int store_reader_open(const char *path, struct store_reader **ret, struct error *reterr)
{
	return open_reader(path, false, ret, reterr);
}

int store_reader_open_older(const char *path, struct store_reader **ret, struct error *reterr)
{
	return open_reader(path, true, ret, reterr);
}

struct store_reader *store_reader_close(struct store_reader *reader)
{
	if (!reader)
		return NULL;
	(void)sqlite3_close(reader->db); /* statements are finalized, so it closes */
	free(reader);
	return NULL;
}

void store_reader_interrupt(struct store_reader *reader)
{
	sqlite3_interrupt(reader->db);
}

void reader_stop(struct store_reader *reader)
{
	atomic_store(&reader->is_stopped, true);
	sqlite3_interrupt(reader->db);
}

int reader_prepare(
	struct store_reader *reader, const char *text, struct sql *ret, struct error *reterr)
{
	if (is_to_stop(reader))
		return error_set(reterr, -EINTR, "history: interrupted");
	return sql_prepare(reader->db, text, ret, reterr);
}

void store_reader_report(struct store_reader *reader, struct store_bad_rows *bad_rows)
{
	reader->bad_rows = bad_rows;
}

int reader_take_row(struct store_reader *reader, struct sql *s, const char *table, int64_t id,
	struct error *reterr)
{
	if (s->error == 0)
		return 1;
	if (s->error != -EBADMSG)
		return error_set(reterr, s->error, "history: row %lld of table %s: %s",
			(long long)id, table, errno_text(-s->error));
	s->error = 0;
	bad_rows_note(reader->bad_rows, table, id);
	return 0;
}

int reader_take_target(struct store_reader *reader, struct sql *s, int64_t id,
	char name[RUN_NAME_MAX + 1], struct error *reterr)
{
	sql_text(s, name, RUN_NAME_MAX + 1);
	return reader_take_row(reader, s, "target", id, reterr);
}

int64_t reader_limit(size_t limit)
{
	if (limit == 0)
		return DEFAULT_LIMIT;
	return limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
}

static void read_evidence(struct sql *s, struct alarm_evidence *ret)
{
	ret->rule = (enum alarm_rule)sql_unsigned_or(s, ALARM_RULES - 1, 0);
	ret->value = sql_unsigned_or(s, INT64_MAX, 0);
	ret->normal = sql_unsigned_or(s, INT64_MAX, 0);
	ret->normal_low = sql_unsigned_or(s, INT64_MAX, 0);
	ret->normal_high = sql_unsigned_or(s, INT64_MAX, 0);
	ret->normal_runs = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	ret->load = (enum load_class)sql_unsigned_or(s, LOAD_UNKNOWN, LOAD_UNKNOWN);
	ret->others_bytes_per_sec = sql_unsigned_or(s, INT64_MAX, 0);
	ret->confirmations = (uint8_t)sql_unsigned_or(s, UINT8_MAX, 0);
	ret->agreed = (uint8_t)sql_unsigned_or(s, UINT8_MAX, 0);
	ret->moved = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	ret->cause = (enum alarm_cause)sql_unsigned_or(s, ALARM_CAUSES - 1, 0);
}

void reader_read_event_head(struct sql *s, struct incident_event *ret)
{
	*ret = (struct incident_event){ 0 };
	ret->incident_id = sql_integer(s, 1, READER_ID_MAX);
	ret->opened_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	sql_text(s, ret->repository, sizeof(ret->repository));
}

void reader_read_event_rest(struct sql *s, struct incident_event *ret)
{
	ret->sequence = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	ret->change = (enum incident_change)sql_unsigned_or(s, INCIDENT_CHANGES - 1, 0);
	ret->level = (enum alarm_level)sql_unsigned_or(s, ALARM_CRITICAL, 0);
	ret->reason = (enum alarm_reason)sql_unsigned_or(s, ALARM_REASONS - 1, 0);
	ret->time_usec = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
	sql_text(s, ret->probe, sizeof(ret->probe));
	ret->operation = (enum run_operation)sql_unsigned_or(s, RUN_OPERATIONS - 1, 0);
	ret->value_nsec = sql_unsigned_or(s, INT64_MAX, 0);
	ret->limit_nsec = sql_unsigned_or(s, INT64_MAX, 0);
	ret->hits = (uint8_t)sql_unsigned_or(s, UINT8_MAX, 0);
	ret->window = (uint8_t)sql_unsigned_or(s, UINT8_MAX, 0);
	ret->status = (enum run_status)sql_unsigned_or(s, RUN_STATUSES - 1, 0);
	read_evidence(s, &ret->evidence);
	sql_text(s, ret->alarm, sizeof(ret->alarm));
	sql_text(s, ret->condition, sizeof(ret->condition));
	ret->evidence.unit = (enum alarm_unit)sql_unsigned_or(s, ALARM_UNITS - 1, 0);
	ret->evidence.setup_step = (enum run_setup_step)sql_unsigned_or(s, RUN_SETUP_STEPS - 1, 0);
}

int reader_take_event(struct store_reader *reader, struct sql *s, struct incident_event *ret,
	struct error *reterr)
{
	reader_read_event_head(s, ret);
	int r = reader_take_row(reader, s, "incident", ret->incident_id, reterr);
	if (r <= 0)
		return r;
	reader_read_event_rest(s, ret);
	return reader_take_row(reader, s, "incident_event", ret->incident_id, reterr);
}
