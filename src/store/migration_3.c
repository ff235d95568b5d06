/* SPDX-License-Identifier: Apache-2.0 */
/* The third schema: runs merged by hours and days, and what of that is still to be done. Hours and
 * days are those of UTC, counted since 1970. A row's id is made of its series and its hour (day),
 * so that a range of time of one series is a range of ids. */
#include "store/schema.h"

/* clang-format off: SQL keeps its own shape */
#define HOUR_TABLES                                                                                       \
	"CREATE TABLE hour ( -- runs of a series that started within an hour, merged\n"                   \
	"	id INTEGER PRIMARY KEY, -- series * 16777216 + hours since 1970\n"                              \
	"	ok INTEGER NOT NULL, -- runs of each status\n"                                                  \
	"	error INTEGER NOT NULL,\n"                                                                      \
	"	stalled INTEGER NOT NULL,\n"                                                                    \
	"	timeout INTEGER NOT NULL,\n"                                                                    \
	"	stuck INTEGER NOT NULL,\n"                                                                      \
	"	not_mounted INTEGER NOT NULL,\n"                                                                \
	"	wrong_target INTEGER NOT NULL,\n"                                                               \
	"	read_only INTEGER NOT NULL,\n"                                                                  \
	"	no_space INTEGER NOT NULL,\n"                                                                   \
	"	refused INTEGER NOT NULL,\n"                                                                    \
	"	skipped INTEGER NOT NULL,\n"                                                                    \
	"	trust INTEGER NOT NULL, -- bits that any of the runs has\n"                                     \
	"	runs_kept INTEGER NOT NULL -- 0: they were dropped, and what comes late is added to this row\n" \
	") STRICT;\n"                                                                                     \
	"CREATE INDEX hour_kept ON hour (id & 16777215) WHERE runs_kept;\n"                               \
	"CREATE TABLE hour_operation ( -- of the runs with numbers\n"                                     \
	"	id INTEGER PRIMARY KEY, -- (series * 4 + operation) * 16777216 + hours since 1970\n"            \
	"	runs INTEGER NOT NULL,\n"                                                                       \
	"	ios INTEGER NOT NULL,\n"                                                                        \
	"	bytes INTEGER NOT NULL,\n"                                                                      \
	"	errors INTEGER NOT NULL,\n"                                                                     \
	"	measured_nsec INTEGER NOT NULL,\n"                                                              \
	"	latencies INTEGER, -- NULL: ios\n"                                                              \
	"	sum_nsec INTEGER NOT NULL,\n"                                                                   \
	"	min_nsec INTEGER NOT NULL,\n"                                                                   \
	"	max_nsec INTEGER NOT NULL,\n"                                                                   \
	"	p50_nsec INTEGER NOT NULL,\n"                                                                   \
	"	p95_nsec INTEGER NOT NULL,\n"                                                                   \
	"	p99_nsec INTEGER NOT NULL,\n"                                                                   \
	"	histogram BLOB NOT NULL -- as in run_operation: the exact sum of theirs\n"                      \
	") STRICT;\n"                                                                                     \
	"CREATE TABLE hour_due ( -- a run came that is not in its hour yet\n"                             \
	"	hour INTEGER NOT NULL, -- since 1970\n"                                                         \
	"	series INTEGER NOT NULL REFERENCES series (id),\n"                                              \
	"	PRIMARY KEY (hour, series)\n"                                                                   \
	") STRICT, WITHOUT ROWID;\n"
