/* SPDX-License-Identifier: Apache-2.0 */
/* A history in a directory of its own, for one test; and runs that look like real ones. */
#ifndef REPOPROBE_TESTS_UNIT_STORE_FIXTURE_H
#define REPOPROBE_TESTS_UNIT_STORE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct sqlite3;

#define FIXTURE_START_USEC INT64_C(1790000000123456) /* 2026-09-21T14:13:20.123456Z */

struct fixture {
	char directory[64];
	char path[96];
	struct store_writer *writer; /* NULL until fixture_open */
	struct store_reader *reader; /* NULL until fixture_reader */
	uint64_t seed;
};

int fixture_set_up(void **state); /* for cmocka: *state is a struct fixture */
int fixture_tear_down(void **state);

/* How many files of the directory match a pattern, and the path of one of them. */
size_t fixture_find(const struct fixture *f, const char *pattern, char *ret_path, size_t size);

void fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);
struct store_reader *fixture_reader(struct fixture *f);

/* Submits, waits, frees; answers how the batch ended. */
int fixture_commit(struct fixture *f, struct batch *batch);
void fixture_commit_run(struct fixture *f, struct run *run);

/* Waits until a batch is finished, and takes it. */
struct batch *fixture_take(struct fixture *f, int *ret_error);

/* Another connection, as a person or a backup program would have. */
struct sqlite3 *fixture_connect(const struct fixture *f);
void fixture_sql(const struct fixture *f, const char *text);
int64_t fixture_sql_integer(const struct fixture *f, const char *text);
/* The first column of the first row as text, to be freed. */
char *fixture_sql_text(const struct fixture *f, const char *text);

uint64_t fixture_random(struct fixture *f);

/* A run of active-full, ok, whose writes (ios of them) take about latency_nsec. */
struct run *fixture_run(struct fixture *f, int64_t id, const char *repository, const char *probe);
void fixture_add_latencies(struct fixture *f, struct run *run, enum run_operation operation,
	unsigned ios, uint64_t latency_nsec);

void fixture_assert_equal_runs(const struct run *a, const struct run *b);

struct incident_event fixture_event(int64_t incident, uint32_t sequence);
struct message fixture_message(const struct incident_event *event);

#endif
