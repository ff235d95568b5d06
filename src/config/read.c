/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one file's sections and keys into the source: each key is looked up in the schema, checked
 * for duplicates, and parsed by its type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "config/ini.h"
#include "config/issues.h"
#include "config/schema.h"
#include "config/source.h"
#include "config/value.h"

#define TITLE_MAX 512
#define SHOWN 80 /* bytes of a bad word in a message */

struct file_reader {
	struct source *source;
	struct issues *issues;
	struct issue_place place; /* of the present event */
	enum schema_section kind; /* of the section that keys belong to now … */
	void *section; /* … and its struct; NULL: keys are skipped */
	bool has_section; /* a section has begun, valid or not */
};

static void refuse_section(struct file_reader *f, const char *name)
{
	const char *meant = schema_section_suggest(name);
	enum schema_section kind;

	if (schema_section_find(name, &kind))
		issues_add(f->issues, &f->place, "[%s] is not in this version", name);
	else if (meant)
		issues_add(f->issues, &f->place, "unknown section [%.*s]; did you mean [%s]?",
			SHOWN, name, meant);
	else
		issues_add(f->issues, &f->place,
			"unknown section [%.*s]; expected daemon, http, defaults, repository NAME, probe NAME or mute NAME",
			SHOWN, name);
}

static int check_section_name(struct file_reader *f, enum schema_section kind, const char *name)
{
	struct error error = { 0 };
	const char *kind_name = schema_section_name(kind);

	if (!schema_section_is_named(kind)) {
		if (*name == '\0')
			return 0;
		issues_add(f->issues, &f->place,
			"[%s %.*s]: this section has no name; expected [%s]", kind_name, SHOWN,
			name, kind_name);
		return -EINVAL;
	}
	if (*name == '\0') {
		issues_add(f->issues, &f->place, "[%s] lacks a name; expected [%s NAME]", kind_name,
			kind_name);
		return -EINVAL;
	}
	int r = parse_name(name, &error);
	if (r < 0)
		issues_add(f->issues, &f->place, "[%s]: %s", kind_name, error.text);
	return r;
}

/* Reports where the section was before. Its keys are still read, to find all errors. */
static void refuse_duplicate_section(
	struct file_reader *f, const struct source_section *section, const char *name)
{
	struct buf title = BUF_INIT(TITLE_MAX);

	schema_section_title(&title, f->kind, *name ? name : NULL);
	issues_add(f->issues, &f->place,
		"%s appears twice, first at %s:%u; expected all its keys there", buf_text(&title),
		section->place.origin, section->place.line);
	buf_done(&title);
}

/* Lends the section's struct, created if needed; NULL on a failure, which was reported. */
static struct source_section *open_section(struct file_reader *f, const char *name)
{
	struct source_section *section = NULL;
	int r = source_open_section(f->source, f->kind, name, &f->place, &section);

	if (r == 0)
		return section;
	if (r == -ENOMEM)
		f->issues->error = r;
	else
		issues_add(f->issues, &f->place, "too many [%s] sections; expected at most %d",
			schema_section_name(f->kind), SOURCE_SECTIONS_MAX);
	return NULL;
}

static bool is_same_place(const struct issue_place *a, const struct issue_place *b)
{
	return a->order == b->order && a->line == b->line;
}

static void begin_section(struct file_reader *f, const struct ini_event *event)
{
	f->has_section = true;
	f->section = NULL;
	if (!schema_section_find(event->name, &f->kind) || !schema_section_is_available(f->kind)) {
		refuse_section(f, event->name);
		return;
	}
	if (check_section_name(f, f->kind, event->value) < 0)
		return;
	struct source_section *section = open_section(f, event->value);
	if (!section)
		return;
	if (section->is_given && !is_same_place(&section->place, &f->place))
		refuse_duplicate_section(f, section, event->value);
	if (!section->is_given) {
		section->is_given = true;
		section->place = f->place;
	}
	f->section = section;
}

static void refuse_unknown_key(struct file_reader *f, const char *name)
{
	const struct source_section *section = f->section;
	const char *meant = schema_suggest(f->kind, name);
	struct buf title = BUF_INIT(TITLE_MAX);
	enum schema_section elsewhere;

	schema_section_title(&title, f->kind, section->name);
	if (schema_find_elsewhere(name, &elsewhere))
		issues_add(f->issues, &f->place, "%s is not a key of %s; expected in [%s%s]", name,
			buf_text(&title), schema_section_name(elsewhere),
			schema_section_is_named(elsewhere) ? " NAME" : "");
	else
		issues_add(f->issues, &f->place, "unknown key %.*s in %s%s%s%s", SHOWN, name,
			buf_text(&title), meant ? "; did you mean " : "", meant ? meant : "",
			meant ? "?" : "");
	buf_done(&title);
}

