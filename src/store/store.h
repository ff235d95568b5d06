/* SPDX-License-Identifier: Apache-2.0 */
/* The history in SQLite. Three parts: the database (open, migrate), the writer (one thread, batches
 * in, one transaction each; see model/batch.h), and readers. No sqlite type leaves this folder. */
#ifndef REPOPROBE_STORE_STORE_H
#define REPOPROBE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/alarm_state.h"
#include "model/batch.h"
#include "model/incident.h"
#include "model/message.h"
#include "model/mute.h"
#include "model/run.h"
#include "model/run_point.h"

struct buf;
struct error;

/* --- The writer (database.c, opening.c, writer.c) ----------------------- */

struct store_writer;

/* Starts the thread, which opens or creates PATH (0640 and group repoprobe where there is one, WAL
 * kept on close, foreign keys) and migrates it, after a copy of it is kept as PATH.schema-VERSION.
 * Waits for that 3 s at most: what takes longer goes on, and batches wait meanwhile (see
 * store_writer_opened). Trouble that can pass (a lock, a full disk) is retried.
 *
 * A damaged database is kept as PATH.corrupt-TIME, one of before the first release as
 * PATH.trial-TIME, and a new one begun; one of a newer version is left alone, and
 * history-SCHEMA.db beside it used. The status tells of either. Errors: -EBUSY
 * (another daemon holds it: PATH.lock), -EINVAL (a database of another program), others as -errno;
 * each with a sentence. max_batches bounds the queue. */
int store_writer_open(
	const char *path, size_t max_batches, struct store_writer **ret, struct error *reterr);

/* 0: it is open; -EINPROGRESS: not yet; else it never will be, with a sentence. The writer's fd
 * becomes readable when this changes. */
int store_writer_opened(struct store_writer *writer, struct error *reterr);

/* A reader found the database damaged: keeps it aside and begins a new one, as the writer does by
 * itself. why is a sentence. Waits for nothing: store_writer_opened tells when it is done. */
void store_writer_replace(struct store_writer *writer, const char *why);

/* Takes the batch. -ENOBUFS when the queue is full: the oldest batch of the queue is then given up,
 * counted as lost and handed back by store_writer_take, and this one is queued all the same.
 * Batches that wait are committed many at a time. */
int store_writer_submit(struct store_writer *writer, struct batch *batch);

/* Hands out the messages of batches that wait and whose tag is at most `tag`, the oldest first;
 * each batch once. Returns true while others with messages wait that are not told. */
bool store_writer_tell(struct store_writer *writer, uint64_t tag,
	void (*each)(void *data, const struct message *message), void *data);

/* Readable (eventfd) when batches were finished, an attempt failed, or the status has a notice.
 * Lent. */
int store_writer_fd(const struct store_writer *writer);
/* One finished batch, given to the caller, or NULL. *ret_error is 0 when it is committed,
 * -ENOBUFS when it was given up for a full queue, else -errno of a batch that can never be: -EEXIST
 * (the run's id is taken), -EUCLEAN (the database is damaged, and so were those that took its
 * place), others for a bug. Trouble that can pass (busy, full disk, I/O error) is retried inside,
 * after 100 ms to 5 s, and never ends here. */
struct batch *store_writer_take(struct store_writer *writer, int *ret_error);

struct store_writer_status {
	size_t queue_length;
	uint64_t committed;
	uint64_t failures; /* failed attempts to commit */
	uint64_t lost; /* batches given up, or that can never be written */
	uint64_t database_bytes; /* with its write-ahead log */
	char error[256]; /* why the newest attempt failed, "" when it did not */
	bool is_tending; /* asked by store_writer_tend, and not done yet */
	char tend_error[256]; /* why the history could not be tended last time, "" when it could */
	uint64_t notices; /* how often the next one was set anew */
	char notice[512]; /* what became of the database: damaged, of before the first release,
			     newer; "" when all is well */
	uint64_t begun_anew; /* how often a new one took the place of one that was in use */
	uint64_t rescues; /* how often its files were removed or replaced, and put back */
	char files_error[512]; /* why they could not be put back, "" when they could */
};
void store_writer_status(struct store_writer *writer, struct store_writer_status *ret);

