/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of /api/v1. All but the overview ask a reader thread, which also builds and compresses
 * the body; the server's threads only send it. */
#ifndef REPOPROBE_HTTP_API_H
#define REPOPROBE_HTTP_API_H

#include <microhttpd.h>

struct buf;
struct refusal;
struct request;
struct store_reader;

enum MHD_Result api_overview(struct request *q);
enum MHD_Result api_runs(struct request *q);
enum MHD_Result api_run(struct request *q);
enum MHD_Result api_series(struct request *q);
/* api_incidents.c */
enum MHD_Result api_incidents(struct request *q);
enum MHD_Result api_incident(struct request *q);
enum MHD_Result api_heatmap(struct request *q);

/* Runs make() on a reader thread. It appends the body to b, or returns -errno with the refusal
 * filled in, or unchanged for "the history cannot be read". */
enum MHD_Result api_ask(struct request *q,
	int (*make)(struct store_reader *reader, struct request *q, struct buf *b,
		struct refusal *ret_refusal));
/* The next call for the connection: sends the answer. */
enum MHD_Result api_answer(struct request *q);

/* api_series.c: the body of a series, on a reader thread. */
int api_make_series(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal);

/* api_heatmap.c */
int api_make_heatmap(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal);

/* For a requested series without runs: 0 when its probe is configured, else -ENOENT with the
 * refusal filled in. */
int api_excuse_absence(struct request *q, struct refusal *ret_refusal);

#endif
