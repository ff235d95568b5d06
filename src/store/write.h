/* SPDX-License-Identifier: Apache-2.0 */
/* From the changes of a batch to rows, in one transaction. Private to the store. */
#ifndef REPOPROBE_STORE_WRITE_H
#define REPOPROBE_STORE_WRITE_H

#include "model/batch.h"
#include "store/sql.h"
#include "store/store.h"

enum write_statement {
	WRITE_BEGIN,
	WRITE_COMMIT,
	WRITE_ROLLBACK,
	WRITE_FIND_TARGET,
	WRITE_ADD_TARGET,
	WRITE_FIND_SERIES,
	WRITE_ADD_SERIES,
	WRITE_FIND_WORKLOAD,
	WRITE_ADD_WORKLOAD,
	WRITE_FIND_IDENTITY,
	WRITE_ADD_IDENTITY,
	WRITE_ADD_RUN,
	WRITE_ADD_OPERATION,
	WRITE_ADD_HOUR_DUE,
	WRITE_ADD_DAY_DUE,
	WRITE_SET_DURATION,
	WRITE_SET_BUDGET,
	WRITE_SET_WATCHED,
	WRITE_SET_ALARM,
	WRITE_SET_INCIDENT,
	WRITE_ADD_EVENT,
	WRITE_ADD_MESSAGE,
	WRITE_SET_DELIVERY,
	WRITE_SET_FIRST_IDENTITY,
	WRITE_SET_MUTE,
	WRITE_SET_SAMPLE,
	WRITE_SET_BASELINE,
	WRITE_SET_ACKNOWLEDGEMENT,
};
#define WRITE_STATEMENTS (WRITE_SET_ACKNOWLEDGEMENT + 1)

struct write {
	struct sqlite3 *db;
	struct sql statements[WRITE_STATEMENTS];
};

/* Prepares every statement on a connection, lent until write_done. */
int write_init(struct write *w, struct sqlite3 *db, struct error *reterr);
void write_done(struct write *w); /* also when init failed; db may be NULL then */

/* Commits all changes of `count` batches in a row, or changes nothing. Errors: see sql_errno and
 * sql_is_passing. */
int write_batches(struct write *w, const struct batch *first, size_t count, struct error *reterr);

/* --- Among write*.c ----------------------------------------------------- */

/* A statement made ready. Lent. */
struct sql *write_start(struct write *w, enum write_statement which);

/* The id found by `find`, or else made by `add` (INSERT … RETURNING id); bind fills either. */
struct write_lookup {
	enum write_statement find;
	enum write_statement add;
	void (*bind)(struct sql *s, const void *data);
};
int write_look_up(struct write *w, const struct write_lookup *lookup, const void *data,
	int64_t *ret_id, struct error *reterr);
int write_target(struct write *w, const char *name, int64_t *ret_id, struct error *reterr);
int write_series(struct write *w, int64_t target, const char *probe, const char *key,
	int64_t *ret_id, struct error *reterr);

/* One function a kind of change. */
int write_run(struct write *w, const struct change *change, struct error *reterr);
int write_duration(struct write *w, const struct change *change, struct error *reterr);
int write_first_identity(struct write *w, const struct change *change, struct error *reterr);
int write_budget(struct write *w, const struct change *change, struct error *reterr);
int write_watched(struct write *w, const struct change *change, struct error *reterr);
int write_alarm(struct write *w, const struct change *change, struct error *reterr);
int write_event(struct write *w, const struct change *change, struct error *reterr);
int write_message(struct write *w, const struct change *change, struct error *reterr);
int write_delivery(struct write *w, const struct change *change, struct error *reterr);
int write_sample(struct write *w, const struct change *change, struct error *reterr);
int write_baseline(struct write *w, const struct change *change, struct error *reterr);
int write_acknowledgement(struct write *w, const struct change *change, struct error *reterr);
int write_mute(struct write *w, const struct change *change, struct error *reterr);

#endif
