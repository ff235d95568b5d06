/* SPDX-License-Identifier: Apache-2.0 */
/* The sections, and look-up of keys among the rows of schema_keys.c. */
#include "config/schema.h"

#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "config/source.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
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
	for (size_t i = 0; i < schema_key_count; i++)
		if (schema_keys[i].is_available && schema_key_is_in(&schema_keys[i], section))
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
	return i < schema_key_count ? &schema_keys[i] : NULL;
}

const struct schema_key *schema_find(enum schema_section section, const char *name)
{
	for (size_t i = 0; i < schema_key_count; i++)
		if (schema_key_is_in(&schema_keys[i], section) &&
			strcmp(schema_keys[i].name, name) == 0)
			return &schema_keys[i];
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

	for (size_t i = 0; i < schema_key_count && count < COUNT(names); i++)
		if (schema_keys[i].is_available && schema_key_is_in(&schema_keys[i], section))
			names[count++] = schema_keys[i].name;
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
