/* SPDX-License-Identifier: Apache-2.0 */
/* The storage of the sections: they are added in order of appearance, and start with their
 * defaults. */
#include "config/source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"

#define FIRST_CAPACITY 4

/* A section that occurs once, as the struct that the schema's offsets refer to. Lent. */
static void *singleton(struct source *source, enum schema_section section)
{
	switch (section) {
	case SCHEMA_DAEMON:
		return &source->daemon;
	case SCHEMA_HTTP:
		return &source->http;
	case SCHEMA_STORE:
		return &source->store;
	case SCHEMA_DEFAULTS:
		return &source->defaults;
	case SCHEMA_REPOSITORY:
	case SCHEMA_PROBE:
	case SCHEMA_ALARM:
	case SCHEMA_MUTE:
	case SCHEMA_NOTIFY:
	case SCHEMA_JOB:
		break;
	}
	return NULL;
}

/* The list of a named kind, and the size of its sections; NULL for other kinds. */
static struct source_list *list_of(
	struct source *source, enum schema_section section, size_t *ret_size)
{
	const struct {
		struct source_list *list;
		size_t size;
	} lists[SCHEMA_SECTIONS] = {
		[SCHEMA_REPOSITORY] = { &source->repositories, sizeof(struct source_repository) },
		[SCHEMA_PROBE] = { &source->probes, sizeof(struct source_probe) },
		[SCHEMA_ALARM] = { &source->alarms, sizeof(struct source_alarm) },
		[SCHEMA_MUTE] = { &source->mutes, sizeof(struct source_mute) },
	};

	*ret_size = lists[section].size;
	return lists[section].list;
}

static int fill_defaults(struct source *source, enum schema_section section)
{
	void *base = singleton(source, section);
	const struct schema_key *key = schema_key_at(0);

	for (size_t i = 1; base && key; key = schema_key_at(i++)) {
		if (!key->is_available || !key->default_text || !schema_key_is_in(key, section))
			continue;
		int r = value_read(key, key->default_text, schema_value(key, base), NULL);
		assert(r == 0 || r == -ENOMEM); /* a refused default is our bug */
		if (r < 0)
			return r;
	}
	return 0;
}

struct source *source_new(void)
{
	struct source *source = calloc(1, sizeof(*source));

	for (int i = 0; source && i < SCHEMA_SECTIONS; i++)
		if (fill_defaults(source, (enum schema_section)i) < 0)
			return source_free(source);
	return source;
}

static void section_done(enum schema_section section, void *base)
{
	const struct schema_key *key = schema_key_at(0);
	struct source_section *header = base;

	for (size_t i = 1; key; key = schema_key_at(i++))
		if (key->is_available && schema_key_is_in(key, section))
			value_done(schema_value(key, base));
	free(header->name);
}

static void list_done(struct source *source, enum schema_section section)
{
	size_t size;
	struct source_list *list = list_of(source, section, &size);

	for (size_t i = 0; list && i < list->count; i++)
		section_done(section, (char *)list->sections + i * size);
	if (list)
		free(list->sections);
}

struct source *source_free(struct source *source)
{
	if (!source)
		return NULL;
	for (size_t i = 0; i < source->probes.count; i++)
		for (size_t j = 0; j < SOURCE_OPTIONS_MAX; j++)
			value_done(&source_probe_at(source, i)->options[j]);
	for (int i = 0; i < SCHEMA_SECTIONS; i++) {
		void *only = singleton(source, (enum schema_section)i);
		if (only)
			section_done((enum schema_section)i, only);
		list_done(source, (enum schema_section)i);
	}
	for (size_t i = 0; i < source->file_count; i++)
		free(source->files[i]);
	free(source->files);
	free(source);
	return NULL;
}

const char *source_add_file(struct source *source, const char *name)
{
	char **files = realloc(source->files, (source->file_count + 1) * sizeof(*files));

	if (!files)
		return NULL;
	source->files = files;
	files[source->file_count] = strdup(name);
	if (!files[source->file_count])
		return NULL;
	return files[source->file_count++];
}

/* Makes room for one more, zeroed. Returns 0, -ENOBUFS at the maximum, or -ENOMEM. */
static int grow(struct source_list *list, size_t size)
{
	if (list->count >= SOURCE_SECTIONS_MAX)
		return -ENOBUFS;
	if (list->count == list->capacity) {
		size_t wanted = list->count > 0 ? list->count * 2 : FIRST_CAPACITY;
		void *grown = realloc(list->sections, wanted * size);
		if (!grown)
			return -ENOMEM;
		list->sections = grown;
		list->capacity = wanted;
	}
	memset((char *)list->sections + list->count * size, 0, size);
	return 0;
}

static int begin_section(
	struct source_section *section, const char *name, const struct issue_place *place)
{
	section->name = strdup(name);
	if (!section->name)
		return -ENOMEM;
	section->is_given = true;
	section->place = *place;
	return 0;
}

/* NULL when there is none. Each section's struct begins with its header. */
static struct source_section *find(const struct source_list *list, size_t size, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		void *section = (char *)list->sections + i * size;
		struct source_section *header = section;
		if (strcmp(header->name, name) == 0)
			return header;
	}
	return NULL;
}

int source_open_section(struct source *source, enum schema_section kind, const char *name,
	const struct issue_place *place, struct source_section **ret)
{
	size_t size;
	struct source_list *list = list_of(source, kind, &size);
	void *section = list ? find(list, size, name) : singleton(source, kind);

	if (!section) {
		assert(list);
		int r = grow(list, size);
		if (r < 0)
			return r;
		section = (char *)list->sections + list->count * size;
		r = begin_section(section, name, place);
		if (r < 0)
			return r;
		list->count++;
	}
	*ret = section;
	return 0;
}

struct source_probe *source_find_probe(struct source *source, const char *name)
{
	return (struct source_probe *)find(&source->probes, sizeof(struct source_probe), name);
}