/* How long runs are kept, and what they are merged into exactly (rollup.h): hours and days of UTC.
 * When the database is larger, the oldest runs go earlier, then hours, never days. 0: no bound. */
struct store_retention {
	uint64_t keep_runs_usec;
	uint64_t keep_hours_usec;
	uint64_t keep_days_usec;
	uint64_t max_bytes;
};
/* Asks the thread to tend the history while no batch waits: to merge what is over at now_usec, and
 * to drop what is too old then or too much. To be called now and then, such as every minute; does
 * nothing when the thread is at it still. */
void store_writer_tend(
	struct store_writer *writer, const struct store_retention *retention, int64_t now_usec);

/* Rows that are found bad on the way are noted there; it shares them. Once, before the first tend.
 */
void store_writer_report(struct store_writer *writer, struct store_bad_rows *bad_rows);

/* Commits what is queued, waiting at most limit_nsec (and 100 ms), stops the thread, closes.
 * Returns the number of runs that could not be written. A thread that sits in the kernel on a
 * dead disk is left behind, with what it uses, for the process's end. Finished batches that were
 * not taken are freed. Accepts NULL. */
size_t store_writer_close(struct store_writer *writer, uint64_t limit_nsec);

/* --- Readers (reader.c, read_*.c, pool.c) ------------------------------- */

struct store_reader; /* one read-only connection, used by one thread at a time */

/* -ENOENT when there is no database yet, -EPROTO when a newer version made it (and there is none of
 * this version beside it, which is then read), or an older one, -EPROTONOSUPPORT when it is of
 * before the first release, -EINVAL when another program did, -EUCLEAN when it is damaged. All that
 * reads may also fail with -EUCLEAN and -EINTR. A row with a value out of range is skipped: one bad
 * row does not hide the others. */
int store_reader_open(const char *path, struct store_reader **ret, struct error *reterr);
/* Likewise, but of an older version too, as long as it is not migrated: only what every version
 * has may be read (first identities, budgets). */
int store_reader_open_older(const char *path, struct store_reader **ret, struct error *reterr);
struct store_reader *store_reader_close(struct store_reader *reader);
void store_reader_interrupt(struct store_reader *reader); /* from any thread */
/* Rows that it skips are noted there. Lent. */
void store_reader_report(struct store_reader *reader, struct store_bad_rows *bad_rows);

struct store_run_filter {
	int64_t id; /* 0: any */
	const char *repository; /* NULL: any */
	const char *probe;
	int64_t from_usec; /* by start, inclusive; 0: any */
	int64_t to_usec; /* exclusive; 0: any */
	size_t limit; /* newest first; 0: 100, or all with is_newest_per_probe */
	bool is_oldest_first; /* not with is_newest_per_probe */
	bool is_newest_per_probe; /* only the newest run of each (repository, probe) */
};

/* Calls each() for every matching run, newest first (or oldest first). The run is lent for the
 * call. A non-zero answer of each() stops and is returned. */
int store_read_runs(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run *run), void *data, struct error *reterr);

/* What the rules kept of an operation of a run (batch_add_sample). */
struct store_judged {
	size_t sample_len; /* 0: it was not judged */
	uint8_t sample[BATCH_SAMPLE_MAX];
	int64_t since_usec; /* samples of its series before that count no more */
};
/* The same with that, oldest first and without a limit, page by page: memory does not grow with
 * the number of runs. Judged is by operation. */
int store_read_judged(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run *run,
		const struct store_judged judged[RUN_OPERATIONS]),
	void *data, struct error *reterr);

/* Every probe that has runs, by the names of repository and probe. */
int store_read_probes(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const char *probe), void *data,
	struct error *reterr);
/* The runs of one probe as points, oldest first: of the filter, repository, probe and times. */
int store_read_points(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run_point *point), void *data, struct error *reterr);

int store_read_alarms(struct store_reader *reader,
	int (*each)(void *data, const struct alarm_state *state), void *data, struct error *reterr);

