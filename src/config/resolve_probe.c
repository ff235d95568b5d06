/* SPDX-License-Identifier: Apache-2.0 */
/* Probes: resolves workload, interval or schedule, and limit from the levels that may set them. */
#include "config/resolve.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "config/schema.h"

/* For presets with this interval the general default applies. */
#define INTERVAL_DEFAULT_USEC (300 * USEC_PER_SEC)
#define REASON_MAX 512
#define SHOWN 80 /* bytes of a bad value in a message */
#define LEVELS 3 /* [probe], [repository], [defaults] */

static const struct source_value *first_given(
	const struct source_value *const *levels, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (levels[i] && levels[i]->is_given)
			return levels[i];
	return NULL;
}

static const struct source_value *preset_value(const struct source_probe *probe)
{
	return &probe->options[schema_find_option("preset")];
}

/* The preset it names, else the one whose name it has, else the default. */
static const struct workload_preset *find_preset(const struct source_probe *probe)
{
	const struct source_value *given = preset_value(probe);
	const struct workload_preset *preset =
		workload_preset_find(given->text ? given->text : probe->section.name);

	return preset ? preset : workload_preset_default();
}

/* Sets the options in the model's order (the timeout after the duration that changes it), and
 * checks the whole. An error is reported at the option that caused it. */
void resolve_workload(struct source_probe *probe, struct issues *issues)
{
	const struct source_value *preset = preset_value(probe);
	struct workload *w = &probe->workload;
	const struct issue_place *culprit = &probe->section.place;
	struct error error = { 0 };
	bool was_good = true;

	*w = find_preset(probe)->workload;
	for (size_t i = 0; i < SOURCE_OPTIONS_MAX; i++) {
		const struct source_value *v = &probe->options[i];

		if (v == preset || !v->text)
			continue;
		int r = workload_set(w, workload_option_at(i)->key, v->text, &error);
		if (r < 0) {
			issues_add_failure(issues, &v->place, r, error.text);
			return;
		}
		bool is_good = workload_check(w, NULL) == 0;
		if (was_good && !is_good)
			culprit = &v->place;
		was_good = is_good;
	}
	int r = workload_check(w, &error);
	if (r < 0)
		issues_add_failure(issues, culprit, r, error.text);
}

/* The settings of one level for when a probe runs. */
struct timing {
	const struct source_value *schedule;
	const struct source_value *interval;
};

static uint64_t average_interval(const struct calendar *schedule)
{
	const uint64_t usec = UINT64_C(86400) * USEC_PER_SEC * CALENDAR_COUNT_DAYS;

	return usec / calendar_count(schedule); /* which is not 0, and at most one a second */
}

static void refuse_both(const struct resolver *p, const struct timing *t)
{
	issues_add(p->issues, &t->schedule->place,
		"schedule: %.*s and interval: %.*s are given in one section; expected one of them",
		SHOWN, t->schedule->text, SHOWN, resolve_text(t->interval));
}

/* The nearest level that sets one of them decides; a preset's own interval comes before that of
 * [defaults] only. An empty schedule cancels one from a farther level. */
static void resolve_timing(const struct resolver *p, struct config_probe *ret)
{
	const struct source_repository *defaults = &p->source->defaults;
	static const struct source_value nothing; /* for a preset used by its name */
	const struct timing levels[] = {
		{ p->probe ? &p->probe->schedule : &nothing,
			p->probe ? &p->probe->interval : &nothing },
		{ &p->repository->schedule, &p->repository->interval },
		{ &defaults->schedule, &defaults->interval },
	};
	bool is_out_of_force = false;

	for (size_t i = 0; i < LEVELS; i++) {
		const struct timing *t = &levels[i];
		bool is_last = i + 1 == LEVELS;

		if (t->schedule->calendar && t->interval->is_given)
			refuse_both(p, t);
		if (t->schedule->calendar && !is_out_of_force) {
			ret->schedule = t->schedule->calendar;
			ret->interval_usec = average_interval(ret->schedule);
			return;
		}
		if (t->interval->is_given && !is_last) {
			ret->interval_usec = t->interval->number;
			return;
		}
		is_out_of_force = is_out_of_force || t->schedule->is_given;
	}
	ret->interval_usec = p->preset->interval_usec != INTERVAL_DEFAULT_USEC
		? p->preset->interval_usec
		: defaults->interval.number;
}

/* "15ms given in [repository nas1]" */
static void describe_origin(const struct resolver *p, const struct source_value *v,
	const struct source_value *const *levels, struct buf *b)
{
	static const enum schema_section sections[LEVELS] = { SCHEMA_PROBE, SCHEMA_REPOSITORY,
		SCHEMA_DEFAULTS };
	const char *const names[LEVELS] = { p->probe ? p->probe->section.name : NULL,
		p->repository->section.name, NULL };

	format_duration(b, v->number);
	for (size_t i = 0; i < LEVELS; i++) {
		if (levels[i] != v)
			continue;
		buf_add_text(b, " given in ");
		schema_section_title(b, sections[i], names[i]);
	}
}

