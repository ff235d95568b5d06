/* SPDX-License-Identifier: Apache-2.0 */
/* The rows. A new key is a row here, a field in source.h, and its use in resolve.c; it also stands
 * in etc/repoprobe.conf, which a test compares with this table. */
#include "config/schema.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "config/source.h"
#include "model/mute.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define IN(section) (1U << (section))
#define IN_REPOSITORIES (IN(SCHEMA_DEFAULTS) | IN(SCHEMA_REPOSITORY))

#define HOUR_USEC (UINT64_C(3600) * USEC_PER_SEC)
#define INTERVAL_MAX_USEC (UINT64_C(366) * 24 * HOUR_USEC)
#define KEEP_MAX_USEC (UINT64_C(200) * INTERVAL_MAX_USEC) /* years */
#define CANDIDATES_MAX 64

static const struct {
	const char *name;
	bool is_named;
} sections[SCHEMA_SECTIONS] = {
	[SCHEMA_DAEMON] = { "daemon", false },
	[SCHEMA_HTTP] = { "http", false },
	[SCHEMA_STORE] = { "store", false },
	[SCHEMA_DEFAULTS] = { "defaults", false },
	[SCHEMA_REPOSITORY] = { "repository", true },
	[SCHEMA_PROBE] = { "probe", true },
	[SCHEMA_ALARM] = { "alarm", true },
	[SCHEMA_MUTE] = { "mute", true },
	[SCHEMA_NOTIFY] = { "notify", true },
	[SCHEMA_JOB] = { "job", true },
};

/* In the order of enum limit_storage, enum rule_sensitivity, … */
static const char *const storage_classes[] = { "auto", "flash", "array", "network", "disk", NULL };
static const char *const sensitivities[] = { "default", "quiet", "very-quiet", NULL };
static const char *const limit_modes[] = { "normal", "strict", NULL };
/* … and enum mute_mode from MUTE_MESSAGES on. */
static const char *const mute_modes[] = { "mute", "pause", NULL };