int store_read_first_identities(struct store_reader *reader,
	int (*each)(void *data, const struct first_identity *first), void *data,
	struct error *reterr);

int store_read_budgets(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const struct saved_budget *budget),
	void *data, struct error *reterr);

/* What batch_add_watched kept last; nothing is added when that is not known. */
int store_read_watched(struct store_reader *reader, struct buf *names, struct error *reterr);

/* Messages not delivered yet, oldest first. */
int store_read_outbox(struct store_reader *reader,
	int (*each)(void *data, const struct message *message), void *data, struct error *reterr);

enum store_incident_state {
	STORE_INCIDENTS_ALL,
	STORE_INCIDENTS_OPEN,
	STORE_INCIDENTS_CLOSED,
};
struct store_incident_filter {
	int64_t id; /* 0: any */
	const char *repository; /* NULL: any */
	enum store_incident_state state;
	/* Those that reach into this stretch of time. */
	int64_t from_usec; /* inclusive; 0: any */
	int64_t to_usec; /* exclusive; 0: any */
	size_t limit; /* 0: 100 */
};
/* Newest first, each with its newest event. */
int store_read_incidents(struct store_reader *reader, const struct store_incident_filter *filter,
	int (*each)(void *data, const struct incident *incident), void *data, struct error *reterr);

/* Others that it shares its storage with and that opened about when it did. What a repository lies
 * on is taken from what its newest runs saw. */
int store_read_group(struct store_reader *reader, const struct incident *incident,
	struct incident_group *ret, struct error *reterr);

/* The first STORE_EVENTS_MAX events of an incident, in order. */
#define STORE_EVENTS_MAX 1000
int store_read_events(struct store_reader *reader, int64_t incident_id,
	int (*each)(void *data, const struct incident_event *event), void *data,
	struct error *reterr);

/* Mutes that end after an instant, by id. */
int store_read_mutes(struct store_reader *reader, int64_t after_usec,
	int (*each)(void *data, const struct mute *mute), void *data, struct error *reterr);

struct store_next_ids {
	int64_t run_id;
	int64_t incident_id;
	int64_t mute_id;
};
int store_read_next_ids(
	struct store_reader *reader, struct store_next_ids *ret, struct error *reterr);

/* Columns of a trend graph: one row a run when they fit, else all of equal spans of time merged
 * (histograms exactly), which lie on multiples of their width. Wide spans are made of hours or days
 * that were merged before (of UTC); so is what is older than the runs kept: then the edges of the
 * window are those of hours or days. Runs that failed are counted and have no numbers unless others
 * of their span do; skipped runs and spans without runs have no row. Where the probe's workload was
 * changed, only that series is read which ran last in the time asked for. */
struct store_series_point {
	int64_t time_usec; /* of the run, or the start of the span */
	uint32_t runs[RUN_STATUSES]; /* how many ended so */
	uint32_t failed_runs; /* neither ok nor skipped */
	bool has_numbers; /* else all below is 0 */
	uint64_t avg_nsec, p50_nsec, p95_nsec, p99_nsec, min_nsec, max_nsec;
	uint64_t throughput_bytes_per_sec;
	double iops;
};

struct store_series_query {
	const char *repository;
	const char *probe;
	enum run_operation operation;
	int64_t from_usec; /* inclusive; 0: any */
	int64_t to_usec; /* exclusive; 0: any */
	size_t max_points; /* 1 to 5000 */
};

/* Gives a malloc'ed array (free() it; NULL when there are no points), oldest first. -ENOENT: no
 * such repository or probe. */
int store_read_series(struct store_reader *reader, const struct store_series_query *query,
	struct store_series_point **ret_points, size_t *ret_count, struct error *reterr);

/* What the rules kept of one series, oldest first: for each operation of each run with a sample
 * since an instant its bytes, and of the newest max_histograms runs the latencies as well (else
 * NULL). All is lent for the call. -ENOENT: there is no such series. */
