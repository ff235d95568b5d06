/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a series within a time range: runs, or the hours and days they were merged into,
 * whichever suit the width of the graph, each once, in order. Coarser rows replace finer ones that
 * were dropped; finer rows replace coarser ones that are not merged yet. Private to the store. */
#ifndef REPOPROBE_STORE_WINDOW_H
#define REPOPROBE_STORE_WINDOW_H

#include "store/reader.h"

/* Hours and days beyond this have no id. */
#define WINDOW_TIME_MAX_USEC ((ROLLUP_TIME_MASK - 1) * ROLLUP_HOUR_USEC)

struct window {
	int64_t series;
	enum run_operation operation;
	int64_t from_usec;
	int64_t to_usec;
	bool is_empty;
	/* Rows that fall into one span are to be merged; spans lie on multiples of their width. 0:
	 * each row stands for itself. */
	int64_t width_usec;
	enum window_tier {
		WINDOW_RUNS,
		WINDOW_HOURS,
		WINDOW_DAYS,
	} tier; /* the finest tier that is read when all are stored */
};

struct window_query {
	const char *repository;
	const char *probe;
	enum run_operation operation;
	int64_t from_usec; /* inclusive; 0: any */
	int64_t to_usec; /* exclusive; 0: any */
	size_t max_spans; /* at least 1 */
	bool is_always_spans; /* even when there are fewer rows than spans */
};

/* Finds the series (of several with different workloads the one that ran last in that time) and
 * computes the window. -ENOENT: no such repository or probe. */
int window_find(struct store_reader *reader, const struct window_query *query, struct window *ret,
	struct error *reterr);

/* Lent until the next row. Numbers are 0 when there are none. */
struct window_row {
	enum window_tier tier; /* a run, or an hour or day of them */
	int64_t id;
	int64_t start_usec; /* of the run; of the hour or day, which may be before the window */
	uint32_t runs[RUN_STATUSES];
	uint32_t failed_runs; /* neither ok nor skipped */
	bool has_numbers;
	uint64_t measured_nsec;
	uint64_t ios;
	uint64_t bytes;
	uint64_t latencies;
	uint64_t sum_nsec;
	uint64_t min_nsec;
	uint64_t max_nsec;
	uint64_t p50_nsec;
	uint64_t p95_nsec;
	uint64_t p99_nsec;
	const void *histogram; /* for code_read_histogram */
	size_t histogram_len;
};

/* Calls each() for every row, by start. A negative answer stops and is returned, but for -EUCLEAN:
 * the histogram could not be decoded, and the row's numbers are noted as bad. */
int window_read(struct store_reader *reader, const struct window *window,
	int (*each)(void *data, const struct window_row *row), void *data, struct error *reterr);

/* Notes the numbers of a row as bad. */
void window_note_bad(
	struct store_reader *reader, const struct window *window, const struct window_row *row);

/* The start of the span that contains a time. */
int64_t window_span(const struct window *window, int64_t time_usec);

#endif
