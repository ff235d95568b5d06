/* SPDX-License-Identifier: Apache-2.0 */
/* etc/repoprobe.conf against the schema: every available key, once, with its default, and no other;
 * and the daily deep probe, which is enabled as shipped. */
#include "config_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "config/ini.h"
#include "config/schema.h"
#include "model/workload.h"

#define FILE_MAX (1U << 20)
#define MIB (UINT64_C(1) << 20)
#define SHIPPED_PROBES "active-full, heartbeat, daily-deep"

/* The settings in the file as shipped. */
static const char shipped[] = "[defaults]\nprobes = " SHIPPED_PROBES "\n"
			      "[probe daily-deep]\npreset = active-full\nmax_bytes = 1G\n"
			      "duration = 1min\nschedule = *-*-* 18:00\n";

/* "#key = value" and "#[section]" are commented settings; prose has a blank after the '#'. */
static bool is_commented_setting(const char *line)
{
	return line[0] == '#' && ((line[1] >= 'a' && line[1] <= 'z') || line[1] == '[');
}

static char *read_default_file(bool is_uncommented)
{
	struct buf file = BUF_INIT(FILE_MAX);
	struct buf out = BUF_INIT(FILE_MAX);
	char *text = NULL;

	assert_int_equal(fd_read_file(DEFAULT_CONF, &file), 0);
	const char *line = buf_text(&file);
	while (*line) {
		size_t len = strcspn(line, "\n") + 1;
		size_t skipped = is_uncommented && is_commented_setting(line) ? 1 : 0;

		buf_add(&out, line + skipped, len - skipped);
		line += len;
	}
	buf_done(&file);
	assert_int_equal(buf_take(&out, &text, NULL), 0);
	return text;
}

struct found {
	enum schema_section section;
	unsigned count;
	char value[256];
};

/* What the file has for a key in a section, except for the shipped probe. */
static struct found find(const char *text, enum schema_section section, const char *name)
{
	struct found found = { .section = section };
	struct ini_reader *reader = malloc(sizeof(*reader));
	struct ini_event e;
	bool is_inside = false;

	assert_non_null(reader);
	ini_init(reader, text, strlen(text));
	while (ini_next(reader, &e)) {
		if (e.kind == INI_SECTION)
			is_inside = strcmp(e.name, schema_section_name(section)) == 0 &&
				strcmp(e.value, "daily-deep") != 0;
		if (e.kind == INI_KEY && is_inside && strcmp(e.name, name) == 0) {
			found.count++;
			(void)snprintf(found.value, sizeof(found.value), "%s", e.value);
		}
	}
	free(reader);
	return found;
}

static void assert_default(const struct found *found, const char *name, const char *text)
{
	if (found->count != 1)
		fail_msg("%s stands %u times in [%s]", name, found->count,
			schema_section_name(found->section));
	if (text && strcmp(found->value, text) != 0)
		fail_msg("%s in [%s] is \"%s\", not \"%s\"", name,
			schema_section_name(found->section), found->value, text);
}

/* Keys that [defaults] and [repository] share are in [defaults]. */
static enum schema_section home_of(const struct schema_key *key)
{
	enum schema_section section = SCHEMA_DAEMON;

	while (!schema_key_is_in(key, section))
		section++;
	return section;
}

static void every_key_stands_once_with_its_default(void **state)
{
	char *text = read_default_file(true);
	const struct workload *w = &workload_preset_default()->workload;

	(void)state;
	for (size_t i = 0; schema_key_at(i); i++) {
		const struct schema_key *key = schema_key_at(i);

		if (!key->is_available)
			continue;
		struct found found = find(text, home_of(key), key->name);
		bool is_probes = strcmp(key->name, "probes") == 0;
		assert_default(&found, key->name, is_probes ? SHIPPED_PROBES : key->default_text);
	}
	for (size_t i = 0; workload_option_at(i); i++) {
		const struct workload_option *option = workload_option_at(i);
		struct found found = find(text, SCHEMA_PROBE, option->key);
		struct buf value = BUF_INIT(256);

		if (!option->is_available)
			continue;
		assert_int_equal(workload_get(w, option->key, &value), 0);
		assert_default(&found, option->key, buf_text(&value));
		buf_done(&value);
	}
	free(text);
}

static void nothing_else_stands_there(void **state)
{
	char *text = read_default_file(true);
	struct ini_reader *reader = malloc(sizeof(*reader));
	enum schema_section section = SCHEMA_JOB;
	unsigned sections = 0;
	struct ini_event e;

	(void)state;
	assert_non_null(reader);
	ini_init(reader, text, strlen(text));
	while (ini_next(reader, &e)) {
		if (e.kind == INI_SECTION) {
			assert_true(schema_section_find(e.name, &section));
			assert_true(schema_section_is_available(section));
			sections++;
			continue;
		}
		if (e.kind != INI_KEY)
			fail_msg("line %u: %s", e.line, e.value);
		const struct schema_key *key = schema_find(section, e.name);
		const struct workload_option *option =
			section == SCHEMA_PROBE ? workload_option_find(e.name) : NULL;
		if (key ? !key->is_available || home_of(key) != section
			: !option || !option->is_available)
			fail_msg("line %u: %s does not belong there", e.line, e.name);
	}
	assert_int_equal(sections, 9);
	free(reader);
	free(text);
}

static char *show(const struct config *config)
{
	struct buf b = BUF_INIT(FILE_MAX);
	char *text = NULL;

	config_show(config, &b);
	assert_int_equal(buf_take(&b, &text, NULL), 0);
	return text;
}

static void as_shipped_it_adds_the_deep_probe_and_changes_nothing_else(void **state)
{
	char *text = read_default_file(false);
	struct config *config = load_text(text);
	struct config *same = load_text(shipped);
	char *shown = show(config);
	char *expected = show(same);

	(void)state;
	assert_string_equal(shown, expected);
	free(shown);
	free(expected);
	config_free(config);
	config_free(same);
	free(text);
}

static void as_shipped_a_repository_is_written_about_20_gib_a_day(void **state)
{
	char *text = read_default_file(false);
	struct buf b = BUF_INIT(FILE_MAX);
	uint64_t written;
	uint64_t read;

	(void)state;
	buf_printf(&b, "%s[repository r]\npath = /r\n", text);
	struct config *config = load_text(buf_text(&b));
	config_daily_bytes(&config->repositories[0], &written, &read);
	assert_int_equal(written, 288 * 64 * MIB + UINT64_C(1440) * 100 * 4096 + 1024 * MIB);
	assert_in_range(written, 19 * 1024 * MIB, 20 * 1024 * MIB);
	assert_int_equal(read, UINT64_C(1440) * 100 * 4096);
	config_free(config);
	buf_done(&b);
	free(text);
}

static void without_the_comment_marks_it_is_a_configuration(void **state)
{
	char *text = read_default_file(true);
	struct config *config = load_text(text);

	(void)state;
	assert_int_equal(config->repository_count, 1);
	assert_int_equal(config->repositories[0].probe_count, 3);
	free(text);
	config_free(config);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_stands_once_with_its_default),
		cmocka_unit_test(nothing_else_stands_there),
		cmocka_unit_test(as_shipped_it_adds_the_deep_probe_and_changes_nothing_else),
		cmocka_unit_test(as_shipped_a_repository_is_written_about_20_gib_a_day),
		cmocka_unit_test(without_the_comment_marks_it_is_a_configuration),
	};

	return cmocka_run_group_tests_name("default_conf", tests, NULL, NULL);
}
