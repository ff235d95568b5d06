/* SPDX-License-Identifier: Apache-2.0 */
/* The readers themselves, asked for everything; what they give is not looked at. */
#include "store/check_rows.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "store/code.h"
#include "store/reader.h"
#include "store/rollup.h"
#include "store/window.h"

#define WATCHED_MAX (1 << 20)

/* --- What is read is good ------------------------------------------------- */

static int pass_judged(
	void *data, const struct run *run, const struct store_judged judged[RUN_OPERATIONS])
{
	(void)data;
	(void)run;
	(void)judged;
	return 0;
}

static int pass_point(void *data, const struct run_point *point)
{
	(void)data;
	(void)point;
	return 0;
}

static int pass_alarm(void *data, const struct alarm_state *state)
{
	(void)data;
	(void)state;
	return 0;
}

static int pass_first_identity(void *data, const struct first_identity *first)
{
	(void)data;
	(void)first;
	return 0;
}

static int pass_budget(void *data, const char *repository, const struct saved_budget *budget)
{
	(void)data;
	(void)repository;
	(void)budget;
	return 0;
}

static int pass_message(void *data, const struct message *message)
{
	(void)data;
	(void)message;
	return 0;
}

static int pass_event(void *data, const struct incident_event *event)
{
	(void)data;
	(void)event;
	return 0;
}

static int pass_mute(void *data, const struct mute *mute)
{
	(void)data;
	(void)mute;
	return 0;
}

static int decode_row(void *data, const struct window_row *row)
{
	return row->has_numbers
		? code_read_histogram(row->histogram, row->histogram_len, data, NULL)
		: 0;
}

/* --- All of a kind -------------------------------------------------------- */

struct asking {
	struct store_reader *reader;
	struct error *reterr;
};

static int check_points(void *data, const char *repository, const char *probe)
{
	const struct asking *asking = data;
	const struct store_run_filter all = { .repository = repository, .probe = probe };

	return store_read_points(asking->reader, &all, pass_point, NULL, asking->reterr);
}

static int check_incident(void *data, const struct incident *incident)
{
	const struct asking *asking = data;

	return store_read_events(asking->reader, incident->id, pass_event, NULL, asking->reterr);
}

static int check_present(struct store_reader *reader, struct error *reterr)
{
	const struct store_incident_filter incidents = { .limit = SIZE_MAX };
	struct asking asking = { reader, reterr };
	struct buf watched = BUF_INIT(WATCHED_MAX);
	int r = store_read_watched(reader, &watched, reterr);

	buf_done(&watched);
	if (r == 0)
		r = store_read_alarms(reader, pass_alarm, NULL, reterr);
	if (r == 0)
		r = store_read_first_identities(reader, pass_first_identity, NULL, reterr);
	if (r == 0)
		r = store_read_budgets(reader, pass_budget, NULL, reterr);
	if (r == 0)
		r = store_read_mutes(reader, INT64_MIN, pass_mute, NULL, reterr);
	if (r == 0)
		r = store_read_incidents(reader, &incidents, check_incident, &asking, reterr);
	if (r == 0)
		r = store_read_outbox(reader, pass_message, NULL, reterr);
	return r;
}

static int check_runs(struct store_reader *reader, struct error *reterr)
{
	const struct store_run_filter all = { 0 };
	struct asking asking = { reader, reterr };

	int r = store_read_judged(reader, &all, pass_judged, NULL, reterr);
	return r < 0 ? r : store_read_probes(reader, check_points, &asking, reterr);
}

/* --- By series ------------------------------------------------------------ */

static int check_tiers(struct store_reader *reader, int64_t series, struct histogram *scratch,
	struct error *reterr)
{
	int r = 0;

	for (int i = 0; r == 0 && i < RUN_OPERATIONS * 2; i++) {
		const struct window window = {
			.series = series,
			.operation = (enum run_operation)(i / 2),
			.to_usec = WINDOW_TIME_MAX_USEC,
			.tier = i % 2 == 0 ? WINDOW_HOURS : WINDOW_DAYS,
		};
		r = window_read(reader, &window, decode_row, scratch, reterr);
	}
	return r;
}

static int check_series(struct store_reader *reader, struct error *reterr)
{
	static const char text[] = "SELECT id FROM series WHERE id BETWEEN 1 AND ? ORDER BY id";
	struct histogram *scratch = malloc(sizeof(*scratch)); /* too big for the stack */
	struct saved_baseline *baselines = calloc(RUN_OPERATIONS, sizeof(*baselines));
	struct sql s = { 0 };
	int r = scratch && baselines
		? reader_prepare(reader, text, &s, reterr)
		: error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));

	if (r == 0)
		sql_bind_integer(&s, ROLLUP_SERIES_MAX);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t series = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = check_tiers(reader, series, scratch, reterr);
		if (r == 0)
			r = reader_read_baselines(reader, series, baselines, reterr);
	}
	sql_done(&s);
	free(scratch);
	free(baselines);
	return r;
}

int check_rows(struct store_reader *reader, struct error *reterr)
{
	int r = check_present(reader, reterr);

	if (r == 0)
		r = check_runs(reader, reterr);
	return r < 0 ? r : check_series(reader, reterr);
}
