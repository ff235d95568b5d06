/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe mute` and `unmute`: suppress a repository's messages, or its probing, for a time. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/control_client.h"
#include "model/mute.h"

struct mute_request {
	const char *length; /* "2h"; NULL: until is given */
	const char *until; /* an instant */
	const char *reason;
	bool is_pause;
};

static const struct cli_option options[] = {
	{ .name = "for",
		.value_name = "TIME",
		.help = "how long from now, such as 2h or 3d",
		.set = option_set_text,
		.offset = offsetof(struct mute_request, length) },
	{ .name = "until",
		.value_name = "INSTANT",
		.help = "instead of --for: its end, as RFC 3339 or Unix seconds",
		.set = option_set_text,
		.offset = offsetof(struct mute_request, until) },
	{ .name = "reason",
		.value_name = "TEXT",
		.help = "why, shown to everyone who looks at it; required",
		.set = option_set_text,
		.offset = offsetof(struct mute_request, reason) },
	{ .name = "pause",
		.help = "do not probe either; without it only messages are held back",
		.set = option_set_flag,
		.offset = offsetof(struct mute_request, is_pause) },
};

/* The end of the mute. Returns 0, or -EINVAL with a sentence. */
static int find_end(const struct mute_request *request, int64_t now_usec, int64_t *ret_usec,
	struct error *reterr)
{
	uint64_t length_usec = 0;
	int r;

	if (!request->length == !request->until)
		return error_set(reterr, -EINVAL,
			"expected either --for=TIME or --until=INSTANT, such as --for=2h");
	if (request->until) {
		r = parse_instant(request->until, now_usec, ret_usec, reterr);
		return r < 0 ? error_prefix(reterr, r, "--until") : 0;
	}
	r = parse_duration(request->length, &length_usec, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "--for");
	if (length_usec > (uint64_t)(INT64_MAX - now_usec))
		return error_set(reterr, -EINVAL, "--for: %s has no end", request->length);
	*ret_usec = now_usec + (int64_t)length_usec;
	return 0;
}

static int check(const struct mute_request *request, int64_t now_usec, int64_t *ret_until_usec,
	struct error *reterr)
{
	int r = find_end(request, now_usec, ret_until_usec, reterr);

	if (r < 0)
		return r;
	if (*ret_until_usec <= now_usec)
		return error_set(reterr, -EINVAL, "it would end before it starts");
	if (!request->reason || request->reason[0] == '\0')
		return error_set(reterr, -EINVAL,
			"--reason=TEXT is missing; it is shown to everyone who looks at the mute");
	if (strlen(request->reason) > MUTE_REASON_MAX || !parse_is_utf8(request->reason))
		return error_set(reterr, -EINVAL, "--reason: expected at most %d bytes of UTF-8",
			MUTE_REASON_MAX);
	return 0;
}

static int mute_handler(struct cli *cli, const struct command *command)
{
	struct mute_request request = { .reason = NULL };
	const struct option_group groups[] = {
		{ "How", options, sizeof(options) / sizeof(options[0]), &request },
	};
	struct error error = { "" };
	int64_t until_usec = 0;
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	if (check(&request, clock_realtime_usec(&cli->clock), &until_usec, &error) < 0)
		return cli_complain(CLI_USAGE, "mute: %s", error.text);
	struct json_t *json = json_new_object();
	json_add_text(json, "command", "mute");
	if (cli->arguments.count > 0)
		json_add_text(json, "repository", cli->arguments.words[0]);
	json_add_instant(json, "until", until_usec);
	json_add_text(
		json, "mode", mute_mode_name(request.is_pause ? MUTE_PROBING : MUTE_MESSAGES));
	json_add_text(json, "reason", request.reason);
	return control_request(cli, json, "muted");
}

const struct command command_mute = {
	.name = "mute",
	.section = "The daemon",
	.operands = "[REPO]",
	.summary = "send no messages for a while, or do not probe",
	.help = "For a while no messages are sent about a repository, or about any when none is\n"
		"named. It is probed and judged as usual, unless --pause is given, and everything\n"
		"is kept in the history. What is still wrong at the end is reported then. Put\n"
		"mutes that recur into the configuration: [mute NAME].\n"
		"\n"
		"Examples:\n"
		"  repoprobe mute nas1 --for=2h --reason='new firmware'\n"
		"  repoprobe mute --until=2026-12-27T06:00:00Z --reason='power works in the hall'\n"
		"  repoprobe mute nas1 --for=30min --pause --reason='disk shelf is exchanged'\n"
		"  repoprobe unmute nas1\n",
	.max_operands = 1,
	.reads_configuration = true,
	.handler = mute_handler,
};

static int unmute_handler(struct cli *cli, const struct command *command)
{
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	struct json_t *json = json_new_object();
	json_add_text(json, "command", "unmute");
	if (cli->arguments.count > 0)
		json_add_text(json, "repository", cli->arguments.words[0]);
	return control_request(cli, json, "no mute is left");
}

const struct command command_unmute = {
	.name = "unmute",
	.section = "The daemon",
	.operands = "[REPO]",
	.summary = "end mutes set by \"mute\"",
	.help = "Ends the mutes of one repository, or with no name those of all repositories,\n"
		"now. Mutes of the configuration are not touched.\n"
		"\n"
		"Examples:\n"
		"  repoprobe unmute nas1\n",
	.max_operands = 1,
	.reads_configuration = true,
	.handler = unmute_handler,
};