static const struct schema_key keys[] = {
	{
		.sections = IN(SCHEMA_DAEMON),
		.name = "state_directory",
		.help = "Where the history is kept.",
		.default_text = "/var/lib/repoprobe",
		.type = SCHEMA_PATH,
		.is_available = true,
		.offset = offsetof(struct source_daemon, state_directory),
	},
	{
		.sections = IN(SCHEMA_DAEMON),
		.name = "runtime_directory",
		.help = "Where the control socket is; auto: /run/repoprobe, or the state directory "
			"where that is not the default.",
		.default_text = "auto",
		.type = SCHEMA_PATH,
		.is_available = true,
		.takes_auto = true,
		.offset = offsetof(struct source_daemon, runtime_directory),
	},
	{
		.sections = IN(SCHEMA_DAEMON),
		.name = "parallel_runs",
		.help = "How many runs may go on at once.",
		.default_text = "2",
		.type = SCHEMA_COUNT,
		.is_available = true,
		.is_reloadable = true,
		.min = 1,
		.max = 64,
		.offset = offsetof(struct source_daemon, parallel_runs),
	},
	{
		.sections = IN(SCHEMA_DAEMON),
		.name = "log_level",
		.help = "The least urgent lines to log: error, warning, notice, info or debug.",
		.default_text = "info",
		.type = SCHEMA_LOG_LEVEL,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_daemon, log_level),
	},
	{
		.sections = IN(SCHEMA_HTTP),
		.name = "listen",
		.help = "Numeric addresses with ports, separated by commas; empty: no HTTP.",
		.default_text = "127.0.0.1:9847, [::1]:9847",
		.type = SCHEMA_ADDRESSES,
		.is_available = true,
		.offset = offsetof(struct source_http, listen),
	},
	{
		.sections = IN(SCHEMA_HTTP),
		.name = "allowed_hosts",
		.help = "Names by which browsers may reach it, beside localhost and the addresses above.",
		.default_text = "",
		.type = SCHEMA_HOSTS,
		.is_available = true,
		.offset = offsetof(struct source_http, allowed_hosts),
	},
	{
		.sections = IN(SCHEMA_HTTP),
		.name = "external_url",
		.help = "The dashboard's address as people outside see it, for example behind a proxy.",
		.default_text = "",
		.type = SCHEMA_URL,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_http, external_url),
	},
	{
		.sections = IN(SCHEMA_HTTP),
		.name = "max_connections",
		.help = "More connections than this at once are refused.",
		.default_text = "256",
		.type = SCHEMA_COUNT,
		.is_available = true,
		.min = 4,
		.max = 10000,
		.offset = offsetof(struct source_http, max_connections),
	},
	{ .sections = IN(SCHEMA_HTTP), .name = "tls_certificate_file" },
	{ .sections = IN(SCHEMA_HTTP), .name = "tls_key_file" },
	{ .sections = IN(SCHEMA_HTTP), .name = "token_file" },
	{ .sections = IN(SCHEMA_HTTP), .name = "histogram_detail" },
	{ .sections = IN(SCHEMA_HTTP), .name = "textfile" },
	{
		.sections = IN(SCHEMA_STORE),
		.name = "keep_runs",
		.help = "How long each run is kept; then its hour is what is left of it.",
		.default_text = "35d",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.min = HOUR_USEC,
		.max = KEEP_MAX_USEC,
		.offset = offsetof(struct source_store, keep_runs),
	},
	{
		.sections = IN(SCHEMA_STORE),
		.name = "keep_hours",
		.help = "How long the runs of each hour (UTC), merged, are kept; not shorter than runs.",
		.default_text = "400d",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.min = HOUR_USEC,
		.max = KEEP_MAX_USEC,
		.offset = offsetof(struct source_store, keep_hours),
	},
	{
		.sections = IN(SCHEMA_STORE),
		.name = "keep_days",
		.help = "How long the runs of each day (UTC), merged, are kept; not shorter than hours.",
		.default_text = "10y",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.min = HOUR_USEC,
		.max = KEEP_MAX_USEC,
		.offset = offsetof(struct source_store, keep_days),
	},
	{
		.sections = IN(SCHEMA_STORE),
		.name = "max_size",
		.help = "When the database is larger, the oldest runs go earlier, then hours, never days; 0: no bound.",
		.default_text = "2G",
		.type = SCHEMA_SIZE,
		.is_available = true,
		.is_reloadable = true,
		.max = UINT64_C(1) << 60,
		.offset = offsetof(struct source_store, max_size),
	},
	{
		.sections = IN(SCHEMA_REPOSITORY),
		.name = "path",
		.help = "The directory that backups are written to.",
		.type = SCHEMA_PATH,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, path),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "probe_directory",
		.help = "Where the probe file lies, on the repository's file system; auto: PATH/.repoprobe.",
		.default_text = "auto",
		.type = SCHEMA_PATH,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.offset = offsetof(struct source_repository, probe_directory),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "probes",
		.help = "What is run, separated by commas: names of [probe] sections or presets.",
		.default_text = "active-full, heartbeat",
		.type = SCHEMA_NAMES,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, probes),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "interval",
		.help = "The time from one run to the next (heartbeat: its own 1min unless its repository or "
			"probe says otherwise).",
		.default_text = "5min",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.min = USEC_PER_SEC,
		.max = INTERVAL_MAX_USEC,
		.offset = offsetof(struct source_repository, interval),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "schedule",
		.help = "Calendar times of the runs, instead of an interval, such as Mon..Fri 18:00; empty: none.",
		.default_text = "",
		.type = SCHEMA_CALENDAR,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, schedule),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "splay",
		.help = "How far runs are moved from the round time; auto: by name, anywhere in the interval, and not "
			"at all from the times of a schedule.",
		.default_text = "auto",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.max = INTERVAL_MAX_USEC,
		.offset = offsetof(struct source_repository, splay),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "require_mount",
		.help = "yes: nothing is written unless the path is a mount; auto: if it was one when first seen.",
		.default_text = "auto",
		.type = SCHEMA_BOOLEAN,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.offset = offsetof(struct source_repository, require_mount),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "expect_fstype",
		.help = "Nothing is written on a file system of another type, such as xfs or nfs; empty: any.",
		.default_text = "",
		.type = SCHEMA_WORD,
		.is_available = true,
		.is_reloadable = true,
		.max = 31,
		.offset = offsetof(struct source_repository, expect_fstype),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "expect_source",
		.help = "Nothing is written where something else is mounted: nas1:/export, /dev/…, UUID=…; empty: "
			"anything.",
		.default_text = "",
		.type = SCHEMA_WORD,
		.is_available = true,
		.is_reloadable = true,
		.max = IDENTITY_TEXT_MAX,
		.offset = offsetof(struct source_repository, expect_source),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "min_free",
		.help = "Nothing is written when less than this would stay free: a percentage or a size.",
		.default_text = "5%",
		.type = SCHEMA_FREE,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, min_free),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "keep_file",
		.help = "no: the probe file is removed after each run and laid out again for the next.",
		.default_text = "yes",
		.type = SCHEMA_BOOLEAN,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, keep_file),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "limit",
		.help = "Average latency above which a run counts as slow; auto: the preset's; 0: none.",
		.default_text = "auto",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.max = HOUR_USEC,
		.offset = offsetof(struct source_repository, limit),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "limit_critical",
		.help = "The same for critical; auto: the preset's with limit = auto, else twice limit.",
		.default_text = "auto",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.max = HOUR_USEC,
		.offset = offsetof(struct source_repository, limit_critical),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "daily_write_budget",
		.help = "The most that is written in a day, and a tenth of it at once; longer intervals keep to it; "
			"0: no bound.",
		.default_text = "50G",
		.type = SCHEMA_SIZE,
		.is_available = true,
		.is_reloadable = true,
		.max = UINT64_C(1) << 60,
		.offset = offsetof(struct source_repository, daily_write_budget),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "group",
		.help = "Repositories with the same word here are never probed at once; empty: none.",
		.default_text = "",
		.type = SCHEMA_LABEL,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_repository, group),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "when_busy",
		.help = "While others work on its disk: run, skip, or auto: run what moves at most 64M, skip the rest.",
		.default_text = "auto",
		.type = SCHEMA_WHEN_BUSY,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.offset = offsetof(struct source_repository, when_busy),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "storage_class",
		.help = "What limit = auto takes it for: auto (what is seen), flash, array, network or disk.",
		.default_text = "auto",
		.type = SCHEMA_CHOICE,
		.is_available = true,
		.is_reloadable = true,
		.choices = storage_classes,
		.offset = offsetof(struct source_repository, storage_class),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "limit_mode",
		.help = "normal: over the limit and unusual; strict: over the limit is enough.",
		.default_text = "normal",
		.type = SCHEMA_CHOICE,
		.is_available = true,
		.is_reloadable = true,
		.choices = limit_modes,
		.offset = offsetof(struct source_repository, limit_mode),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "sensitivity",
		.help = "How many of the newest runs must be bad: default 2 of 3, quiet 3 of 5, very-quiet 4 of 6.",
		.default_text = "default",
		.type = SCHEMA_CHOICE,
		.is_available = true,
		.is_reloadable = true,
		.choices = sensitivities,
		.offset = offsetof(struct source_repository, sensitivity),
	},
	{
		.sections = IN_REPOSITORIES,
		.name = "confirm_after",
		.help = "So long after a bad run it is repeated, to tell a moment from a trouble; 0: never.",
		.default_text = "60s, 120s",
		.type = SCHEMA_CONFIRMATIONS,
		.is_available = true,
		.is_reloadable = true,
		.min = USEC_PER_SEC,
		.max = HOUR_USEC,
		.offset = offsetof(struct source_repository, confirm_after),
	},
	{ .sections = IN_REPOSITORIES, .name = "notify" },
	{ .sections = IN_REPOSITORIES, .name = "ioprio" },
	{
		.sections = IN(SCHEMA_PROBE),
		.name = "interval",
		.help = "As in [defaults], for this probe alone.",
		.default_text = "5min",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.min = USEC_PER_SEC,
		.max = INTERVAL_MAX_USEC,
		.offset = offsetof(struct source_probe, interval),
	},
	{
		.sections = IN(SCHEMA_PROBE),
		.name = "schedule",
		.help = "As in [defaults], for this probe alone.",
		.default_text = "",
		.type = SCHEMA_CALENDAR,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_probe, schedule),
	},
	{
		.sections = IN(SCHEMA_PROBE),
		.name = "limit",
		.help = "As in [defaults], for this probe alone.",
		.default_text = "auto",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.max = HOUR_USEC,
		.offset = offsetof(struct source_probe, limit),
	},
	{
		.sections = IN(SCHEMA_PROBE),
		.name = "limit_critical",
		.help = "As in [defaults], for this probe alone.",
		.default_text = "auto",
		.type = SCHEMA_DURATION,
		.is_available = true,
		.is_reloadable = true,
		.takes_auto = true,
		.max = HOUR_USEC,
		.offset = offsetof(struct source_probe, limit_critical),
	},
	{ .sections = IN(SCHEMA_PROBE), .name = "kind" },
	{ .sections = IN(SCHEMA_ALARM), .name = "repository" },
	{ .sections = IN(SCHEMA_ALARM), .name = "probe" },
	{ .sections = IN(SCHEMA_ALARM), .name = "when" },
	{ .sections = IN(SCHEMA_ALARM), .name = "hold" },
	{ .sections = IN(SCHEMA_ALARM), .name = "clear" },
	{ .sections = IN(SCHEMA_ALARM), .name = "level" },
	{ .sections = IN(SCHEMA_ALARM), .name = "load" },
	{
		.sections = IN(SCHEMA_MUTE),
		.name = "repository",
		.help = "Repositories it is about, separated by commas; empty: all.",
		.default_text = "",
		.type = SCHEMA_LABELS,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_mute, repository),
	},
	{
		.sections = IN(SCHEMA_MUTE),
		.name = "when",
		.help = "When it holds, such as Mon..Fri 21:30-06:00 or Sat 02:00 for 6h.",
		.type = SCHEMA_MUTE_TIME,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_mute, when),
	},
	{
		.sections = IN(SCHEMA_MUTE),
		.name = "mode",
		.help = "mute: nobody is told; pause: not probed either.",
		.default_text = "mute",
		.type = SCHEMA_CHOICE,
		.choices = mute_modes,
		.is_available = true,
		.is_reloadable = true,
		.offset = offsetof(struct source_mute, mode),
	},
	{
		.sections = IN(SCHEMA_MUTE),
		.name = "reason",
		.help = "Why, for all who look at it.",
		.default_text = "",
		.type = SCHEMA_TEXT,
		.is_available = true,
		.is_reloadable = true,
		.max = MUTE_REASON_MAX,
		.offset = offsetof(struct source_mute, reason),
	},
	{ .sections = IN(SCHEMA_NOTIFY), .name = "type" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "command" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "url" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "secret_file" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "to" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "from" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "server" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "user" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "password_file" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "level" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "quiet" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "group_wait" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "repeat" },
	{ .sections = IN(SCHEMA_NOTIFY), .name = "max_age" },
};

