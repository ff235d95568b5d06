/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance: [probe] over [repository] over preset over [defaults]. Private to src/config. */
#ifndef REPOPROBE_CONFIG_RESOLVE_H
#define REPOPROBE_CONFIG_RESOLVE_H

#include "config/config.h"
#include "config/issues.h"
#include "config/source.h"

/* Resolves the source; the config owns the source on success. Inconsistencies are added to issues.
 * Returns 0, also with issues (the config is then unusable), or -ENOMEM. */
int resolve_config(struct source *source, struct issues *issues, struct config **ret);

/* The directories of [daemon]; a state directory that is missing or in error is default_state
 * (NULL: the schema's default). Returns 0 and copies, or -ENOMEM. */
int resolve_places(
	const struct source_daemon *daemon, const char *default_state, struct config_places *ret);

/* The levels at which one probe of one repository is configured. */
struct resolver {
	struct source *source;
	struct issues *issues;
	const struct source_repository *repository;
	const struct source_probe *probe; /* NULL: a preset used by its name */
	const struct workload_preset *preset; /* these two are set by resolve_probes */
};

/* Resolves a [probe] section into its workload. */
void resolve_workload(struct source_probe *probe, struct issues *issues);

/* The probes of the resolver's repository. Returns 0 or -ENOMEM. */
int resolve_probes(struct resolver *p, struct config_repository *ret);

/* The bounds on the runs of the resolver's repository, whose probes are resolved: the budget,
 * group, when_busy, confirm_after. Returns 0 or -ENOMEM. */
int resolve_bounds(struct resolver *p, struct config_repository *ret);

/* The [alarm] sections; requires resolved repositories and probes. Returns 0 or -ENOMEM. */
int resolve_alarms(struct source *source, struct issues *issues, struct config *config);

/* A list's entries, copied for the config. Returns 0 or -ENOMEM. */
int resolve_items(const struct source_value *v, char ***ret, size_t *ret_count);

/* A copy that the config owns. Returns 0 or -ENOMEM. */
int resolve_copy(char **ret, const char *text);

/* Empty for a value that could not be read, which was reported. */
static inline const char *resolve_text(const struct source_value *v)
{
	return v->text ? v->text : "";
}

/* The value of a key in [repository], else in [defaults], which has all of them. */
static inline const struct source_value *resolve_inherit(
	const struct source_value *own, const struct source_value *fallback)
{
	return own->is_given ? own : fallback;
}

#endif
