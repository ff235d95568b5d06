/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to an action of the daemon. */
#include "daemon/control_commands.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parse.h"
#include "config/mutes.h"
#include "core/incidents.h"
#include "core/seen.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX 1024

struct control_call {
	struct daemon *d;
	const struct json_t *request;
	uid_t uid;
	struct json_t *reply;
};

static void say(const struct control_call *call, struct buf *message)
{
	if (message->error == 0)
		json_add_text(call->reply, "message", buf_text(message));
	buf_done(message);
}

/* "" when none is named; -ENOENT when there is none of that name. */
static int find_name(const struct control_call *call, const char **ret, struct error *reterr)
{
	const char *name = json_get_text(call->request, "repository");

	if (name && !present_find_repository(call->d->core.present, name))
		return error_set(reterr, -ENOENT, "no repository is called \"%s\"", name);
	*ret = name ? name : "";
	return 0;
}

static int command_probe_now(const struct control_call *call, struct error *reterr)
{
	const char *repository = json_get_text(call->request, "repository");

	if (!repository)
		return error_set(reterr, -EINVAL, "\"repository\" is missing");
	return daemon_probe_now(call->d, repository, json_get_text(call->request, "probe"), reterr);
}

static int command_reload(const struct control_call *call, struct error *reterr)
{
	return daemon_reload(call->d, reterr);
}

/* Texts that only the request's peer has checked so far. */
static int read_mute(const struct control_call *call, struct mute *mute, struct error *reterr)
{
	const char *until = json_get_text(call->request, "until");
	const char *mode = json_get_text(call->request, "mode");
	const char *reason = json_get_text(call->request, "reason");
	const char *name = "";

	int r = find_name(call, &name, reterr);
	if (r < 0)
		return r;
	if (!until || !reason || reason[0] == '\0')
		return error_set(reterr, -EINVAL, "\"%s\" is missing", until ? "reason" : "until");
	if (strlen(reason) > MUTE_REASON_MAX)
		return error_set(
			reterr, -EINVAL, "\"reason\" is longer than %d bytes", MUTE_REASON_MAX);
	if (mode && mute_mode_parse(mode, &mute->mode) < 0)
		return error_set(reterr, -EINVAL, "\"mode\": expected \"mute\" or \"pause\"");
	r = parse_instant(until, mute->from_usec, &mute->until_usec, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "\"until\"");
	if (mute->until_usec <= mute->from_usec)
		return error_set(reterr, -EINVAL, "\"until\" is not in the future");
	(void)strncat(mute->repository, name, RUN_NAME_MAX);
	(void)strncat(mute->reason, reason, MUTE_REASON_MAX);
	return 0;
}

static void describe_mute(const struct mute *mute, struct buf *b)
{
	buf_printf(b, "%s %s until ",
		mute->repository[0] != '\0' ? mute->repository : "every repository",
		mute->mode == MUTE_PROBING ? "is not probed" : "is muted");
	format_instant(b, mute->until_usec);
}

static int command_mute(const struct control_call *call, struct error *reterr)
{
	struct daemon *d = call->d;
	struct buf message = BUF_INIT(MESSAGE_MAX);
	struct mute mute = {
		.id = d->core.next_mute_id,
		.mode = MUTE_MESSAGES,
		.from_usec = clock_realtime_usec(&d->clock),
		.uid = call->uid,
	};

	int r = read_mute(call, &mute, reterr);
	if (r < 0)
		return r;
	if (mutes_add(d->core.mutes, &mute, mute.from_usec) < 0)
		return error_set(reterr, -ENOBUFS, "there are %d mutes already", MUTES_MAX);
	d->core.next_mute_id++;
	pipeline_keep_mute(d, &mute);
	describe_mute(&mute, &message);
	say(call, &message);
	daemon_changed(d);
	daemon_dispatch(d);
	return 0;
}

static void keep_end(void *data, const struct mute *mute)
{
	pipeline_keep_mute(data, mute);
}

static int command_unmute(const struct control_call *call, struct error *reterr)
{
	struct daemon *d = call->d;
	struct buf message = BUF_INIT(MESSAGE_MAX);
	const char *name = "";

	int r = find_name(call, &name, reterr);
	if (r < 0)
		return r;
	size_t ended = mutes_end(d->core.mutes, name[0] != '\0' ? name : NULL,
		clock_realtime_usec(&d->clock), keep_end, d);
	if (ended == 0)
		return error_set(reterr, -ENOENT, "%s%sno mute was asked for", name,
			name[0] != '\0' ? ": " : "");
	buf_printf(&message, "%zu mute%s ended", ended, ended == 1 ? "" : "s");
	say(call, &message);
	daemon_changed(d);
	daemon_dispatch(d);
	return 0;
}

static int acknowledge(const struct control_call *call, const char *repository, const char *reason,
	struct error *reterr)
{
	struct core_actions actions = { .first = NULL };

	daemon_set_time(call->d);
	int r = incidents_acknowledge(
		&call->d->core, repository, call->uid, reason, &actions, reterr);
	pipeline_act(call->d, &actions);
	return r;
}

static int acknowledge_all(const struct control_call *call, const char *reason, size_t *ret_count)
{
	const struct present *present = call->d->core.present;
	int r = 0;

	for (size_t i = 0; r == 0 && i < present->repository_count; i++) {
		const struct present_repository *repository = &present->repositories[i];
		if (repository->alarm->incident_id == 0)
			continue;
		r = acknowledge(call, repository->config->name, reason, NULL);
		*ret_count += r == 0;
	}
	return r;
}

