/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration: one immutable struct, or all errors at once as "file:line: message".
 * Inheritance ([probe] over [repository] over preset over [defaults]) is resolved inside; other
 * folders do not see sections. */
#ifndef REPOPROBE_CONFIG_CONFIG_H
#define REPOPROBE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/limit.h"
#include "base/log.h"
#include "model/job.h"
#include "model/mute.h"
#include "model/rule.h"
#include "model/workload.h"

struct buf;
struct calendar;
struct custom_rule;
struct mute_time;
struct source;

#define CONFIG_REPOSITORIES_MAX 1000
#define CONFIG_PROBES_MAX 32 /* per repository */
#define CONFIG_PARALLEL_MAX 64 /* of parallel_runs */
#define CONFIG_LIST_MAX 64 /* entries of a list value */
#define CONFIG_CONFIRMATIONS_MAX 2

/* What happens to a run that is due while others work on its disk. */
enum config_when_busy {
	CONFIG_BUSY_AUTO, /* runs if it moves at most CONFIG_BUSY_BYTES, else skipped */
	CONFIG_BUSY_RUN,
	CONFIG_BUSY_SKIP,
};
#define CONFIG_BUSY_BYTES (UINT64_C(64) << 20)

struct config_probe {
	char *name;
	struct workload workload;
	uint64_t interval_usec; /* with a schedule: on average, at least 1 s; the effective one: */
	uint64_t asked_interval_usec; /* as configured; daily_write_budget may lengthen it */
	const struct calendar *schedule; /* NULL: the interval applies; lent by the source below */
	struct rule_limit limit;
	bool is_critical_given; /* by a number; otherwise limit = auto may raise it too */
	char *limit_reason; /* "preset active-full", "15ms given in [repository nas1]" */
};

struct config_repository {
	char *name;
	char *path; /* absolute, without trailing slash */
	char *probe_directory; /* absolute, or "" for PATH/.repoprobe */
	bool is_mount_auto; /* required if it was one at first sight */
	bool requires_mount; /* if not auto, else false */
	char *expect_fstype; /* NULL, "": any */
	char *expect_source; /* as mounted, a device by any name, or UUID=…; NULL, "": any */
	uint64_t min_free_bytes;
	uint8_t min_free_percent;
	bool keep_file;
	bool is_splay_auto;
	uint64_t splay_usec; /* if not auto, else 0; may be longer than an interval */
	/* The largest file_size of its probes; 0: from the free space, if one of them leaves it
	 * open and none asks for more than WORKLOAD_FILE_SIZE_DEFAULT. */
	uint64_t file_target_bytes;
	uint64_t daily_write_budget_bytes; /* 0: none */
	char *group; /* "": none */
	enum config_when_busy when_busy;
	enum limit_storage storage; /* the storage assumed by limit = auto */
	enum rule_sensitivity sensitivity;
	bool is_limit_strict;
	size_t confirmation_count; /* 0: no confirming runs */
	uint64_t confirm_after_usec[CONFIG_CONFIRMATIONS_MAX];
	size_t probe_count;
	struct config_probe *probes;
};

struct config_store {
	uint64_t keep_runs_usec;
	uint64_t keep_hours_usec; /* at least this long */
	uint64_t keep_days_usec; /* at least this long */
	uint64_t max_bytes; /* 0: no bound */
};

/* A user-defined alarm in addition to the built-in rules. */
struct config_alarm {
	char *name;
	size_t repository_count; /* 0: all */
	char **repositories;
	size_t probe_count; /* 0: all */
	char **probes;
	const struct custom_rule *rule; /* lent by the source below */
};

/* A recurring mute. */
struct config_mute {
	char *name;
	size_t repository_count; /* 0: all */
	char **repositories;
	const struct mute_time *when; /* lent by the source below */
	enum mute_mode mode;
	char *reason; /* "" when not given */
};

struct config {
	char *state_directory;
	char *runtime_directory;
	uint32_t parallel_runs;
	enum log_level log_level;
	size_t listen_count;
	char **listen; /* "127.0.0.1:9847", "[::1]:9847", "unix:PATH" is not in this version */
	size_t allowed_host_count; /* in addition to localhost and the listen addresses */
	char **allowed_hosts;
	uint32_t max_connections;
	char *external_url; /* "" when not set */
	struct config_store store;
	size_t repository_count;
	struct config_repository *repositories; /* in order of appearance */
	size_t mute_count;
	struct config_mute *mutes; /* in order of appearance */
	size_t alarm_count;
	struct config_alarm *alarms; /* likewise */
	size_t file_count; /* the files that were read, for messages */
	char **files;
	struct source *source; /* the values before inheritance, for config_show only */
};

