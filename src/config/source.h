/* SPDX-License-Identifier: Apache-2.0 */
/* The content of the files, section by section, before inheritance: values that are well-formed
 * individually, with their places. Private to src/config. */
#ifndef REPOPROBE_CONFIG_SOURCE_H
#define REPOPROBE_CONFIG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/custom.h"
#include "config/config.h"
#include "config/issues.h"
#include "config/schema.h"
#include "model/workload.h"

struct buf;
struct calendar;
struct mute_time;

#define SOURCE_OPTIONS_MAX 32 /* maximum number of workload options of the model */
#define SOURCE_SECTIONS_MAX CONFIG_REPOSITORIES_MAX /* of each named kind */

struct source_value {
	bool is_given; /* else it has its default, or nothing in [repository] and [probe] */
	struct issue_place place;
	char *text; /* in a form that can be written back */
	bool is_auto; /* "auto", if the key accepts it */
	bool is_percent; /* number is a percentage, not bytes */
	struct calendar *calendar; /* NULL: none */
	struct mute_time *mute_time; /* likewise */
	uint64_t number; /* count, bytes, microseconds, 0 or 1, enum log_level */
	size_t item_count;
	char **items;
};

/* Each section's struct begins with this. */
struct source_section {
	bool is_given;
	char *name; /* NULL where the section has none */
	struct issue_place place;
};

struct source_daemon {
	struct source_section section;
	struct source_value state_directory;
	struct source_value runtime_directory;
	struct source_value parallel_runs;
	struct source_value log_level;
};

struct source_http {
	struct source_section section;
	struct source_value listen;
	struct source_value allowed_hosts;
	struct source_value external_url;
	struct source_value max_connections;
};

struct source_store {
	struct source_section section;
	struct source_value keep_runs;
	struct source_value keep_hours;
	struct source_value keep_days;
	struct source_value max_size;
};

/* [defaults] and [repository NAME]; only the latter has a path. */
struct source_repository {
	struct source_section section;
	struct source_value path;
	struct source_value probe_directory;
	struct source_value probes;
	struct source_value interval;
	struct source_value schedule;
	struct source_value splay;
	struct source_value require_mount;
	struct source_value expect_fstype;
	struct source_value expect_source;
	struct source_value min_free;
	struct source_value keep_file;
	struct source_value limit;
	struct source_value limit_critical;
	struct source_value daily_write_budget;
	struct source_value group;
	struct source_value when_busy;
	struct source_value confirm_after;
	struct source_value storage_class;
	struct source_value limit_mode;
	struct source_value sensitivity;
};

struct source_probe {
	struct source_section section;
	struct source_value interval;
	struct source_value schedule;
	struct source_value limit;
	struct source_value limit_critical;
	struct source_value options[SOURCE_OPTIONS_MAX]; /* indexed as workload_option_at */
	struct workload workload; /* the preset with these options, once resolved */
};

struct source_alarm {
	struct source_section section;
	struct source_value repository;
	struct source_value probe;
	struct source_value when;
	struct source_value hold;
	struct source_value clear;
	struct source_value level;
	struct source_value load;
	struct custom_rule rule; /* all of these, once resolved */
};

struct source_mute {
	struct source_section section;
	struct source_value repository;
	struct source_value when;
	struct source_value mode;
	struct source_value reason;
};

/* The sections of one named kind, in order of appearance. */
struct source_list {
	size_t count;
	size_t capacity;
	void *sections;
};

struct source {
	size_t file_count;
	char **files; /* referenced by places */
	struct source_daemon daemon;
	struct source_http http;
	struct source_store store;
	struct source_repository defaults;
	struct source_list repositories;
	struct source_list probes;
	struct source_list mutes;
	struct source_list alarms;
};

struct source *source_new(void); /* with all defaults; NULL when memory is short */
struct source *source_free(struct source *source); /* accepts NULL, returns NULL */

/* Reads one file's text. All errors are added to issues, including a lack of memory. */
void source_read(struct source *source, const char *file_name, const char *text, size_t len,
	struct issues *issues);

/* Puts the command line's values over those of the files. */
void source_override(
	struct source *source, const struct config_overrides *overrides, struct issues *issues);

/* Stores a file's name; the lent copy is for places. NULL when memory is short. */
const char *source_add_file(struct source *source, const char *name);

/* The section of that kind and name: the existing one, or a new one with that place. For a kind
 * without names the only one. Lent until the next is added. Returns 0, -ENOBUFS when there are too
 * many, or -ENOMEM. */
int source_open_section(struct source *source, enum schema_section kind, const char *name,
	const struct issue_place *place, struct source_section **ret);

/* Lent in the same way; NULL when there is none of that name. */
struct source_probe *source_find_probe(struct source *source, const char *name);

/* i must be below the count of the list. */
static inline struct source_repository *source_repository_at(const struct source *source, size_t i)
{
	return (struct source_repository *)source->repositories.sections + i;
}

static inline struct source_probe *source_probe_at(const struct source *source, size_t i)
{
	return (struct source_probe *)source->probes.sections + i;
}

static inline struct source_alarm *source_alarm_at(const struct source *source, size_t i)
{
	return (struct source_alarm *)source->alarms.sections + i;
}

static inline struct source_mute *source_mute_at(const struct source *source, size_t i)
{
	return (struct source_mute *)source->mutes.sections + i;
}

#endif
