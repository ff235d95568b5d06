/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules kept of runs and series. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/code.h"
#include "store/reader.h"

static int find_series(struct store_reader *reader, const struct store_sample_query *query,
	int64_t *ret_id, struct error *reterr)
{
	static const char text[] =
		"SELECT series.id FROM series JOIN target ON target.id = series.target"
		" WHERE target.name = ? AND series.probe = ? AND series.key = ?";
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_text(&s, query->repository);
	sql_bind_text(&s, query->probe);
	sql_bind_text(&s, query->key);
	r = sql_step(&s, reterr);
	if (r > 0)
		*ret_id = sql_integer(&s, INT64_MIN, INT64_MAX);
	if (r >= 0)
		r = r == 0 ? error_set(reterr, -ENOENT, "history: there is no such series")
			   : s.error;
	sql_done(&s);
	return r;
}

/* The start of the oldest of the newest runs; those before it come without their latencies. */
static int find_newest(struct store_reader *reader, int64_t series, size_t runs, int64_t *ret_usec,
	struct error *reterr)
{
	static const char text[] = "SELECT coalesce(min(started_usec), 0) FROM (SELECT started_usec"
				   " FROM run WHERE series = ? ORDER BY started_usec DESC LIMIT ?)";
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, series);
	sql_bind_integer(&s, runs < INT64_MAX ? (int64_t)runs : INT64_MAX);
	r = sql_step(&s, reterr);
	if (r > 0) {
		*ret_usec = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = s.error;
	}
	sql_done(&s);
	return r;
}

static void read_sample(struct sql *s, struct histogram *latency, struct store_sample *ret)
{
	size_t histogram_len;
	const void *histogram;

	*ret = (struct store_sample){ 0 };
	ret->operation = (enum run_operation)sql_unsigned(s, RUN_OPERATIONS - 1);
	ret->bytes = sql_bytes(s, &ret->len);
	histogram = sql_bytes(s, &histogram_len);
	if (s->error < 0 || !histogram)
		return;
	ret->latency = latency;
	int r = code_read_histogram(histogram, histogram_len, latency, NULL);
	s->error = r == -EUCLEAN ? -EBADMSG : r;
}

int store_read_samples(struct store_reader *reader, const struct store_sample_query *query,
	int (*each)(void *data, const struct store_sample *sample), void *data,
	struct error *reterr)
{
	static const char text[] =
		"SELECT run.id, o.operation, o.sample,"
		" iif(run.started_usec >= ?1, o.histogram, NULL)"
		" FROM run JOIN run_operation AS o ON o.run = run.id"
		" WHERE run.series = ?2 AND run.started_usec >= ?3 AND o.sample IS NOT NULL"
		" ORDER BY run.started_usec, run.id, o.operation";
	struct histogram *latency = malloc(sizeof(*latency)); /* too big for the stack */
	struct store_sample sample;
	struct sql s = { 0 };
	int64_t newest_usec = 0;
	int64_t series = 0;

	int r = latency ? find_series(reader, query, &series, reterr) : -ENOMEM;
	if (r >= 0)
		r = find_newest(reader, series, query->max_histograms, &newest_usec, reterr);
	if (r >= 0)
		r = reader_prepare(reader, text, &s, reterr);
	if (r >= 0) {
		sql_bind_integer(&s, newest_usec);
		sql_bind_integer(&s, series);
		sql_bind_integer(&s, query->from_usec);
	}
	while (r >= 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		read_sample(&s, latency, &sample);
		r = reader_take_row(reader, &s, "run_operation", id, reterr);
		if (r > 0)
			r = each(data, &sample);
		if (r != 0)
			break;
	}
	sql_done(&s);
	free(latency);
	return r;
}

static void read_baseline(struct sql *s, struct saved_baseline *ret)
{
	*ret = (struct saved_baseline){ .operation = RUN_READ };
	ret->operation = (enum run_operation)sql_unsigned(s, RUN_OPERATIONS - 1);
	ret->built_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->anchor = (int32_t)sql_integer(s, INT32_MIN, INT32_MAX);
	ret->anchor_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->valley_nsec = sql_unsigned(s, INT64_MAX);
	ret->since_usec = sql_integer(s, INT64_MIN, INT64_MAX);
}

int reader_read_baselines(struct store_reader *reader, int64_t series,
	struct saved_baseline ret[RUN_OPERATIONS], struct error *reterr)
{
	static const char text[] = "SELECT operation, built_usec, anchor, anchor_usec, valley_nsec,"
				   " since_usec FROM baseline WHERE series = ?";
	struct saved_baseline baseline;
	struct sql s = { 0 };

	memset(ret, 0, sizeof(*ret) * RUN_OPERATIONS);
	int r = reader_prepare(reader, text, &s, reterr);
	if (r >= 0)
		sql_bind_integer(&s, series);
	while (r >= 0 && (r = sql_step(&s, reterr)) > 0) {
		read_baseline(&s, &baseline);
		r = reader_take_row(reader, &s, "baseline", series, reterr);
		if (r > 0)
			ret[baseline.operation] = baseline;
	}
	sql_done(&s);
	return r;
}

int store_read_baselines(struct store_reader *reader, const struct store_sample_query *query,
	struct saved_baseline ret[RUN_OPERATIONS], struct error *reterr)
{
	int64_t series = 0;
	int r = find_series(reader, query, &series, reterr);

	return r < 0 ? r : reader_read_baselines(reader, series, ret, reterr);
}
