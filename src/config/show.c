/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration as a configuration file: every section with its effective values.
 * Those of each probe at its repository are in comments, because they may be inherited. */
#include <string.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/schema.h"
#include "config/source.h"

/* Which keys are shown at a level where they are not given. */
enum completeness {
	SHOW_GIVEN,
	SHOW_ALL,
};

static void show_value(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, "%s =%s%s\n", name, *text ? " " : "", text);
}

/* The default interval beside a schedule has no effect, and a file with both would be refused. */
static bool is_idle_interval(
	const struct schema_key *key, enum schema_section section, const void *base)
{
	const struct schema_key *schedule = schema_find(section, "schedule");

	return schedule && strcmp(key->name, "interval") == 0 &&
		schema_value_const(schedule, base)->calendar;
}

static void show_section(struct buf *b, enum schema_section section, const void *base,
	enum completeness completeness)
{
	const struct schema_key *key = schema_key_at(0);

	for (size_t i = 1; key; key = schema_key_at(i++)) {
		if (!key->is_available || !schema_key_is_in(key, section))
			continue;
		const struct source_value *v = schema_value_const(key, base);
		bool is_default_shown =
			completeness == SHOW_ALL && !is_idle_interval(key, section, base);
		if (v->text && (v->is_given || is_default_shown))
			show_value(b, key->name, v->text);
	}
}

static void show_daemon(struct buf *b, const struct config *config)
{
	const struct source_daemon *daemon = &config->source->daemon;

	buf_add_text(b, "\n[daemon]\n");
	show_value(b, "state_directory", config->state_directory);
	show_value(b, "runtime_directory", config->runtime_directory);
	show_value(b, "parallel_runs", daemon->parallel_runs.text);
	show_value(b, "log_level", daemon->log_level.text);
}

static void show_probe(struct buf *b, const struct source_probe *probe)
{
	const struct workload_option *option = workload_option_at(0);

	buf_printf(b, "\n[probe %s]\n", probe->section.name);
	for (size_t i = 1; option; option = workload_option_at(i++)) {
		if (!option->is_available)
			continue;
		buf_printf(b, "%s = ", option->key);
		(void)workload_get(&probe->workload, option->key, b); /* the key exists */
		buf_add_char(b, '\n');
	}
	show_section(b, SCHEMA_PROBE, probe, SHOW_GIVEN);
}

static void describe_limit(struct buf *b, const struct config_probe *probe)
{
	if (probe->limit.limit_nsec == 0) {
		buf_printf(b, "no limit (%s)", probe->limit_reason);
		return;
	}
	buf_add_text(b, "limit ");
	format_duration(b, probe->limit.limit_nsec / NSEC_PER_USEC);
	if (probe->limit.limit_critical_nsec > 0) {
		buf_add_text(b, ", critical ");
		format_duration(b, probe->limit.limit_critical_nsec / NSEC_PER_USEC);
	}
	buf_printf(b, " (%s)", probe->limit_reason);
}

static void describe_probe(struct buf *b, const struct config_probe *probe)
{
	buf_printf(b, "# %s: ", probe->name);
	if (probe->schedule) {
		buf_printf(b, "at %s", calendar_text(probe->schedule));
	} else {
		buf_add_text(b, "every ");
		format_duration(b, probe->interval_usec);
		if (probe->interval_usec != probe->asked_interval_usec) {
			buf_add_text(b, " (not ");
			format_duration(b, probe->asked_interval_usec);
			buf_add_text(b, ": daily_write_budget)");
		}
	}
	buf_add_text(b, "; ");
	workload_describe(&probe->workload, b);
	buf_add_text(b, "; ");
	describe_limit(b, probe);
	buf_add_char(b, '\n');
}

static void describe_day(struct buf *b, const struct config_repository *repository)
{
	uint64_t written;
	uint64_t read;

	config_daily_bytes(repository, &written, &read);
	buf_add_text(b, "# a day: ");
	if (written == UINT64_MAX)
		buf_add_text(b, "no bound");
	else
		format_size_rounded(b, written);
	buf_add_text(b, " written, ");
	if (read == UINT64_MAX)
		buf_add_text(b, "no bound");
	else
		format_size_rounded(b, read);
	buf_add_text(b, " read\n");
}

/* Its own keys, and of [defaults] those that are not also a probe's: shown here, these would no
 * longer be inherited. */
static void show_repository(
	struct buf *b, const struct config *config, const struct config_repository *repository)
{
	const struct source *source = config->source;
	const struct source_repository *own =
		source_repository_at(source, (size_t)(repository - config->repositories));
	const struct schema_key *key = schema_key_at(0);

	buf_printf(b, "\n[repository %s]\n", repository->name);
	for (size_t i = 0; i < repository->probe_count; i++)
		describe_probe(b, &repository->probes[i]);
	describe_day(b, repository);
	for (size_t i = 1; key; key = schema_key_at(i++)) {
		if (!key->is_available || !schema_key_is_in(key, SCHEMA_REPOSITORY))
			continue;
		const struct source_value *v = schema_value_const(key, own);
		bool is_probes_too = schema_find(SCHEMA_PROBE, key->name) != NULL;
		if (!v->is_given && !is_probes_too)
			v = schema_value_const(key, &source->defaults);
		if (v->text)
			show_value(b, key->name, v->text);
	}
}

/* A file's name may contain a line break. */
static void show_file(struct buf *b, const char *name)
{
	buf_add_text(b, "# from ");
	size_t start = b->len;
	buf_add_text(b, name);
	if (b->error == 0)
		b->len = start + utf8_clean_line(b->data + start);
	buf_add_char(b, '\n');
}

static void show_alarm(struct buf *b, const struct source_alarm *alarm)
{
	buf_printf(b, "\n[alarm %s]\n", alarm->section.name);
	show_section(b, SCHEMA_ALARM, alarm, SHOW_GIVEN);
}

static void show_mute(struct buf *b, const struct source_mute *mute)
{
	buf_printf(b, "\n[mute %s]\n", mute->section.name);
	show_section(b, SCHEMA_MUTE, mute, SHOW_GIVEN);
}

void config_show(const struct config *config, struct buf *b)
{
	const struct source *source = config->source;

	buf_add_text(b, "# The effective configuration\n");
	for (size_t i = 0; i < config->file_count; i++)
		show_file(b, config->files[i]);
	show_daemon(b, config);
	buf_add_text(b, "\n[http]\n");
	show_section(b, SCHEMA_HTTP, &source->http, SHOW_ALL);
	buf_add_text(b, "\n[store]\n");
	show_section(b, SCHEMA_STORE, &source->store, SHOW_ALL);
	buf_add_text(b, "\n[defaults]\n");
	show_section(b, SCHEMA_DEFAULTS, &source->defaults, SHOW_ALL);
	for (size_t i = 0; i < source->probes.count; i++)
		show_probe(b, source_probe_at(source, i));
	for (size_t i = 0; i < config->repository_count; i++)
		show_repository(b, config, &config->repositories[i]);
	for (size_t i = 0; i < source->alarms.count; i++)
		show_alarm(b, source_alarm_at(source, i));
	for (size_t i = 0; i < source->mutes.count; i++)
		show_mute(b, source_mute_at(source, i));
}