struct store_sample {
	enum run_operation operation;
	const void *bytes;
	size_t len;
	const struct histogram *latency;
};
struct store_sample_query {
	const char *repository;
	const char *probe;
	const char *key; /* workload_series_key's */
	int64_t from_usec; /* by the run's start, inclusive */
	size_t max_histograms;
};
int store_read_samples(struct store_reader *reader, const struct store_sample_query *query,
	int (*each)(void *data, const struct store_sample *sample), void *data,
	struct error *reterr);

/* Of that series; those that were never kept are all 0. -ENOENT as above. */
int store_read_baselines(struct store_reader *reader, const struct store_sample_query *query,
	struct saved_baseline ret[RUN_OPERATIONS], struct error *reterr);

/* What was measured under the name of a probe, and when: each is a series, since the numbers of
 * different workloads cannot be compared. Oldest first; those without any run left are passed
 * over. */
struct store_measured {
	int64_t series;
	const char *what; /* "block_size=524288 write=100 pattern=…"; lent for the call */
	int64_t first_usec; /* of its runs, or of the hour or day that is left of them */
	int64_t last_usec;
};
int store_read_measured(struct store_reader *reader, const char *repository, const char *probe,
	int (*each)(void *data, const struct store_measured *measured), void *data,
	struct error *reterr);

/* How often which latency was seen: columns are spans of time as those of a series, oldest first
 * and only where there were runs; rows are spans of latency, eight to a power of two (and of 8 ns
 * below 128 ns), from store_heatmap_bound_nsec(row) to that of the next. */
#define STORE_HEATMAP_ROWS_PER_OCTAVE 8
#define STORE_HEATMAP_ROWS 280 /* of all groups of a histogram */
uint64_t store_heatmap_bound_nsec(size_t row);

struct store_heatmap {
	int64_t width_usec;
	size_t first_row; /* the first and how many are in use */
	size_t row_count;
	size_t column_count;
	struct store_heatmap_column {
		int64_t start_usec;
		uint64_t ok_runs;
		uint64_t failed_runs;
		uint64_t counts[STORE_HEATMAP_ROWS];
	} * columns;
};
struct store_heatmap *store_heatmap_free(struct store_heatmap *map);

/* max_points columns at most, 1 to 1000. Errors as store_read_series. */
int store_read_heatmap(struct store_reader *reader, const struct store_series_query *query,
	struct store_heatmap **ret, struct error *reterr);

/* --- By hand, while the daemon runs (backup.c, upkeep.c) ------------------ */

/* Called now and then; bytes of the whole. */
struct store_progress {
	void (*show)(void *data, uint64_t done_bytes, uint64_t total_bytes);
	void *data;
};

/* Copies the history as it is at this moment into a new file TARGET (0600; -EEXIST): one whole
 * database. progress may be NULL, here and below. */
int store_backup(const char *path, const char *target, const struct store_progress *progress,
	struct error *reterr);
/* -EUCLEAN when the file is not sound, after each fault (at most 100) and each row with a value out
 * of range was said in a line. */
int store_check(const char *path, void (*say)(void *data, const char *line), void *data,
	struct error *reterr);
/* Gives free pages back to the file system, in short pieces. */
int store_compact(const char *path, const struct store_progress *progress, uint64_t *ret_freed,
	struct error *reterr);

/* --- Reader threads (pool.c) --------------------------------------------- */

/* Threads with a connection each and a bounded queue of questions. A database that is not there
 * yet, or was replaced by another, is opened with the next question. */
struct store_pool;

/* Rows that are found bad are noted in bad_rows (may be NULL), which it shares. */
int store_pool_open(const char *path, size_t threads, size_t max_queue,
	struct store_bad_rows *bad_rows, struct store_pool **ret, struct error *reterr);
/* Runs question(reader, data) on a reader thread. -EAGAIN when the queue is full; then it is not
 * called. At close, questions not begun are called with reader NULL. */
int store_pool_ask(struct store_pool *pool,
	void (*question)(struct store_reader *reader, void *data), void *data);
/* Interrupts what runs, joins, closes; accepts NULL, returns NULL. When a thread does not end
 * within limit_nsec, because it sits in the kernel on a dead disk, the pool is left behind with it
 * for the process's end. */
struct store_pool *store_pool_close(struct store_pool *pool, uint64_t limit_nsec);

#endif