const char *schema_section_name(enum schema_section section)
{
	return sections[section].name;
}

bool schema_section_is_named(enum schema_section section)
{
	return sections[section].is_named;
}

bool schema_section_is_available(enum schema_section section)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i].is_available && schema_key_is_in(&keys[i], section))
			return true;
	return false;
}

bool schema_section_find(const char *name, enum schema_section *ret)
{
	for (size_t i = 0; i < COUNT(sections); i++) {
		if (strcmp(sections[i].name, name) == 0) {
			*ret = (enum schema_section)i;
			return true;
		}
	}
	return false;
}

const char *schema_section_suggest(const char *name)
{
	const char *names[SCHEMA_SECTIONS];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(sections); i++)
		if (schema_section_is_available((enum schema_section)i))
			names[count++] = sections[i].name;
	return parse_suggest(name, names, count);
}

void schema_section_title(struct buf *b, enum schema_section section, const char *name)
{
	if (name)
		buf_printf(b, "[%s %s]", sections[section].name, name);
	else
		buf_printf(b, "[%s]", sections[section].name);
}

const struct schema_key *schema_key_at(size_t i)
{
	return i < COUNT(keys) ? &keys[i] : NULL;
}

const struct schema_key *schema_find(enum schema_section section, const char *name)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (schema_key_is_in(&keys[i], section) && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

int schema_find_option(const char *name)
{
	for (int i = 0; i < SOURCE_OPTIONS_MAX; i++) {
		const struct workload_option *option = workload_option_at((size_t)i);

		if (!option)
			break;
		if (strcmp(option->key, name) == 0)
			return i;
	}
	return -1;
}

const char *schema_suggest(enum schema_section section, const char *name)
{
	const char *names[CANDIDATES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(keys) && count < COUNT(names); i++)
		if (keys[i].is_available && schema_key_is_in(&keys[i], section))
			names[count++] = keys[i].name;
	if (section == SCHEMA_PROBE) {
		const struct workload_option *option = workload_option_at(0);

		for (size_t i = 1; option && count < COUNT(names); i++) {
			if (option->is_available)
				names[count++] = option->key;
			option = workload_option_at(i);
		}
	}
	return parse_suggest(name, names, count);
}

bool schema_find_elsewhere(const char *name, enum schema_section *ret)
{
	for (size_t i = 0; i < SCHEMA_SECTIONS; i++) {
		const struct schema_key *key = schema_find((enum schema_section)i, name);

		if (key && key->is_available) {
			*ret = (enum schema_section)i;
			return true;
		}
	}
	const struct workload_option *option = workload_option_find(name);
	if (!option || !option->is_available)
		return false;
	*ret = SCHEMA_PROBE;
	return true;
}

struct source_value *schema_value(const struct schema_key *key, void *section)
{
	void *value = (char *)section + key->offset;

	return value;
}

const struct source_value *schema_value_const(const struct schema_key *key, const void *section)
{
	const void *value = (const char *)section + key->offset;

	return value;
}