static void refuse_critical(const struct resolver *p, const struct source_value *critical,
	uint64_t limit_usec, const char *reason)
{
	struct buf limit = BUF_INIT(64);

	format_duration(&limit, limit_usec);
	issues_add(p->issues, &critical->place,
		"limit_critical: %.*s is below the limit %s (%s) in [repository %s]; expected at least that",
		SHOWN, resolve_text(critical), buf_text(&limit), reason,
		p->repository->section.name);
	buf_done(&limit);
}

static int resolve_limit(const struct resolver *p, struct config_probe *ret)
{
	const struct source_repository *defaults = &p->source->defaults;
	const struct source_value *const limits[LEVELS] = {
		p->probe ? &p->probe->limit : NULL,
		&p->repository->limit,
		&defaults->limit,
	};
	const struct source_value *const criticals[LEVELS] = {
		p->probe ? &p->probe->limit_critical : NULL,
		&p->repository->limit_critical,
		&defaults->limit_critical,
	};
	const struct source_value *limit = first_given(limits, LEVELS);
	const struct source_value *critical = first_given(criticals, LEVELS);
	struct buf reason = BUF_INIT(REASON_MAX);
	bool is_auto = !limit || limit->is_auto;
	uint64_t limit_usec = is_auto ? p->preset->limit_usec : limit->number;
	uint64_t critical_usec = is_auto ? p->preset->limit_critical_usec : limit_usec * 2;

	ret->is_critical_given = critical && critical->text && !critical->is_auto;
	if (ret->is_critical_given)
		critical_usec = critical->number;
	ret->limit.is_auto = is_auto;
	if (is_auto)
		buf_printf(&reason, "preset %s", p->preset->name);
	else
		describe_origin(p, limit, limits, &reason);
	if (critical && critical_usec > 0 && critical_usec < limit_usec)
		refuse_critical(p, critical, limit_usec, buf_text(&reason));
	ret->limit.limit_nsec = limit_usec * NSEC_PER_USEC;
	ret->limit.limit_critical_nsec = limit_usec > 0 ? critical_usec * NSEC_PER_USEC : 0;
	ret->limit.is_auto = is_auto;
	return buf_take(&reason, &ret->limit_reason, NULL);
}

static int resolve_probe(struct resolver *p, const char *name, struct config_probe *ret)
{
	p->preset = p->probe ? find_preset(p->probe) : workload_preset_find(name);
	ret->workload = p->probe ? p->probe->workload : p->preset->workload;
	resolve_timing(p, ret);
	ret->asked_interval_usec = ret->interval_usec;
	if (resolve_copy(&ret->name, name) < 0)
		return -ENOMEM;
	return resolve_limit(p, ret);
}

/* The name of neither a [probe] section nor a preset. */
static void refuse_probe(
	const struct resolver *p, const struct issue_place *place, const char *name)
{
	const size_t max = p->source->probes.count + 64;
	const char **names = calloc(max, sizeof(*names));
	size_t count = 0;

	if (!names) {
		p->issues->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < p->source->probes.count; i++)
		names[count++] = source_probe_at(p->source, i)->section.name;
	for (size_t i = 0; count < max && workload_preset_at(i); i++)
		names[count++] = workload_preset_at(i)->name;
	const char *meant = parse_suggest(name, names, count);
	issues_add(p->issues, place, "probes: %s is neither a [probe] section nor a preset%s%s%s",
		name, meant ? "; did you mean " : "; `repoprobe presets` lists the presets",
		meant ? meant : "", meant ? "?" : "");
	free(names);
}

int resolve_probes(struct resolver *p, struct config_repository *ret)
{
	const struct source_value *names =
		resolve_inherit(&p->repository->probes, &p->source->defaults.probes);

	if (names->item_count > CONFIG_PROBES_MAX) {
		issues_add(p->issues, &names->place,
			"probes: too many entries; expected at most %d", CONFIG_PROBES_MAX);
		return 0;
	}
	if (names->item_count == 0) /* an error that was reported */
		return 0;
	ret->probes = calloc(names->item_count, sizeof(*ret->probes));
	if (!ret->probes)
		return -ENOMEM;
	for (size_t i = 0; i < names->item_count; i++) {
		const char *name = names->items[i];

		p->probe = source_find_probe(p->source, name);
		if (!p->probe && !workload_preset_find(name)) {
			refuse_probe(p, &names->place, name);
			continue;
		}
		int r = resolve_probe(p, name, &ret->probes[ret->probe_count++]);
		if (r < 0)
			return r;
	}
	return 0;
}