/* Values from the command line; they override the files. NULL and 0 mean "not given". Relative
 * paths start at the working directory. */
struct config_overrides {
	const char *state_directory;
	const char *const *listen; /* NULL: not given; an empty list switches HTTP off */
	size_t listen_count;
	const char *const *repositories; /* "NAME=PATH" */
	size_t repository_count;
};

#define CONFIG_ERRORS_MAX 50

/* Every error found, in file order, each "FILE:LINE: message" (or "--repository: message"). LINE is
 * absent when no line is at fault, as for a file that cannot be read. */
struct config_errors {
	size_t count; /* found, including those beyond the maximum */
	char *lines[CONFIG_ERRORS_MAX];
	char *marks[CONFIG_ERRORS_MAX]; /* the value with a ^ below the error; or NULL */
};

void config_errors_done(struct config_errors *errors);

/* Reads PATH, then the files ending in .conf of PATH's directory's conf.d, in name order. A missing
 * file is an error only if is_file_required. Returns 0 and a config to free, -EINVAL with errors,
 * or -ENOMEM. */
int config_load(const char *path, bool is_file_required, const struct config_overrides *overrides,
	struct config **ret, struct config_errors *errors);

/* The same from a text in memory; name is the file name in messages, there is no conf.d. */
int config_load_text(const char *name, const char *text, size_t len,
	const struct config_overrides *overrides, struct config **ret,
	struct config_errors *errors);

/* Finds repositories at impossible places, by their paths and a text of /proc/self/mountinfo, and
 * probe directories that would contain the repository. found: for each repository what a worker
 * found wrong with its probe directory, or NULL; the whole array may be NULL. Returns 0, -EINVAL
 * with errors, or -ENOMEM. */
int config_check_places(const struct config *config, const char *mountinfo,
	const char *const *found, struct config_errors *errors);

struct config *config_free(struct config *config); /* accepts NULL, returns NULL */

/* Where the daemon keeps files that other programs look for. */
struct config_places {
	char *state_directory;
	char *runtime_directory;
};

/* Reads the same files and command line for these directories only: errors elsewhere are ignored,
 * and a directory that is in error or cannot be read counts as not given. Without a state directory
 * it is default_state (NULL: the usual one). Returns 0 and texts to free, or -ENOMEM. */
int config_load_places(const char *path, const struct config_overrides *overrides,
	const char *default_state, struct config_places *ret);

void config_places_done(struct config_places *places);

/* The default path: SYSCONFDIR/repoprobe/repoprobe.conf. */
const char *config_default_path(void);

/* The effective configuration as text that config_load accepts, secrets hidden. The effective
 * values of each probe at its repository, and the bytes per day, are in comments. */
void config_show(const struct config *config, struct buf *b);

/* The most bytes that a day of probing writes and reads on one repository; UINT64_MAX when a
 * probe's run is bounded by time alone. Excludes the layout of the probe file, unless each run
 * repeats it (keep_file = no). Scheduled runs count by their average over the years. */
void config_daily_bytes(
	const struct config_repository *repository, uint64_t *ret_written, uint64_t *ret_read);

/* Bytes written per day if daily_write_budget had not lengthened intervals. */
uint64_t config_asked_bytes(const struct config_repository *repository);

/* A sentence on how the budget changes the configured intervals, or nothing. */
void config_describe_stretch(const struct config_repository *repository, struct buf *b);

/* NULL when there is none. Lent. */
const struct config_repository *config_find_repository(
	const struct config *config, const char *name);
/* Appends a line for each probe of the alarm whose hold window has too few I/Os for its percentile;
 * nothing if it can be judged everywhere. */
void config_describe_silence(
	const struct config *config, const struct config_alarm *alarm, struct buf *b);

/* Whether the alarm applies to this probe. */
bool config_alarm_applies(
	const struct config_alarm *alarm, const char *repository, const char *probe);
const struct config_probe *config_find_probe(
	const struct config_repository *repository, const char *name);

/* Changes that a reload cannot make: the first such key that differs (state_directory,
 * runtime_directory, listen, allowed_hosts, max_connections), or NULL. Lent static text. */
const char *config_restart_needed(const struct config *old_config, const struct config *new_config);

#endif
