/* SPDX-License-Identifier: Apache-2.0 */
/* The sections' storage: they grow in order of appearance, and begin with their defaults. */
#include "config/source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"

#define FIRST_CAPACITY 4

/* Lent where the schema's keys of that section have their values. */
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

static int fill_defaults(struct source *source, enum schema_section section)
{
	void *base = singleton(source, section);
	const struct schema_key *key = schema_key_at(0);

	for (size_t i = 1; base && key; key = schema_key_at(i++)) {
		if (!key->is_available || !key->default_text || !schema_key_is_in(key, section))
			continue;
		int r = value_read(key, key->default_text, schema_value(key, base), NULL);
		assert(r == 0 || r == -ENOMEM); /* a default that is refused is our bug */
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

struct source *source_free(struct source *source)
{
	if (!source)
		return NULL;
	section_done(SCHEMA_DAEMON, &source->daemon);
	section_done(SCHEMA_HTTP, &source->http);
	section_done(SCHEMA_STORE, &source->store);
	section_done(SCHEMA_DEFAULTS, &source->defaults);
	for (size_t i = 0; i < source->repository_count; i++)
		section_done(SCHEMA_REPOSITORY, &source->repositories[i]);
	for (size_t i = 0; i < source->probe_count; i++) {
		for (size_t j = 0; j < SOURCE_OPTIONS_MAX; j++)
			value_done(&source->probes[i].options[j]);
		section_done(SCHEMA_PROBE, &source->probes[i]);
	}
	for (size_t i = 0; i < source->file_count; i++)
		free(source->files[i]);
	free(source->repositories);
	free(source->probes);
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

/* Makes room for one more of count elements, zeroed. Returns 0, -ENOBUFS at max, or -ENOMEM. */
static int grow(void **elements, size_t count, size_t *capacity, size_t max, size_t size)
{
	if (count >= max)
		return -ENOBUFS;
	if (count == *capacity) {
		size_t wanted = count > 0 ? count * 2 : FIRST_CAPACITY;
		void *grown = realloc(*elements, wanted * size);
		if (!grown)
			return -ENOMEM;
		*elements = grown;
		*capacity = wanted;
	}
	memset((char *)*elements + count * size, 0, size);
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

int source_add_repository(struct source *source, const char *name, const struct issue_place *place,
	struct source_repository **ret)
{
	void *repositories = source->repositories;
	int r = grow(&repositories, source->repository_count, &source->repository_capacity,
		SOURCE_SECTIONS_MAX, sizeof(*source->repositories));

	if (r < 0)
		return r;
	source->repositories = repositories;
	struct source_repository *repository = &source->repositories[source->repository_count];
	r = begin_section(&repository->section, name, place);
	if (r < 0)
		return r;
	source->repository_count++;
	*ret = repository;
	return 0;
}

int source_add_probe(struct source *source, const char *name, const struct issue_place *place,
	struct source_probe **ret)
{
	void *probes = source->probes;
	int r = grow(&probes, source->probe_count, &source->probe_capacity, SOURCE_SECTIONS_MAX,
		sizeof(*source->probes));

	if (r < 0)
		return r;
	source->probes = probes;
	struct source_probe *probe = &source->probes[source->probe_count];
	r = begin_section(&probe->section, name, place);
	if (r < 0)
		return r;
	source->probe_count++;
	*ret = probe;
	return 0;
}

struct source_repository *source_find_repository(struct source *source, const char *name)
{
	for (size_t i = 0; i < source->repository_count; i++)
		if (strcmp(source->repositories[i].section.name, name) == 0)
			return &source->repositories[i];
	return NULL;
}

struct source_probe *source_find_probe(struct source *source, const char *name)
{
	for (size_t i = 0; i < source->probe_count; i++)
		if (strcmp(source->probes[i].section.name, name) == 0)
			return &source->probes[i];
	return NULL;
}
