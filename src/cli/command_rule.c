/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe rule replay`: shows when a rule would have fired on stored runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alarm/alarm.h"
#include "alarm/sample_code.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/replay_show.h"
#include "report/text.h"
#include "store/store.h"

#define DAYS_DEFAULT 28
#define DAYS_MAX 3650
#define DAY_USEC (UINT64_C(86400) * USEC_PER_SEC)
#define WORDS_MAX 8
#define TEXT_MAX 1024

struct replay_request {
	bool is_json;
	const char *repository; /* NULL: all */
	const char *probe;
	const char *clear; /* NULL: runs that do not meet the rule clear it */
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

/* Shows the sentence, the rule, and a mark below the position of the error. */
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

/* --- On the runs ----------------------------------------------------------- */

struct subjects {
	const struct replay_request *request;
	size_t count;
	struct subject {
		char *repository;
		char *probe;
	} * list;
};

struct replaying {
	const struct replay_request *request;
	const struct clock *clock;
	struct replay *replay;
	int64_t begin_usec; /* start of the runs that are read */
	int64_t now_usec;
	size_t subject;
	size_t subject_count;
	struct progress_line progress;
};

static void subjects_done(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->count; i++) {
		free(subjects->list[i].repository);
		free(subjects->list[i].probe);
	}
	free(subjects->list);
}

static int add_subject(void *data, const char *repository, const char *probe)
{
	struct subjects *subjects = data;
	const struct replay_request *request = subjects->request;

	if ((request->repository && strcmp(request->repository, repository) != 0) ||
		(request->probe && strcmp(request->probe, probe) != 0))
		return 0;
	struct subject *moved =
		reallocarray(subjects->list, subjects->count + 1, sizeof(*subjects->list));
	if (!moved)
		return -ENOMEM;
	subjects->list = moved;
	struct subject *added = &moved[subjects->count++];
	added->repository = strdup(repository);
	added->probe = strdup(probe);
	return added->repository && added->probe ? 0 : -ENOMEM;
}

/* Each probe has an equal share of the total. */
static unsigned percent_done(const struct replaying *r, int64_t at_usec)
{
	int64_t whole_usec = r->now_usec - r->begin_usec;
	int64_t done_usec = at_usec - r->begin_usec;

	if (done_usec > whole_usec)
		done_usec = whole_usec;
	return (unsigned)((r->subject * 100 + (size_t)(done_usec * 100 / whole_usec)) /
		r->subject_count);
}

static int take(void *data, const struct run *run, const struct store_judged judged[RUN_OPERATIONS])
{
	struct replaying *r = data;
	struct replay_lesson lessons[RUN_OPERATIONS] = { 0 };

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		/* A sample of another version is not learned from, as in the daemon. */
		lessons[i].has_sample = sample_code_read(judged[i].sample, judged[i].sample_len,
						&lessons[i].sample) == 0;
		lessons[i].since_usec = judged[i].since_usec;
	}
	progress_show_percent(&r->progress, "replaying", percent_done(r, run->started_usec),
		clock_monotonic_nsec(r->clock));
	return replay_take(r->replay, run, lessons);
}

static int replay_subjects(struct store_reader *reader, struct replaying *replaying,
	const struct subjects *subjects, struct error *reterr)
{
	int r = 0;

	replaying->subject_count = subjects->count;
	for (size_t i = 0; r == 0 && i < subjects->count; i++) {
		const struct store_run_filter filter = {
			.repository = subjects->list[i].repository,
			.probe = subjects->list[i].probe,
			.from_usec = replaying->begin_usec,
			.to_usec = replaying->now_usec,
		};
		replaying->subject = i;
		r = store_read_judged(reader, &filter, take, replaying, reterr);
	}
	return r;
}

static int print(const struct replay_request *request, const struct replay_outcome *outcome)
{
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);

	if (request->is_json)
		return cli_print_json(replay_show_json(outcome));
	replay_show_text(outcome, &b);
	return cli_print(&b);
}

static int replay(struct store_reader *reader, const struct replay_request *request,
	const struct clock *clock)
{
	struct replaying replaying = {
		.request = request, .clock = clock, .now_usec = clock_realtime_usec(clock)
	};
	struct replay_outcome outcome = {
		.rule = &request->rule,
		.days = request->days,
		.from_usec = replaying.now_usec - (int64_t)(request->days * DAY_USEC),
		.now_usec = replaying.now_usec,
	};
	struct subjects subjects = { .request = request };
	struct error error = { "" };
	int exit_code;

	/* Reads far enough back that the baseline exists at the first judged run. */
	replaying.begin_usec = outcome.from_usec - BASELINE_USEC;
	replaying.replay = replay_new(&request->rule, outcome.from_usec);
	progress_init(&replaying.progress, STDERR_FILENO, clock_monotonic_nsec(clock));
	int r = replaying.replay ? store_read_probes(reader, add_subject, &subjects, &error)
				 : -ENOMEM;
	if (r == 0)
		r = replay_subjects(reader, &replaying, &subjects, &error);
	progress_erase(&replaying.progress);
	if (r < 0) {
		exit_code = cli_complain(
			CLI_FAILED, "rule replay: %s", error.text[0] ? error.text : errno_text(-r));
	} else if (subjects.count == 0 && (request->repository || request->probe)) {
		exit_code = history_explain_nothing(
			reader, "rule replay", request->repository, request->probe);
	} else {
		replay_end(replaying.replay);
		outcome.replay = replaying.replay;
		exit_code = print(request, &outcome);
	}
	replay_free(replaying.replay);
	subjects_done(&subjects);
	return exit_code;
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
	r = replay(reader, &request, &cli->clock);
	store_reader_close(reader);
	return r;
}

const struct command command_rule = {
	.name = "rule",
	.section = "History, also while the daemon is down",
	.operands = "replay RULE",
	.summary = "when a rule would have fired on stored runs",
	.help = "Runs a rule over the runs of the history and shows when it would have fired and\n"
		"cleared. A rule is [read|write] MEASURE > VALUE, or < VALUE. Measures are avg,\n"
		"p50, p95, p99, p99.9 and max (VALUE: 15ms), throughput (100M a second), iops and\n"
		"errors (a number); or xK normal, K times what was normal at that load then. A\n"
		"percentile is that of the runs of --hold together. Without read or write it\n"
		"applies to each separately. [alarm NAME] in the configuration uses the same\n"
		"words.\n"
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
