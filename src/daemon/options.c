/* SPDX-License-Identifier: Apache-2.0 */
/* Parses repoprobed's options with getopt_long; everything else is configuration. */
#include "daemon/options.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "config/config.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define OPTION_NAME_MAX 256

static const char help_text[] =
	"Usage: repoprobed [OPTION]…\n"
	"Probes backup repositories, keeps their history, raises alarms, serves a dashboard.\n"
	"\n"
	"  --config FILE           read FILE (default: " SYSCONFDIR "/repoprobe/repoprobe.conf)\n"
	"  --repository NAME=PATH  watch PATH too, without a configuration file; may be repeated\n"
	"  --state-directory DIR   keep the history in DIR (default: /var/lib/repoprobe)\n"
	"  --listen ADDRESS:PORT   serve HTTP there (default: 127.0.0.1:9847 and [::1]:9847);\n"
	"                          port 0 takes a free one, \"\" switches HTTP off; may be repeated\n"
	"  --foreground            print a line for each finished run\n"
	"  --check                 check the configuration and exit\n"
	"  --help, --version\n"
	"\n"
	"Examples:\n"
	"  repoprobed --foreground --state-directory /tmp/try --repository nas1=/mnt/nas1\n"
	"  repoprobed --config /etc/repoprobe/repoprobe.conf --check\n"
	"\n"
	"SIGHUP reloads the configuration (all or nothing), SIGTERM stops. Exit codes: 0, 1 failure,\n"
	"2 usage or configuration. Manual: repoprobed(8), repoprobe.conf(5).\n";

enum option_id {
	OPTION_CONFIG = 256,
	OPTION_REPOSITORY,
	OPTION_STATE_DIRECTORY,
	OPTION_LISTEN,
	OPTION_FOREGROUND,
	OPTION_CHECK,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option long_options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "repository", required_argument, NULL, OPTION_REPOSITORY },
	{ "state-directory", required_argument, NULL, OPTION_STATE_DIRECTORY },
	{ "listen", required_argument, NULL, OPTION_LISTEN },
	{ "foreground", no_argument, NULL, OPTION_FOREGROUND },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

const char *options_help(void)
{
	return help_text;
}

static int add_repository(struct daemon_options *o, const char *value, struct error *reterr)
{
	if (o->repository_count == DAEMON_REPOSITORIES_MAX)
		return error_set(reterr, -EINVAL,
			"more than %d --repository options: use a configuration file",
			DAEMON_REPOSITORIES_MAX);
	o->repositories[o->repository_count++] = value;
	return 0;
}

static int add_listen(struct daemon_options *o, const char *value, struct error *reterr)
{
	o->is_listen_given = true;
	if (value[0] == '\0')
		return 0;
	if (o->listen_count == DAEMON_LISTEN_MAX)
		return error_set(
			reterr, -EINVAL, "more than %d --listen options", DAEMON_LISTEN_MAX);
	o->listen[o->listen_count++] = value;
	return 0;
}

static int apply(struct daemon_options *o, int id, char *value, enum options_wish *wish,
	struct error *reterr)
{
	switch (id) {
	case OPTION_CONFIG:
		o->config_path = value;
		o->is_config_given = true;
		return 0;
	case OPTION_REPOSITORY:
		return add_repository(o, value, reterr);
	case OPTION_STATE_DIRECTORY:
		o->state_directory = value;
		return 0;
	case OPTION_LISTEN:
		return add_listen(o, value, reterr);
	case OPTION_FOREGROUND:
		o->is_foreground = true;
		return 0;
	case OPTION_CHECK:
		o->is_check = true;
		return 0;
	case OPTION_HELP:
		*wish = OPTIONS_HELP;
		return 0;
	case OPTION_VERSION:
		*wish = OPTIONS_VERSION;
		return 0;
	default:
		return -EINVAL;
	}
}

/* getopt has refused argument `word`: says why. */
static int explain(const char *word, int id, struct error *reterr)
{
	const char *names[sizeof(long_options) / sizeof(long_options[0])];
	size_t count = 0;

	if (id == ':')
		return error_set(reterr, -EINVAL, "%s needs a value", word);
	while (long_options[count].name) {
		names[count] = long_options[count].name;
		count++;
	}
	struct buf bare = BUF_INIT(OPTION_NAME_MAX);
	buf_add(&bare, word + strspn(word, "-"), strcspn(word + strspn(word, "-"), "="));
	const char *meant = parse_suggest(buf_text(&bare), names, count);
	buf_done(&bare);
	return error_set(reterr, -EINVAL, "unknown option %s%s%s%s", word,
		meant ? "; did you mean --" : "", meant ? meant : "", meant ? "?" : "");
}

int options_parse(int argc, char **argv, struct daemon_options *ret, enum options_wish *ret_wish,
	struct error *reterr)
{
	struct daemon_options o = { .config_path = config_default_path() };
	enum options_wish wish = OPTIONS_RUN;
	int id;

	optind = 0; /* glibc: forget an earlier parse altogether */
	opterr = 0;
	while ((id = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		int r = id == '?' || id == ':' ? explain(argv[optind - 1], id, reterr)
					       : apply(&o, id, optarg, &wish, reterr);
		if (r < 0)
			return r;
	}
	if (optind < argc)
		return error_set(reterr, -EINVAL,
			"unexpected argument \"%s\"; a repository is given as --repository NAME=PATH",
			argv[optind]);
	*ret = o;
	*ret_wish = wish;
	return 0;
}