#define DAY_TABLES                                                                                         \
	"CREATE TABLE day ( -- the same for a day\n"                                                       \
	"	id INTEGER PRIMARY KEY, -- series * 16777216 + days since 1970\n"                                \
	"	ok INTEGER NOT NULL, -- runs of each status\n"                                                   \
	"	error INTEGER NOT NULL,\n"                                                                       \
	"	stalled INTEGER NOT NULL,\n"                                                                     \
	"	timeout INTEGER NOT NULL,\n"                                                                     \
	"	stuck INTEGER NOT NULL,\n"                                                                       \
	"	not_mounted INTEGER NOT NULL,\n"                                                                 \
	"	wrong_target INTEGER NOT NULL,\n"                                                                \
	"	read_only INTEGER NOT NULL,\n"                                                                   \
	"	no_space INTEGER NOT NULL,\n"                                                                    \
	"	refused INTEGER NOT NULL,\n"                                                                     \
	"	skipped INTEGER NOT NULL,\n"                                                                     \
	"	trust INTEGER NOT NULL, -- bits that any of the runs has\n"                                      \
	"	hours_kept INTEGER NOT NULL -- 0: they were dropped, and what comes late is added to this row\n" \
	") STRICT;\n"                                                                                      \
	"CREATE INDEX day_kept ON day (id & 16777215) WHERE hours_kept;\n"                                 \
	"CREATE TABLE day_operation ( -- of the runs with numbers\n"                                       \
	"	id INTEGER PRIMARY KEY, -- (series * 4 + operation) * 16777216 + days since 1970\n"              \
	"	runs INTEGER NOT NULL,\n"                                                                        \
	"	ios INTEGER NOT NULL,\n"                                                                         \
	"	bytes INTEGER NOT NULL,\n"                                                                       \
	"	errors INTEGER NOT NULL,\n"                                                                      \
	"	measured_nsec INTEGER NOT NULL,\n"                                                               \
	"	latencies INTEGER, -- NULL: ios\n"                                                               \
	"	sum_nsec INTEGER NOT NULL,\n"                                                                    \
	"	min_nsec INTEGER NOT NULL,\n"                                                                    \
	"	max_nsec INTEGER NOT NULL,\n"                                                                    \
	"	p50_nsec INTEGER NOT NULL,\n"                                                                    \
	"	p95_nsec INTEGER NOT NULL,\n"                                                                    \
	"	p99_nsec INTEGER NOT NULL,\n"                                                                    \
	"	histogram BLOB NOT NULL -- as in run_operation: the exact sum of theirs\n"                       \
	") STRICT;\n"                                                                                      \
	"CREATE TABLE day_due ( -- a run came that is not in its day yet\n"                                \
	"	day INTEGER NOT NULL, -- since 1970\n"                                                           \
	"	series INTEGER NOT NULL REFERENCES series (id),\n"                                               \
	"	PRIMARY KEY (day, series)\n"                                                                     \
	") STRICT, WITHOUT ROWID;\n"