static bool is_duplicate(struct file_reader *f, const struct source_value *value, const char *name)
{
	const struct source_section *section = f->section;
	struct buf title = BUF_INIT(TITLE_MAX);

	if (!value->is_given)
		return false;
	schema_section_title(&title, f->kind, section->name);
	issues_add(f->issues, &f->place, "%s is given twice in %s, first at %s:%u", name,
		buf_text(&title), value->place.origin, value->place.line);
	buf_done(&title);
	return true;
}

/* Puts the parsed value, or the place of one that failed, over the default. */
static void keep_value(struct file_reader *f, struct source_value *value,
	struct source_value *read_value, int r, const char *message, const struct ini_event *event)
{
	const char *text = event->value;
	bool looks_commented = strstr(text, " #") || strstr(text, " ;") || strstr(text, "\t#");

	bool is_shortage = r < 0 && errno_is_shortage(-r);

	if (r < 0 && !is_shortage && looks_commented)
		issues_add(
			f->issues, &f->place, "%s; a comment must be a line of its own", message);
	else if (is_shortage)
		f->issues->error = r;
	else if (r < 0)
		issues_add_value(f->issues, &f->place, event->name, text, message);
	value_done(value);
	*value = *read_value;
	value->is_given = true;
	value->place = f->place;
}

static void read_schema_key(
	struct file_reader *f, const struct schema_key *key, const struct ini_event *event)
{
	struct source_value *value = schema_value(key, f->section);
	struct source_value read_value = { 0 };
	struct error error = { 0 };

	if (is_duplicate(f, value, key->name))
		return;
	int r = value_read(key, event->value, &read_value, &error);
	keep_value(f, value, &read_value, r, error.text, event);
}

/* Only the value itself is checked here; resolve.c checks its combination with others. */
static void read_option(struct file_reader *f, int index, const struct ini_event *event)
{
	struct source_probe *probe = f->section;
	struct source_value *value = &probe->options[index];
	struct source_value read_value = { 0 };
	struct workload workload = workload_preset_default()->workload;
	struct error error = { 0 };

	if (is_duplicate(f, value, event->name))
		return;
	int r = workload_set(&workload, event->name, event->value, &error);
	if (r == 0) {
		read_value.text = strdup(event->value);
		r = read_value.text ? 0 : -ENOMEM;
	}
	keep_value(f, value, &read_value, r, error.text, event);
}

static void read_key(struct file_reader *f, const struct ini_event *event)
{
	const struct schema_key *key = schema_find(f->kind, event->name);
	int index = f->kind == SCHEMA_PROBE ? schema_find_option(event->name) : -1;
	const struct workload_option *option =
		index >= 0 ? workload_option_at((size_t)index) : NULL;

	if (!key && !option)
		refuse_unknown_key(f, event->name);
	else if (key ? !key->is_available : !option->is_available)
		issues_add(f->issues, &f->place, "%s is not in this version", event->name);
	else if (key)
		read_schema_key(f, key, event);
	else
		read_option(f, index, event);
}

static void read_event(struct file_reader *f, const struct ini_event *event)
{
	switch (event->kind) {
	case INI_SECTION:
		begin_section(f, event);
		break;
	case INI_KEY:
		if (f->section)
			read_key(f, event);
		else if (!f->has_section)
			issues_add(f->issues, &f->place,
				"%.*s is before the first section; expected a line such as [daemon] above it",
				SHOWN, event->name);
		break;
	case INI_SECTION_FAULT:
		f->has_section = true;
		f->section = NULL;
		issues_add(f->issues, &f->place, "%s", event->value);
		break;
	case INI_FAULT:
		issues_add(f->issues, &f->place, "%s", event->value);
		break;
	}
}

void source_read(struct source *source, const char *file_name, const char *text, size_t len,
	struct issues *issues)
{
	struct file_reader f = { .source = source, .issues = issues };
	struct ini_reader *reader = malloc(sizeof(*reader));
	struct ini_event event;

	f.place.order = source->file_count;
	f.place.origin = source_add_file(source, file_name);
	if (!reader || !f.place.origin) {
		issues->error = -ENOMEM;
		free(reader);
		return;
	}
	ini_init(reader, text, len);
	while (ini_next(reader, &event)) {
		f.place.line = event.line;
		read_event(&f, &event);
	}
	free(reader);
}
