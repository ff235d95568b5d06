/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe rule replay`: when a rule would have fired, before anybody has to live with it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alarm/alarm.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/table.h"
#include "report/text.h"
#include "store/store.h"

#define DAYS_DEFAULT 28
#define DAYS_MAX 3650
#define DAY_USEC (UINT64_C(86400) * USEC_PER_SEC)
#define COLUMNS 9
#define WORDS_MAX 8
#define TEXT_MAX 1024

struct replay_request {
	bool is_json;
	const char *repository; /* NULL: all */
	const char *probe;
	const char *clear; /* NULL: what does not meet the rule clears it */
	uint64_t days;
	struct custom_rule rule;
};

static int set_days(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct replay_request *request = target;
	(void)option;

	return parse_uint(value, 1, DAYS_MAX, &request->days, reterr);
}

static int set_hold(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct replay_request *request = target;
	(void)option;

	return custom_parse_hold(value, &request->rule.hold, reterr);
}

static int set_load(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct replay_request *request = target;
	size_t count = 0;
	(void)option;

	for (; custom_load_words[count]; count++) {
		if (strcmp(custom_load_words[count], value) != 0)
			continue;
		request->rule.load = (enum custom_load)count;
		return 0;
	}
	const char *meant = parse_suggest(value, custom_load_words, count);
	return error_set(reterr, -EINVAL, "%s: expected any, idle or busy%s%s%s", value,
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static const struct cli_option options[] = {
	{ .name = "days",
		.value_name = "N",
		.help = "on the runs of the last N days (default 28)",
		.set = set_days },
	{ .name = "repository",
		.value_name = "REPO",
		.help = "only runs of this repository",
		.set = option_set_text,
		.offset = offsetof(struct replay_request, repository) },
	{ .name = "probe",
		.value_name = "PROBE",
		.help = "only runs of this probe",
		.set = option_set_text,
		.offset = offsetof(struct replay_request, probe) },
	{ .name = "hold",
		.value_name = "N of M",
		.help = "fires when so many of the last so many runs meet it (default 2 of 3)",
		.set = set_hold },
	{ .name = "clear",
		.value_name = "COND",
		.help = "what a good run is, and after how many: \"avg < 10ms for 6\" (default: "
			"6 runs that do not meet the rule)",
		.set = option_set_text,
		.offset = offsetof(struct replay_request, clear) },
	{ .name = "load",
		.value_name = "LOAD",
		.help = "only runs while others do: any (default), idle (or not known), busy",
		.set = set_load },
	{ .name = "json",
		.help = "one JSON document, {\"firings\": [...], ...}, instead of a table",
		.set = option_set_flag,
		.offset = offsetof(struct replay_request, is_json) },
};

/* --- The rule ------------------------------------------------------------- */

/* The sentence, the rule, and a mark below the place in it. */
static int point_at(const char *option, const char *rule, const struct error *error)
{
	size_t column = error_column(error->text);
	struct buf shown = BUF_INIT(TEXT_MAX);

	(void)cli_complain(CLI_USAGE, "rule replay: %s%s", option, error->text);
	text_add_clean(&shown, rule);
	if (column > 0 && shown.error == 0 && column <= shown.len + 1)
		(void)fprintf(stderr, "  %s\n  %*s\n", buf_text(&shown), (int)column, "^");
	buf_done(&shown);
	return CLI_USAGE;
}

static int read_rule(struct replay_request *request, const char *text)
{
	struct custom_rule *rule = &request->rule;
	struct error error = { "" };

	if (condition_parse_relative(text, &rule->when, &error) < 0)
		return point_at("", text, &error);
	rule->has_clear = request->clear != NULL;
	if (request->clear &&
		custom_parse_clear(request->clear, &rule->clear, &rule->clear_runs, &error) < 0)
		return point_at("--clear: ", request->clear, &error);
	return CLI_GO_ON;
}

/* --- What comes of it ----------------------------------------------------- */

struct outcome {
	const struct replay_request *request;
	int64_t from_usec;
	int64_t now_usec;
	size_t runs; /* since from_usec */
	struct replay *replay;
	const struct clock *clock;
	struct progress_line progress;
};

/* Of the time there is, as runs come in its order; those before from_usec are read too. */
static unsigned percent_done(const struct outcome *outcome, int64_t at_usec)
{
	int64_t begin_usec = outcome->from_usec - replay_before_usec(&outcome->request->rule);
	int64_t whole_usec = outcome->now_usec - begin_usec;

	if (at_usec <= begin_usec || whole_usec <= 0)
		return 0;
	return at_usec >= outcome->now_usec ? 100
					    : (unsigned)((at_usec - begin_usec) * 100 / whole_usec);
}

static int take(void *data, const struct run *run)
{
	struct outcome *outcome = data;

	if (run->started_usec >= outcome->from_usec)
		outcome->runs++;
	progress_show_percent(&outcome->progress, "replaying",
		percent_done(outcome, run->started_usec), clock_monotonic_nsec(outcome->clock));
	return replay_take(outcome->replay, run);
}

static uint64_t lasted_usec(const struct outcome *outcome, const struct replay_firing *firing)
{
	int64_t end = firing->cleared_usec != 0 ? firing->cleared_usec : outcome->now_usec;

	return end > firing->fired_usec ? (uint64_t)(end - firing->fired_usec) : 0;
}

static void add_value(const struct replay_request *request, uint64_t value, struct buf *b)
{
	switch (condition_measure_unit(request->rule.when.measure)) {
	case CONDITION_NSEC:
		format_latency(b, value);
		return;
	case CONDITION_BYTES_PER_SEC:
		format_size_rounded(b, value);
		buf_add_text(b, "/s");
		return;
	case CONDITION_NUMBER:
		buf_printf(b, "%" PRIu64, value);
		return;
	}
}

static void add_row(struct table *t, const struct outcome *outcome, const struct replay_firing *f)
{
	struct buf cell = BUF_INIT(TEXT_MAX);

	text_add_time(&cell, f->fired_usec);
	table_add_buf(t, &cell);
	if (f->cleared_usec != 0)
		text_add_time(&cell, f->cleared_usec);
	else
		buf_add_text(&cell, "fires still");
	table_add_buf(t, &cell);
	text_add_duration(&cell, lasted_usec(outcome, f));
	table_add_buf(t, &cell);
	table_add(t, f->repository);
	table_add(t, f->probe);
	table_add(t, run_operation_name(f->operation));
	add_value(outcome->request, f->value, &cell);
	table_add_buf(t, &cell);
	if (f->normal > 0)
		add_value(outcome->request, f->normal, &cell);
	else
		buf_add_text(&cell, "-");
	table_add_buf(t, &cell);
	table_add(t, load_class_name(f->load));
	buf_done(&cell);
}

static size_t add_table(const struct outcome *outcome, struct buf *b)
{
	static const char *const titles[COLUMNS] = { "FIRED (UTC)", "CLEARED (UTC)", "LASTED",
		"REPOSITORY", "PROBE", "OPERATION", "MEASURED", "NORMAL", "LOAD" };
	struct table t = TABLE_INIT(COLUMNS, 1 << 6);
	struct replay_firing firing;
	size_t count = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		table_add(&t, titles[i]);
	for (; replay_firing(outcome->replay, count, &firing); count++)
		add_row(&t, outcome, &firing);
	if (count > 0)
		table_print(&t, b);
	buf_done(&t.cells);
	return count;
}

static void describe_rule(const struct custom_rule *rule, struct buf *b)
{
	condition_format(&rule->when, b);
	buf_printf(b, ", %u of %u", rule->hold.hits, rule->hold.window);
	if (rule->load != CUSTOM_LOAD_ANY)
		buf_printf(b, ", while %s", custom_load_words[rule->load]);
}

static uint64_t lasted_in_all_usec(const struct outcome *outcome)
{
	struct replay_firing firing;
	uint64_t usec = 0;

	for (size_t i = 0; replay_firing(outcome->replay, i, &firing); i++)
		usec += lasted_usec(outcome, &firing);
	return usec;
}

static int print_text(const struct outcome *outcome)
{
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);
	size_t count = add_table(outcome, &b);

	describe_rule(&outcome->request->rule, &b);
	if (count == 0)
		buf_add_text(&b, ": would not have fired");
	else
		buf_printf(&b, ": would have fired %zu time%s", count, count == 1 ? "" : "s");
	buf_printf(&b, " in %" PRIu64 " day%s (%zu run%s)\n", outcome->request->days,
		outcome->request->days == 1 ? "" : "s", outcome->runs,
		outcome->runs == 1 ? "" : "s");
	if (count > 1) {
		b.len--; /* the line goes on */
		buf_add_text(&b, ", ");
		text_add_duration(&b, lasted_in_all_usec(outcome));
		buf_add_text(&b, " in all\n");
	}
	return cli_print(&b);
}

static void add_figure(struct json_t *object, const struct replay_request *request,
	const char *name, uint64_t value)
{
	static const char *const units[] = {
		[CONDITION_NSEC] = "_seconds",
		[CONDITION_BYTES_PER_SEC] = "_bytes_per_second",
		[CONDITION_NUMBER] = "",
	};
	enum condition_unit unit = condition_measure_unit(request->rule.when.measure);
	struct buf key = BUF_INIT(TEXT_MAX);

	buf_printf(&key, "%s%s", name, units[unit]);
	if (unit == CONDITION_NSEC)
		json_add_seconds(object, buf_text(&key), value);
	else
		json_add_integer(object, buf_text(&key), (int64_t)value);
	buf_done(&key);
}

static struct json_t *new_firing(const struct outcome *outcome, const struct replay_firing *f)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "repository", f->repository);
	json_add_text(object, "probe", f->probe);
	json_add_text(object, "operation", run_operation_name(f->operation));
	json_add_instant(object, "fired", f->fired_usec);
	if (f->cleared_usec != 0)
		json_add_instant(object, "cleared", f->cleared_usec);
	else
		json_add_null(object, "cleared");
	json_add_seconds(object, "duration_seconds", lasted_usec(outcome, f) * NSEC_PER_USEC);
	add_figure(object, outcome->request, "value", f->value);
	if (f->normal > 0)
		add_figure(object, outcome->request, "normal", f->normal);
	json_add_text(object, "load", load_class_name(f->load));
	return object;
}

static int print_json(const struct outcome *outcome)
{
	struct json_t *document = json_new_object();
	struct json_t *firings = json_new_array();
	struct buf rule = BUF_INIT(TEXT_MAX);
	struct replay_firing firing;

	describe_rule(&outcome->request->rule, &rule);
	for (size_t i = 0; replay_firing(outcome->replay, i, &firing); i++)
		json_append(firings, new_firing(outcome, &firing));
	json_add_text(document, "rule", buf_text(&rule));
	json_add_instant(document, "from", outcome->from_usec);
	json_add_instant(document, "to", outcome->now_usec);
	json_add_integer(document, "runs", (int64_t)outcome->runs);
	json_add_integer(document, "judged", (int64_t)replay_judged(outcome->replay));
	json_add(document, "firings", firings);
	buf_done(&rule);
	return cli_print_json(document);
}

static int refuse_unknown(struct store_reader *reader, const char *repository)
{
	struct history_names names;
	bool is_known = false;
	int exit_code = history_read_names(reader, &names);

	if (exit_code != CLI_GO_ON)
		return exit_code;
	for (size_t i = 0; i < names.count; i++)
		is_known |= strcmp(names.names[i], repository) == 0;
	if (!is_known)
		exit_code = history_refuse_repository("rule replay", repository, &names);
	history_names_done(&names);
	return exit_code;
}

static int replay(struct store_reader *reader, struct outcome *outcome)
{
	const struct replay_request *request = outcome->request;
	const struct store_run_filter filter = {
		.repository = request->repository,
		.probe = request->probe,
		.from_usec = outcome->from_usec - replay_before_usec(&request->rule),
		.limit = SIZE_MAX,
		.is_oldest_first = true,
	};
	struct error error = { "" };

	if (!outcome->replay)
		return cli_complain(CLI_FAILED, "rule replay: no memory");
	progress_init(&outcome->progress, STDERR_FILENO, clock_monotonic_nsec(outcome->clock));
	int r = store_read_runs(reader, &filter, take, outcome, &error);
	progress_erase(&outcome->progress);
	if (r < 0)
		return cli_complain(
			CLI_FAILED, "rule replay: %s", error.text[0] ? error.text : errno_text(-r));
	if (outcome->runs == 0 && request->repository) {
		int exit_code = refuse_unknown(reader, request->repository);
		if (exit_code != CLI_GO_ON)
			return exit_code;
	}
	return request->is_json ? print_json(outcome) : print_text(outcome);
}

static int rule_handler(struct cli *cli, const struct command *command)
{
	struct replay_request request = {
		.days = DAYS_DEFAULT,
		.rule = { .hold = { ALARM_HOLD_HITS, ALARM_HOLD_WINDOW },
			.clear_runs = ALARM_CLEAR_RUNS,
			.level = ALARM_WARNING },
	};
	const struct option_group groups[] = {
		{ "On what, and how", options, sizeof(options) / sizeof(options[0]), &request },
	};
	struct outcome outcome = { .request = &request, .clock = &cli->clock };
	struct store_reader *reader;
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	if (strcmp(cli->arguments.words[0], "replay") != 0)
		return cli_complain(
			CLI_USAGE, "rule: \"%s\" is not replay", cli->arguments.words[0]);
	r = read_rule(&request, cli->arguments.words[1]);
	if (r != CLI_GO_ON)
		return r;
	r = history_open(cli, &reader);
	if (r != CLI_GO_ON)
		return r;
	outcome.now_usec = clock_realtime_usec(&cli->clock);
	outcome.from_usec = outcome.now_usec - (int64_t)(request.days * DAY_USEC);
	outcome.replay = replay_new(&request.rule, outcome.from_usec);
	r = replay(reader, &outcome);
	outcome.replay = replay_free(outcome.replay);
	store_reader_close(reader);
	return r;
}

const struct command command_rule = {
	.name = "rule",
	.section = "History, also while the daemon is down",
	.operands = "replay RULE",
	.summary = "when a rule would have fired on stored runs",
	.help = "Runs a rule over the runs of the history and tells when it would have fired and\n"
		"cleared. A rule is [read|write] MEASURE > VALUE, or < VALUE. Measures are avg,\n"
		"p50, p95, p99, p99.9 and max (VALUE: 15ms), throughput (100M a second), iops and\n"
		"errors (a number); or xK normal, K times what was normal at that load then. A\n"
		"percentile is that of the runs of --hold together. Without read or write it is\n"
		"about each by itself. [alarm NAME] in the configuration takes the same words.\n"
		"\n"
		"Examples:\n"
		"  repoprobe rule replay 'write p99 > 50ms'\n"
		"  repoprobe rule replay --days=7 --repository=nas1 --hold='3 of 5' 'avg > 20ms'\n"
		"  repoprobe rule replay --load=idle 'avg > x2 normal'\n"
		"  repoprobe rule replay --json 'throughput < 50M' | jq '.firings | length'\n",
	.min_operands = 2,
	.max_operands = 2,
	.reads_configuration = true,
	.handler = rule_handler,
};