#define HOUR_VIEW                                                                                        \
	"CREATE VIEW hours_v AS\n"                                                                       \
	"SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (hour.id & 16777215) * 3600, 'unixepoch') AS hour,\n"     \
	"	target.name AS repository, series.probe, series.id AS series,\n"                               \
	"	ok + error + stalled + timeout + stuck + not_mounted + wrong_target + read_only\n"             \
	"		+ no_space + refused + skipped AS runs,\n"                                                    \
	"	ok, error, stalled, timeout, stuck, not_mounted,\n"                                            \
	"	wrong_target, read_only, no_space, refused, skipped,\n"                                        \
	"	rtrim(iif(trust & 1, 'direct,', '') || iif(trust & 2, 'buffered,', '')\n"                      \
	"		|| iif(trust & 4, 'fallback,', '') || iif(trust & 8, 'cached?,', '')\n"                       \
	"		|| iif(trust & 16, 'compressed?,', '') || iif(trust & 32, 'split,', '')\n"                    \
	"		|| iif(trust & 64, 'clamped,', '') || iif(trust & 128, 'short,', '')\n"                       \
	"		|| iif(trust & 256, 'warming,', ''), ',') AS trust,\n"                                        \
	"	r.runs AS read_runs, r.ios AS read_ios, r.bytes AS read_bytes, r.errors AS read_errors,\n"     \
	"	round(r.bytes * 1e9 / 1048576 / nullif(r.measured_nsec, 0), 3) AS read_mib_per_s,\n"           \
	"	round(r.ios * 1e9 / nullif(r.measured_nsec, 0), 3) AS read_iops,\n"                            \
	"	round(r.sum_nsec / 1e6 / nullif(coalesce(r.latencies, r.ios), 0), 3) AS read_avg_ms,\n"        \
	"	round(r.min_nsec / 1e6, 3) AS read_min_ms,\n"                                                  \
	"	round(r.p50_nsec / 1e6, 3) AS read_p50_ms,\n"                                                  \
	"	round(r.p95_nsec / 1e6, 3) AS read_p95_ms,\n"                                                  \
	"	round(r.p99_nsec / 1e6, 3) AS read_p99_ms,\n"                                                  \
	"	round(r.max_nsec / 1e6, 3) AS read_max_ms,\n"                                                  \
	"	w.runs AS write_runs, w.ios AS write_ios, w.bytes AS write_bytes, w.errors AS write_errors,\n" \
	"	round(w.bytes * 1e9 / 1048576 / nullif(w.measured_nsec, 0), 3) AS write_mib_per_s,\n"          \
	"	round(w.ios * 1e9 / nullif(w.measured_nsec, 0), 3) AS write_iops,\n"                           \
	"	round(w.sum_nsec / 1e6 / nullif(coalesce(w.latencies, w.ios), 0), 3) AS write_avg_ms,\n"       \
	"	round(w.min_nsec / 1e6, 3) AS write_min_ms,\n"                                                 \
	"	round(w.p50_nsec / 1e6, 3) AS write_p50_ms,\n"                                                 \
	"	round(w.p95_nsec / 1e6, 3) AS write_p95_ms,\n"                                                 \
	"	round(w.p99_nsec / 1e6, 3) AS write_p99_ms,\n"                                                 \
	"	round(w.max_nsec / 1e6, 3) AS write_max_ms\n"                                                  \
	"FROM hour\n"                                                                                    \
	"	JOIN series ON series.id = hour.id >> 24\n"                                                    \
	"	JOIN target ON target.id = series.target\n"                                                    \
	"	LEFT JOIN hour_operation AS r\n"                                                               \
	"		ON r.id = hour.id + (series.id * 3 << 24)\n"                                                  \
	"	LEFT JOIN hour_operation AS w\n"                                                               \
	"		ON w.id = hour.id + (series.id * 3 + 1 << 24);\n"