static int command_ack(const struct control_call *call, struct error *reterr)
{
	const char *reason = json_get_text(call->request, "reason");
	struct buf message = BUF_INIT(MESSAGE_MAX);
	const char *name = "";
	size_t count = 0;

	int r = find_name(call, &name, reterr);
	if (r < 0)
		return r;
	if (reason && strlen(reason) > MUTE_REASON_MAX)
		return error_set(
			reterr, -EINVAL, "\"reason\" is longer than %d bytes", MUTE_REASON_MAX);
	if (name[0] != '\0') {
		r = acknowledge(call, name, reason, reterr);
		buf_printf(&message, "%s: the incident is acknowledged", name);
	} else {
		r = acknowledge_all(call, reason, &count);
		buf_printf(&message, "%zu incident%s acknowledged", count,
			count == 1 ? " is" : "s are");
	}
	if (r == 0 && name[0] == '\0' && count == 0)
		r = error_set(reterr, -ENOENT, "no incident is open");
	if (r == 0)
		say(call, &message);
	buf_done(&message);
	return r;
}

/* Adds to the batch that a repository, or one probe of it, begins anew. */
static int restart_normal(struct daemon *d, struct present_repository *repository,
	const struct present_probe *only, struct batch *batch)
{
	int64_t now_usec = clock_realtime_usec(&d->clock);
	struct first_identity first;
	int r = 0;

	for (size_t i = 0; r == 0 && i < repository->probe_count; i++)
		if (!only || only == &repository->probes[i])
			r = normal_restart(repository, &repository->probes[i], now_usec, batch);
	if (r < 0 || only)
		return r;
	seen_forget(repository, &first);
	return batch_add_first_identity(batch, &first);
}

static int command_rebaseline(const struct control_call *call, struct error *reterr)
{
	const char *name = json_get_text(call->request, "repository");
	const char *probe_name = json_get_text(call->request, "probe");
	struct present_repository *repository =
		name ? present_find_repository(call->d->core.present, name) : NULL;
	struct present_probe *probe =
		repository && probe_name ? present_find_probe(repository, probe_name) : NULL;
	struct buf message = BUF_INIT(MESSAGE_MAX);

	if (!repository)
		return name ? error_set(reterr, -ENOENT, "no repository is called \"%s\"", name)
			    : error_set(reterr, -EINVAL, "\"repository\" is missing");
	if (probe_name && !probe)
		return error_set(
			reterr, -ENOENT, "%s has no probe called \"%s\"", name, probe_name);
	struct batch *batch = batch_new();
	int r = batch ? restart_normal(call->d, repository, probe, batch) : -ENOMEM;
	if (r < 0) {
		batch_free(batch);
		return error_set(reterr, r, "no memory");
	}
	pipeline_submit(call->d, batch);
	buf_printf(&message, "%s%s%s: what is normal is learned again from now on%s", name,
		probe ? ", " : "", probe ? probe_name : "",
		probe ? "" : ", and what is mounted there at the next run is the right one");
	say(call, &message);
	daemon_changed(call->d);
	return 0;
}

#ifdef ENABLE_TEST_HOOKS
/* What an alarm asks for, without one: "after_seconds" from now. */
static int command_confirm(const struct control_call *call, struct error *reterr)
{
	struct daemon *d = call->d;
	const char *repository = json_get_text(call->request, "repository");
	const char *probe = json_get_text(call->request, "probe");
	int64_t seconds = json_get_integer(call->request, "after_seconds", 0);
	struct present_probe *found = repository && probe
		? present_find_probe(present_find_repository(d->core.present, repository), probe)
		: NULL;

	if (!found)
		return error_set(reterr, -EINVAL, "no such probe");
	daemon_confirm(d, found, clock_realtime_usec(&d->clock) + seconds * (int64_t)USEC_PER_SEC);
	daemon_dispatch(d);
	return 0;
}

static int command_tend(const struct control_call *call, struct error *reterr)
{
	(void)reterr;
	tend_now(call->d);
	return 0;
}

/* Keeps the loop from turning until there is such a file. */
static int command_stall(const struct control_call *call, struct error *reterr)
{
	const struct timespec moment = { .tv_nsec = 10 * NSEC_PER_MSEC };
	const char *path = json_get_text(call->request, "until");

	if (!path)
		return error_set(reterr, -EINVAL, "until which file?");
	log_notice("the loop stands still until there is %s", path);
	while (access(path, F_OK) < 0)
		(void)nanosleep(&moment, NULL); /* interrupted: looks earlier */
	return 0;
}
#endif

static const struct command {
	const char *name;
	int (*run)(const struct control_call *call, struct error *reterr);
} commands[] = {
	{ "probe-now", command_probe_now },
	{ "reload", command_reload },
	{ "mute", command_mute },
	{ "unmute", command_unmute },
	{ "ack", command_ack },
	{ "rebaseline", command_rebaseline },
#ifdef ENABLE_TEST_HOOKS
	{ "confirm", command_confirm },
	{ "tend", command_tend },
	{ "stall", command_stall },
#endif
};

int control_commands_run(struct daemon *d, const struct json_t *request, uid_t uid,
	struct json_t *reply, struct error *reterr)
{
	const struct control_call call = { d, request, uid, reply };
	const char *name = json_get_text(request, "command");

	if (!name)
		return error_set(reterr, -EINVAL, "\"command\" is missing");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		int r = commands[i].run(&call, reterr);
		log_notice("%s asked for by uid %u: %s", name, uid, r < 0 ? reterr->text : "done");
		return r;
	}
	return error_set(reterr, -EOPNOTSUPP, "\"%s\" is not in this version", name);
}
