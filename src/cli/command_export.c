/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe export`: writes the history for other programs, as it is read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "report/openmetrics.h"
#include "report/report.h"
#include "store/store.h"

#define FLUSH_BYTES (1 << 20)
#define RUNS_AT_A_TIME 1000 /* with histograms: some megabytes */
#define POINTS_MAX ((size_t)16 << 20)

struct export_request;

struct export_format {
	const char *name;
	int (*begin)(struct export_request *e);
	/* Adds one probe's runs. Returns CLI_GO_ON or an exit code. */
	int (*add)(struct export_request *e, const char *repository, const char *probe);
	int (*end)(struct export_request *e);
};

struct export_probe {
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
};

struct export_request {
	const struct export_format *format;
	struct clock *clock;
	int64_t from_usec;
	int64_t to_usec;
	struct store_reader *reader;
	struct export_probe *probes;
	size_t probe_count;
	struct buf text;
	bool has_run; /* at least one was written */
	size_t found; /* in this batch */
	int64_t last_usec; /* start and id of this probe's newest run written so far */
	int64_t last_id;
	struct run_point *points;
	size_t point_count;
	size_t point_capacity;
};

/* --- Output ------------------------------------------------------------- */

static int flush(struct export_request *e)
{
	int r = cli_print(&e->text);

	e->text = (struct buf)BUF_INIT(CLI_OUTPUT_MAX);
	return r == CLI_OK ? CLI_GO_ON : r;
}

static int flush_if_long(struct export_request *e)
{
	return e->text.len >= FLUSH_BYTES || e->text.error < 0 ? flush(e) : CLI_GO_ON;
}

static int complain(int r, const struct error *error)
{
	return cli_complain(
		CLI_FAILED, "export: %s", error->text[0] ? error->text : errno_text(-r));
}

/* --- csv and json: run by run ------------------------------------------- */

static int add_run(void *data, const struct run *run)
{
	struct export_request *e = data;

	e->found++;
	if (run->started_usec == e->last_usec && run->id <= e->last_id)
		return 0; /* the last run of the previous batch */
	e->last_usec = run->started_usec;
	e->last_id = run->id;
	if (strcmp(e->format->name, "csv") == 0) {
		report_run_csv_line(run, &e->text);
	} else {
		buf_add_text(&e->text, e->has_run ? ",\n" : "\n");
		int r = json_dump(report_run_json(run), false, &e->text);
		if (r < 0)
			return r;
	}
	e->has_run = true;
	return e->text.error;
}

/* Reads in batches, so that memory and the time of a read lock do not grow with the history. */
static int add_runs(struct export_request *e, const char *repository, const char *probe)
{
	struct store_run_filter filter = { .repository = repository,
		.probe = probe,
		.from_usec = e->from_usec,
		.to_usec = e->to_usec,
		.limit = RUNS_AT_A_TIME,
		.is_oldest_first = true };

	e->last_usec = -1;
	e->last_id = 0;
	for (;;) {
		struct error error = { "" };
		int64_t last_id = e->last_id;
		e->found = 0;
		int r = store_read_runs(e->reader, &filter, add_run, e, &error);
		if (r < 0)
			return complain(r, &error);
		int exit_code = flush_if_long(e);
		if (exit_code != CLI_GO_ON)
			return exit_code;
		if (e->found < RUNS_AT_A_TIME || e->last_id == last_id)
			return CLI_GO_ON;
		filter.from_usec = e->last_usec;
	}
}

static int begin_csv(struct export_request *e)
{
	report_run_csv_header(&e->text);
	return CLI_GO_ON;
}

static int begin_json(struct export_request *e)
{
	buf_add_text(&e->text, "{\"runs\": [");
	return CLI_GO_ON;
}

static int end_json(struct export_request *e)
{
	buf_add_text(&e->text, "\n]}\n");
	return CLI_GO_ON;
}

/* --- openmetrics: family by family --------------------------------------- */

static int add_point(void *data, const struct run_point *point)
{
	struct export_request *e = data;

	if (e->point_count == e->point_capacity) {
		size_t capacity = e->point_capacity > 0 ? 2 * e->point_capacity : RUNS_AT_A_TIME;
		struct run_point *points = capacity <= POINTS_MAX
			? reallocarray(e->points, capacity, sizeof(*points))
			: NULL;
		if (!points)
			return -ENOMEM;
		e->points = points;
		e->point_capacity = capacity;
	}
	e->points[e->point_count++] = *point;
	return 0;
}

static int add_family(struct export_request *e, size_t family, const struct export_probe *p)
{
	const struct store_run_filter filter = {
		.repository = p->repository,
		.probe = p->probe,
		.from_usec = e->from_usec,
		.to_usec = e->to_usec,
	};
	struct error error = { "" };

	e->point_count = 0;
	int r = store_read_points(e->reader, &filter, add_point, e, &error);
	if (r < 0)
		return complain(r, &error);
	const struct openmetrics_probe probe = {
		.repository = p->repository,
		.probe = p->probe,
		.points = e->points,
		.count = e->point_count,
	};
	openmetrics_add(family, &probe, &e->text);
	return flush_if_long(e);
}

static int write_families(struct export_request *e)
{
	for (size_t i = 0; i < openmetrics_families(); i++) {
		openmetrics_begin(i, &e->text);
		for (size_t k = 0; k < e->probe_count; k++) {
			int r = add_family(e, i, &e->probes[k]);
			if (r != CLI_GO_ON)
				return r;
		}
	}
	openmetrics_end(&e->text);
	return CLI_GO_ON;
}

static const struct export_format formats[] = {
	{ "csv", begin_csv, add_runs, NULL },
	{ "json", begin_json, add_runs, end_json },
	{ "openmetrics", write_families, NULL, NULL },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* --- The command -------------------------------------------------------- */

static int set_format(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct export_request *e = target;
	const char *names[FORMATS];

	(void)option;
	for (size_t i = 0; i < FORMATS; i++) {
		names[i] = formats[i].name;
		if (strcmp(formats[i].name, value) == 0) {
			e->format = &formats[i];
			return 0;
		}
	}
	const char *meant = parse_suggest(value, names, FORMATS);
	return error_set(reterr, -EINVAL, "%.60s: not a format (csv, json, openmetrics)%s%s%s",
		value, meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static int set_instant(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct export_request *e = target;
	int64_t *usec = (int64_t *)(void *)((char *)target + option->offset);

	return parse_instant(value, clock_realtime_usec(e->clock), usec, reterr);
}

static const struct cli_option options[] = {
	{ .name = "format",
		.value_name = "FORMAT",
		.help = "csv (the default), json or openmetrics",
		.set = set_format },
	{ .name = "from",
		.value_name = "TIME",
		.help = "only runs that began then or later: 2026-11-30T18:00:00Z, Unix seconds, "
			"now-7d",
		.set = set_instant,
		.offset = offsetof(struct export_request, from_usec) },
	{ .name = "to",
		.value_name = "TIME",
		.help = "only runs that began before",
		.set = set_instant,
		.offset = offsetof(struct export_request, to_usec) },
};

static int add_probe(void *data, const char *repository, const char *probe)
{
	struct export_request *e = data;
	struct export_probe *probes =
		reallocarray(e->probes, e->probe_count + 1, sizeof(*e->probes));

	if (!probes)
		return -ENOMEM;
	e->probes = probes;
	struct export_probe *p = &probes[e->probe_count++];
	memcpy(p->repository, repository, strlen(repository) + 1);
	memcpy(p->probe, probe, strlen(probe) + 1);
	return 0;
}

static int write_all(struct export_request *e)
{
	struct error error = { "" };
	int r = store_read_probes(e->reader, add_probe, e, &error);

	if (r < 0)
		return complain(r, &error);
	r = e->format->begin(e);
	for (size_t i = 0; e->format->add && r == CLI_GO_ON && i < e->probe_count; i++)
		r = e->format->add(e, e->probes[i].repository, e->probes[i].probe);
	if (e->format->end && r == CLI_GO_ON)
		r = e->format->end(e);
	if (r == CLI_GO_ON)
		r = flush(e);
	return r == CLI_GO_ON ? CLI_OK : r;
}

static int export_handler(struct cli *cli, const struct command *command)
{
	struct export_request e = {
		.format = &formats[0],
		.clock = &cli->clock,
		.text = BUF_INIT(CLI_OUTPUT_MAX),
	};
	const struct option_group groups[] = {
		{ "What, and how", options, sizeof(options) / sizeof(options[0]), &e },
	};
	int r = cli_parse(cli, command, groups, 1);

	if (r == CLI_GO_ON)
		r = history_open(cli, &e.reader);
	if (r == CLI_GO_ON) {
		r = write_all(&e);
		store_reader_close(e.reader);
	}
	free(e.probes);
	free(e.points);
	buf_done(&e.text);
	return r;
}

const struct command command_export = {
	.name = "export",
	.section = "History, also while the daemon is down",
	.operands = "",
	.summary = "the history for other programs: csv, json, openmetrics",
	.help = "Writes runs to standard output, probe by probe, the oldest first. csv is a line\n"
		"a run, json what the other commands and the API answer, openmetrics samples with\n"
		"the time at which each run began, for Prometheus and compatible programs.\n"
		"\n"
		"Examples:\n"
		"  repoprobe export --from=now-30d > runs.csv\n"
		"  repoprobe export --format=json | jq '.runs[].status' | sort | uniq -c\n"
		"  repoprobe export --format=openmetrics > history.om\n"
		"  promtool tsdb create-blocks-from openmetrics history.om /var/lib/prometheus\n",
	.reads_configuration = true,
	.handler = export_handler,
};