#define DAY_VIEW                                                                                         \
	"CREATE VIEW days_v AS\n"                                                                        \
	"SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (day.id & 16777215) * 86400, 'unixepoch') AS day,\n"      \
	"	target.name AS repository, series.probe, series.id AS series,\n"                               \
	"	ok + error + stalled + timeout + stuck + not_mounted + wrong_target + read_only\n"             \
	"		+ no_space + refused + skipped AS runs,\n"                                                    \
	"	ok, error, stalled, timeout, stuck, not_mounted,\n"                                            \
	"	wrong_target, read_only, no_space, refused, skipped,\n"                                        \
	"	rtrim(iif(trust & 1, 'direct,', '') || iif(trust & 2, 'buffered,', '')\n"                      \
	"		|| iif(trust & 4, 'fallback,', '') || iif(trust & 8, 'cached?,', '')\n"                       \
	"		|| iif(trust & 16, 'compressed?,', '') || iif(trust & 32, 'split,', '')\n"                    \
	"		|| iif(trust & 64, 'clamped,', '') || iif(trust & 128, 'short,', '')\n"                       \
	"		|| iif(trust & 256, 'warming,', ''), ',') AS trust,\n"                                        \
	"	r.runs AS read_runs, r.ios AS read_ios, r.bytes AS read_bytes, r.errors AS read_errors,\n"     \
	"	round(r.bytes * 1e9 / 1048576 / nullif(r.measured_nsec, 0), 3) AS read_mib_per_s,\n"           \
	"	round(r.ios * 1e9 / nullif(r.measured_nsec, 0), 3) AS read_iops,\n"                            \
	"	round(r.sum_nsec / 1e6 / nullif(coalesce(r.latencies, r.ios), 0), 3) AS read_avg_ms,\n"        \
	"	round(r.min_nsec / 1e6, 3) AS read_min_ms,\n"                                                  \
	"	round(r.p50_nsec / 1e6, 3) AS read_p50_ms,\n"                                                  \
	"	round(r.p95_nsec / 1e6, 3) AS read_p95_ms,\n"                                                  \
	"	round(r.p99_nsec / 1e6, 3) AS read_p99_ms,\n"                                                  \
	"	round(r.max_nsec / 1e6, 3) AS read_max_ms,\n"                                                  \
	"	w.runs AS write_runs, w.ios AS write_ios, w.bytes AS write_bytes, w.errors AS write_errors,\n" \
	"	round(w.bytes * 1e9 / 1048576 / nullif(w.measured_nsec, 0), 3) AS write_mib_per_s,\n"          \
	"	round(w.ios * 1e9 / nullif(w.measured_nsec, 0), 3) AS write_iops,\n"                           \
	"	round(w.sum_nsec / 1e6 / nullif(coalesce(w.latencies, w.ios), 0), 3) AS write_avg_ms,\n"       \
	"	round(w.min_nsec / 1e6, 3) AS write_min_ms,\n"                                                 \
	"	round(w.p50_nsec / 1e6, 3) AS write_p50_ms,\n"                                                 \
	"	round(w.p95_nsec / 1e6, 3) AS write_p95_ms,\n"                                                 \
	"	round(w.p99_nsec / 1e6, 3) AS write_p99_ms,\n"                                                 \
	"	round(w.max_nsec / 1e6, 3) AS write_max_ms\n"                                                  \
	"FROM day\n"                                                                                     \
	"	JOIN series ON series.id = day.id >> 24\n"                                                     \
	"	JOIN target ON target.id = series.target\n"                                                    \
	"	LEFT JOIN day_operation AS r\n"                                                                \
	"		ON r.id = day.id + (series.id * 3 << 24)\n"                                                   \
	"	LEFT JOIN day_operation AS w\n"                                                                \
	"		ON w.id = day.id + (series.id * 3 + 1 << 24);\n"
/* What is measured under a name, and when it was: an old series stays visible. */
#define SERIES_VIEW                                                                                 \
	"CREATE VIEW series_v AS\n"                                                                 \
	"SELECT series.id, target.name AS repository, series.probe, series.key AS measured,\n"      \
	"	strftime('%Y-%m-%dT%H:%M:%SZ', min(\n"                                                    \
	"		ifnull((SELECT min(started_usec) / 1000000 FROM run WHERE series = series.id), 9e15),\n" \
	"		ifnull((SELECT min(id) & 16777215 FROM hour\n"                                           \
	"			WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 3600, 9e15),\n"             \
	"		ifnull((SELECT min(id) & 16777215 FROM day\n"                                            \
	"			WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 86400, 9e15)),\n"           \
	"		'unixepoch') AS first,\n"                                                                \
	"	strftime('%Y-%m-%dT%H:%M:%SZ', max(\n"                                                    \
	"		ifnull((SELECT max(started_usec) / 1000000 FROM run WHERE series = series.id), 0),\n"    \
	"		ifnull((SELECT max(id) & 16777215 FROM hour\n"                                           \
	"			WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 3600, 0),\n"                \
	"		ifnull((SELECT max(id) & 16777215 FROM day\n"                                            \
	"			WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 86400, 0)),\n"              \
	"		'unixepoch') AS last\n"                                                                  \
	"FROM series JOIN target ON target.id = series.target;\n"

const char schema_migration_3[] = HOUR_TABLES DAY_TABLES HOUR_VIEW DAY_VIEW SERIES_VIEW
	"-- What the first version recorded is merged when there is time.\n"
	"INSERT INTO hour_due SELECT DISTINCT started_usec / 3600000000, series FROM run;\n"
	"INSERT INTO day_due SELECT DISTINCT started_usec / 86400000000, series FROM run;\n"
	"PRAGMA user_version = 3;\n";
/* clang-format on */
