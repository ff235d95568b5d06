/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe init`: makes probe directories for the daemon's user. Only the worker touches the
 * repository, as that user; this file determines the user and reports what was done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/daemon_user.h"
#include "cli/init_remove.h"
#include "cli/place.h"
#include "cli/run_watch.h"
#include "config/config.h"
#include "model/examination.h"

#define TEXT_MAX ((size_t)1 << 20)
#define SIGNAL_EXIT_BASE 128

struct init {
	const char *user_name;
	bool is_json;
	bool is_removal;
	struct config *config;
	char host_id[17];
	struct daemon_user user;
	struct buf text;
	struct json_t *list;
};

/* The work on one repository. */
struct turn {
	const char *name; /* NULL: not configured */
	const char *path;
	struct job job;
	struct examination examination;
	struct run *run; /* the worker's outcome */
};

static const struct cli_option options[] = {
	{ .name = "user",
		.value_name = "USER",
		.help = "the daemon runs as this user (name or number), and is not root",
		.set = option_set_text,
		.offset = offsetof(struct init, user_name) },
	{ .name = "remove",
		.help = "remove what repoprobe left: this host's probe files and their directory",
		.set = option_set_flag,
		.offset = offsetof(struct init, is_removal) },
	{ .name = "json",
		.help = "one JSON document instead of sentences",
		.set = option_set_flag,
		.offset = offsetof(struct init, is_json) },
};

/* --- Report ---------------------------------------------------------------- */

/* Sentences name the path; a configured repository's name goes before them. */
static void add_label(const struct turn *t, struct buf *b)
{
	if (t->name)
		buf_printf(b, "%s: ", t->name);
}

/* The worker's failure, or the first reason for which a run would be refused; else NULL. */
static const char *trouble(const struct turn *t)
{
	if (t->run->status != RUN_OK)
		return t->run->reason;
	return t->examination.refusal_count > 0 ? t->examination.refusals[0].text : NULL;
}

static bool is_ready(const struct init *init, const struct turn *t)
{
	const struct examination *e = &t->examination;

	return !trouble(t) && (init->is_removal ? e->removal.is_done : e->preparation.is_ready);
}

static const char *config_file(const struct init *init)
{
	return init->config->file_count > 0 ? init->config->files[0] : config_default_path();
}

/* Names the owner and how it was determined. */
static void add_owner(const struct init *init, const struct turn *t, struct buf *b)
{
	const struct examination *e = &t->examination;
	const struct daemon_user *user = &init->user;

	daemon_user_name(e->directory.uid, b);
	if (!user->is_daemon_root) {
		if (e->directory.uid == user->user.uid)
			buf_add_text(b,
				user->source == DAEMON_USER_GIVEN
					? ", as whom the daemon runs"
					: ", the daemon's user, who owns the state directory");
		return;
	}
	if (e->directory.uid == 0)
		return;
	buf_printf(b, "%s: the daemon is root%s, and its workers become that user",
		e->directory.uid == e->repository.uid ? ", who owns the repository" : "",
		user->has_state ? "" : " (no state directory says otherwise yet)");
}

static void add_access(const struct turn *t, struct buf *b)
{
	const struct examination_owner *owner = &t->examination.repository;

	add_label(t, b);
	buf_printf(b, "%s stays as it is, with mode %04o, of ", t->path, owner->mode);
	daemon_user_name(owner->uid, b);
	buf_add_char(b, '\n');
}

static void add_line(const struct init *init, const struct turn *t, struct buf *b)
{
	add_label(t, b);
	buf_printf(b,
		"that user may not enter %s, so the directory lies beside it; add to the "
		"repository's section in %s:\nprobe_directory = %s\n",
		t->path, config_file(init), t->examination.preparation.path);
}

static void add_text(const struct init *init, const struct turn *t, struct buf *b)
{
	const struct examination *e = &t->examination;

	add_label(t, b);
	if (e->preparation.is_new)
		buf_printf(
			b, "made %s, with mode %04o, for ", e->preparation.path, e->directory.mode);
	else
		buf_printf(b, "%s exists already, nothing was changed; it belongs to ",
			e->preparation.path);
	add_owner(init, t, b);
	buf_add_char(b, '\n');
	if (e->preparation.is_new)
		add_access(t, b);
	if (e->preparation.is_beside)
		add_line(init, t, b);
}

static struct json_t *new_owner(const struct examination_owner *owner)
{
	struct json_t *object = json_new_object();
	struct buf mode = BUF_INIT(16);

	buf_printf(&mode, "%04o", owner->mode);
	json_add_integer(object, "uid", owner->uid);
	json_add_integer(object, "gid", owner->gid);
	json_add_text(object, "mode", buf_text(&mode));
	buf_done(&mode);
	return object;
}

static void add_preparation(const struct init *init, const struct turn *t, struct json_t *object)
{
	const struct examination *e = &t->examination;
	const struct examination_preparation *p = &e->preparation;

	json_add_boolean(object, "is_daemon_root", init->user.is_daemon_root);
	json_add_boolean(object, "is_ready", is_ready(init, t));
	json_add_boolean(object, "is_new", p->is_new);
	json_add_boolean(object, "is_to_be_configured", is_ready(init, t) && p->is_beside);
	if (is_ready(init, t)) {
		json_add(object, "owner", new_owner(&e->directory));
		json_add(object, "repository_owner", new_owner(&e->repository));
	}
}

static struct json_t *new_document(const struct init *init, const struct turn *t)
{
	const struct examination *e = &t->examination;
	const char *path = init->is_removal ? e->removal.path : e->preparation.path;
	struct json_t *object = json_new_object();
	enum run_status status = t->run->status;

	if (status == RUN_OK && e->refusal_count > 0)
		status = e->refusals[0].status;
	json_add_text(object, "repository", t->name);
	json_add_text(object, "path", t->path);
	json_add_text(object, "status", run_status_name(status));
	json_add_text(object, "reason", trouble(t) ? trouble(t) : "");
	json_add_text(object, "probe_directory", path[0] ? path : NULL);
	if (init->is_removal)
		init_remove_json(&e->removal, object);
	else
		add_preparation(init, t, object);
	return object;
}

/* Suggests alternatives when the user may not enter the repository. */
static void advise(const struct init *init, const struct turn *t)
{
	if (init->user.is_daemon_root || t->examination.refusal_count == 0 ||
		t->examination.refusals[0].error_number != EACCES)
		return;
	(void)cli_complain(CLI_FAILED,
		"a daemon that is root gets there; for another one see LAYOUTS in repoprobe.conf(5): "
		"give it the right to pass (setfacl -m u:%u:x %s), or a probe_directory where it may "
		"go, on the same file system",
		init->user.user.uid, t->path);
}

/* --- Work ------------------------------------------------------------------ */

static void make_job(
	const struct init *init, const struct config_repository *repository, struct turn *t)
{
	struct job *job = &t->job;

	job->kind = init->is_removal ? JOB_REMOVE : JOB_INIT;
	(void)strncat(job->repository_path, t->path, JOB_PATH_MAX);
	if (repository) {
		(void)strncat(job->probe_directory, repository->probe_directory, JOB_PATH_MAX);
		place_expect(repository, &job->expected);
	}
	job_file_name(job, init->host_id, getuid(),
		false); /* makes no file; tells which host's files to remove */
	job->workload = workload_preset_default()->workload;
	place_limit_time(&job->workload);
	job->keep_file = true;
	job->is_daemon_root = init->user.is_daemon_root;
	job->is_for_owner = init->user.source == DAEMON_USER_OWNER;
	job->user = init->user.user;
}

static int tell(struct init *init, const struct turn *t)
{
	if (init->is_json)
		json_append(init->list, new_document(init, t));
	else if (is_ready(init, t) && init->is_removal)
		init_remove_text(&t->examination.removal, t->name, config_file(init), &init->text);
	else if (is_ready(init, t))
		add_text(init, t, &init->text);
	if (is_ready(init, t))
		return CLI_OK;
	const char *reason = trouble(t);
	(void)cli_complain(CLI_FAILED, "%s: %s%s", t->name ? t->name : "init",
		reason ? reason : "nothing was done",
		init->is_removal ? "; nothing was removed" : "");
	if (!init->is_removal)
		advise(init, t);
	return CLI_FAILED;
}

static int prepare(struct init *init, const struct cli *cli,
	const struct config_repository *repository, const char *path)
{
	struct turn *t = calloc(1, sizeof(*t));
	struct run_end end = { 0 };
	struct error error = { "" };
	int exit_code = CLI_FAILED;

	if (t)
		t->run = run_new("", "");
	if (!t || !t->run) {
		free(t);
		return cli_complain(CLI_FAILED, "no memory");
	}
	t->name = repository ? repository->name : NULL;
	t->path = path;
	make_job(init, repository, t);
	int r = run_watch_examination(
		&t->job, &cli->clock, STDERR_FILENO, &t->examination, t->run, &end, &error);
	if (r < 0)
		exit_code = cli_complain(CLI_FAILED, "init: %s", error.text);
	else if (end.signal != 0)
		exit_code = cli_complain(SIGNAL_EXIT_BASE + end.signal, "%s: interrupted", t->path);
	else
		exit_code = tell(init, t);
	free(t->run);
	free(t);
	return exit_code;
}

static int prepare_all(struct init *init, const struct cli *cli)
{
	int exit_code = CLI_OK;

	if (init->config->repository_count == 0)
		return cli_complain(CLI_USAGE,
			"init: no repository is configured; name a directory: repoprobe init DIR");
	for (size_t i = 0; i < init->config->repository_count; i++) {
		const struct config_repository *repository = &init->config->repositories[i];
		int r = prepare(init, cli, repository, repository->path);
		if (r > SIGNAL_EXIT_BASE)
			return r;
		if (r != CLI_OK)
			exit_code = r;
	}
	return exit_code;
}

/* word: a repository's name, or else a directory, which may be a repository's. */
static int prepare_one(struct init *init, const struct cli *cli, const char *word)
{
	const struct config_repository *repository = config_find_repository(init->config, word);
	char path[JOB_PATH_MAX + 1];
	struct error error = { "" };

	if (repository)
		return prepare(init, cli, repository, repository->path);
	if (place_find_path(word, path, &error) < 0)
		return cli_complain(CLI_USAGE, "init: %s", error.text);
	return prepare(init, cli, place_find_repository(init->config, path), path);
}

static int print_report(struct init *init)
{
	if (!init->is_json)
		return cli_print(&init->text);
	struct json_t *document = json_new_object();
	json_add(document, "repositories", init->list);
	init->list = NULL;
	return cli_print_json(document);
}

static int carry_out(struct init *init, const struct cli *cli)
{
	struct error error = { "" };

	if (geteuid() != 0 && !init->is_removal)
		return cli_complain(CLI_FAILED,
			"init: only root can make a directory for another user; your own daemon makes "
			"its directory itself, at its first run");
	int r = cli_load_config(cli, &init->config);
	if (r != CLI_GO_ON)
		return r;
	r = hash_host_id(init->host_id);
	if (r < 0)
		return cli_complain(CLI_FAILED, "init: the host's name: %s", errno_text(-r));
	if (!init->is_removal &&
		daemon_user_find(
			init->user_name, init->config->state_directory, &init->user, &error) < 0)
		return cli_complain(
			init->user_name ? CLI_USAGE : CLI_FAILED, "init: %s", error.text);
	init->list = json_new_array();
	r = cli->arguments.count == 0 ? prepare_all(init, cli)
				      : prepare_one(init, cli, cli->arguments.words[0]);
	int printed = r == CLI_OK || r == CLI_FAILED ? print_report(init) : r;
	return r != CLI_OK ? r : printed;
}

static int init_handler(struct cli *cli, const struct command *command)
{
	struct init *init = calloc(1, sizeof(*init));
	if (!init)
		return cli_complain(CLI_FAILED, "no memory");

	const struct option_group groups[] = { { "Whose, and what", options, 3, init } };
	init->text = (struct buf)BUF_INIT(TEXT_MAX);
	int r = cli_parse(cli, command, groups, 1);
	if (r == CLI_GO_ON)
		r = carry_out(init, cli);
	buf_done(&init->text);
	json_free(init->list);
	config_free(init->config);
	free(init);
	return r;
}

const struct command command_init = {
	.name = "init",
	.section = "Measure now",
	.operands = "[NAME|DIR]",
	.summary = "as root: make the probe directory for the daemon's user",
	.help = "Makes the directory that probe files lie in, .repoprobe in the repository, for\n"
		"the daemon's user, and prints what it did. NAME is a configured repository;\n"
		"without an argument all of them are prepared. Nothing else is changed, no mode\n"
		"and no owner, so private data stays private. What a run would refuse is refused.\n"
		"What exists already is left as it is.\n"
		"\n"
		"The daemon's user is USER; else the owner of the state directory; and when that\n"
		"is root, or missing: root, whose workers become the owner of the probe\n"
		"directory. The owner is then user repoprobe, if there is one, who need not be\n"
		"able to read the data, and else the repository's owner.\n"
		"\n"
		"A daemon that is not root cannot use a directory inside a repository that it\n"
		"may not enter. Then it is made beside it, if it may enter there and that is the\n"
		"same file system, and the line for the configuration is printed.\n"
		"\n"
		"With --remove it takes away what repoprobe left there, as any user: the probe\n"
		"files of this host and, when nothing else is in it, CACHEDIR.TAG and the\n"
		"directory. Files of other hosts and what is not repoprobe's stay, and all stays\n"
		"while a run uses a file. Remove the repository from the configuration\n"
		"first: a running daemon makes the directory again at its next run.\n"
		"\n"
		"Examples:\n"
		"  repoprobe init nas1\n"
		"  repoprobe init --user=repoprobe /srv/backups\n"
		"\n"
		"Exit status: 0 every directory is there, or gone, 1 not so (a line says why),\n"
		"2 wrong usage or configuration.\n",
	.max_operands = 1,
	.reads_configuration = true,
	.handler = init_handler,
};
