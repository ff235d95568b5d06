/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe presets`: lists the predefined workloads and their limits. */
#include "base/buf.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "model/workload.h"

#define TEXT_MAX 65536
#define NAME_WIDTH 19

struct presets_request {
	bool is_json;
};

static const struct cli_option options[] = {
	{ .name = "json",
		.help = "one JSON document instead of a table",
		.set = option_set_flag,
		.offset = offsetof(struct presets_request, is_json) },
};

/* "64M or 5s": whichever comes first. */
static void add_bounds(const struct workload *w, struct buf *b)
{
	const char *separator = "";

	if (w->max_bytes > 0) {
		format_size(b, w->max_bytes);
		separator = " or ";
	}
	if (w->max_ios > 0) {
		buf_printf(b, "%s%llu I/Os", separator, (unsigned long long)w->max_ios);
		separator = " or ";
	}
	if (w->duration_usec > 0) {
		buf_add_text(b, separator);
		format_duration(b, w->duration_usec);
	}
}

/* Three lines per preset: what it resembles, what it does, how it is run and judged. */
static void add_preset(const struct workload_preset *preset, struct buf *b)
{
	struct buf line = BUF_INIT(TEXT_MAX);

	help_add_entry(preset->name, NAME_WIDTH, preset->summary, b);
	workload_describe(&preset->workload, &line);
	help_add_entry("", NAME_WIDTH, buf_text(&line), b);
	buf_clear(&line);
	add_bounds(&preset->workload, &line);
	buf_add_text(&line, " every ");
	format_duration(&line, preset->interval_usec);
	buf_add_text(&line, "; warning at ");
	format_duration(&line, preset->limit_usec);
	buf_add_text(&line, ", critical at ");
	format_duration(&line, preset->limit_critical_usec);
	help_add_entry("", NAME_WIDTH, buf_text(&line), b);
	buf_done(&line);
}

static int print_text(void)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; workload_preset_at(i); i++) {
		if (i > 0)
			buf_add_char(&b, '\n');
		add_preset(workload_preset_at(i), &b);
	}
	return cli_print(&b);
}

static struct json_t *preset_json(const struct workload_preset *preset)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "name", preset->name);
	json_add_text(object, "summary", preset->summary);
	json_add(object, "workload", workload_to_json(&preset->workload));
	json_add_seconds(object, "interval_seconds", preset->interval_usec * NSEC_PER_USEC);
	json_add_seconds(object, "limit_seconds", preset->limit_usec * NSEC_PER_USEC);
	json_add_seconds(
		object, "limit_critical_seconds", preset->limit_critical_usec * NSEC_PER_USEC);
	return object;
}

static int print_json(void)
{
	struct json_t *document = json_new_object();
	struct json_t *presets = json_new_array();

	for (size_t i = 0; workload_preset_at(i); i++)
		json_append(presets, preset_json(workload_preset_at(i)));
	json_add(document, "presets", presets);
	return cli_print_json(document);
}

static int presets_handler(struct cli *cli, const struct command *command)
{
	struct presets_request request = { 0 };
	const struct option_group groups[] = { { "Output", options, 1, &request } };
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	return request.is_json ? print_json() : print_text();
}

const struct command command_presets = {
	.name = "presets",
	.section = "Measure now",
	.operands = "",
	.summary = "the built-in workloads",
	.help = "Lists the built-in workloads: what kind of backup job each resembles,\n"
		"what it does, how long and how often a scheduled run of it is, and the average\n"
		"latencies that raise an alarm.\n"
		"\n"
		"Examples:\n"
		"  repoprobe presets\n"
		"  repoprobe run --preset=restore /path/to/your/backups\n",
	.handler = presets_handler,
};
