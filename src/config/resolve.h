/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance: [probe] over [repository] over preset over [defaults]. Private to src/config. */
#ifndef REPOPROBE_CONFIG_RESOLVE_H
#define REPOPROBE_CONFIG_RESOLVE_H

#include "config/config.h"
#include "config/issues.h"
#include "config/source.h"

/* What the source comes to; the config owns the source on success. What does not fit together goes
 * to issues. Returns 0, also with issues (the config is then of no use), or -ENOMEM. */
int resolve_config(struct source *source, struct issues *issues, struct config **ret);

/* The directories of [daemon]; a state directory that is not given, or in error, is default_state
 * (NULL: the schema's default). Returns 0 and copies, or -ENOMEM. */
int resolve_places(
	const struct source_daemon *daemon, const char *default_state, struct config_places *ret);

/* Who says what about one probe of one repository. */
struct resolver {
	struct source *source;
	struct issues *issues;
	const struct source_repository *repository;
	const struct source_probe *probe; /* NULL: a preset by its own name */
	const struct workload_preset *preset; /* these two: set by resolve_probes */
};

/* What a [probe] section comes to, into its workload. */
void resolve_workload(struct source_probe *probe, struct issues *issues);

/* The probes of the resolver's repository. Returns 0 or -ENOMEM. */
int resolve_probes(struct resolver *p, struct config_repository *ret);

/* What bounds the runs of the resolver's repository, whose probes are resolved: the budget, group,
 * when_busy, confirm_after. Returns 0 or -ENOMEM. */
int resolve_bounds(struct resolver *p, struct config_repository *ret);

/* The [alarm] sections; repositories and their probes are resolved. Returns 0 or -ENOMEM. */
int resolve_alarms(struct source *source, struct issues *issues, struct config *config);

/* A list's entries, copied for the config. Returns 0 or -ENOMEM. */
int resolve_items(const struct source_value *v, char ***ret, size_t *ret_count);

/* A copy that the config owns. Returns 0 or -ENOMEM. */
int resolve_copy(char **ret, const char *text);

/* A value that could not be read was told about; its text is missing. */
static inline const char *resolve_text(const struct source_value *v)
{
	return v->text ? v->text : "";
}

/* A key of [repository], else of [defaults], which has them all. */
static inline const struct source_value *resolve_inherit(
	const struct source_value *own, const struct source_value *fallback)
{
	return own->is_given ? own : fallback;
}

#endif
