/* SPDX-License-Identifier: Apache-2.0 */
/* The rows against the contract: which keys exist, which are available, and what they accept. */
#include "config_test.h"

#include <stdlib.h>

#include "base/buf.h"
#include "config/schema.h"
#include "config/source.h"
#include "model/workload.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The table of docs: section, available keys, keys of later versions. */
static const struct {
	enum schema_section section;
	const char *available;
	const char *later;
} contract[] = {
	{ SCHEMA_DAEMON, "state_directory runtime_directory parallel_runs log_level", "" },
	{ SCHEMA_HTTP, "listen allowed_hosts external_url max_connections",
		"tls_certificate_file tls_key_file token_file histogram_detail textfile" },
	{ SCHEMA_STORE, "keep_runs keep_hours keep_days max_size", "" },
	{ SCHEMA_DEFAULTS,
		"probe_directory probes interval schedule splay require_mount expect_fstype "
		"expect_source min_free keep_file limit limit_critical "
		"daily_write_budget group when_busy confirm_after storage_class limit_mode sensitivity",
		"notify ioprio" },
	{ SCHEMA_REPOSITORY,
		"path probe_directory probes interval schedule splay require_mount expect_fstype "
		"expect_source min_free keep_file limit limit_critical "
		"daily_write_budget group when_busy confirm_after storage_class limit_mode sensitivity",
		"notify ioprio" },
	{ SCHEMA_PROBE, "interval schedule limit limit_critical", "kind" },
	{ SCHEMA_ALARM, "repository probe when hold clear level load", "" },
	{ SCHEMA_MUTE, "repository when mode reason", "" },
	{ SCHEMA_NOTIFY, "",
		"type command url secret_file to from server user password_file level quiet group_wait "
		"repeat max_age" },
	{ SCHEMA_JOB, "", "" },
};

static size_t assert_words(enum schema_section section, const char *words, bool is_available)
{
	size_t count = 0;

	for (const char *at = words; *at; at += strspn(at, " ")) {
		char *word = strndup(at, strcspn(at, " "));

		assert_non_null(word);
		const struct schema_key *key = schema_find(section, word);
		if (!key || key->is_available != is_available)
			fail_msg("%s in [%s] is %s", word, schema_section_name(section),
				key ? "not as available as it should be" : "missing");
		at += strlen(word);
		free(word);
		count++;
	}
	return count;
}

static void the_rows_are_those_of_the_contract(void **state)
{
	(void)state;
	assert_int_equal(COUNT(contract), SCHEMA_SECTIONS);
	for (size_t i = 0; i < COUNT(contract); i++) {
		enum schema_section section = contract[i].section;
		size_t count = assert_words(section, contract[i].available, true) +
			assert_words(section, contract[i].later, false);
		size_t rows = 0;

		for (size_t j = 0; schema_key_at(j); j++)
			rows += schema_key_is_in(schema_key_at(j), section);
		assert_int_equal(rows, count);
	}
}

static void rows_are_complete_and_unique(void **state)
{
	(void)state;
	for (size_t i = 0; schema_key_at(i); i++) {
		const struct schema_key *key = schema_key_at(i);

		assert_int_not_equal(key->sections, 0);
		assert_int_equal(key->sections >> SCHEMA_SECTIONS, 0);
		assert_true(key->is_available == (key->help != NULL));
		if (key->help && (strlen(key->help) < 20 || strchr(key->help, '\n')))
			fail_msg("%s: help", key->name);
		for (size_t j = 0; j < i; j++)
			if (strcmp(key->name, schema_key_at(j)->name) == 0)
				assert_int_equal(key->sections & schema_key_at(j)->sections, 0);
	}
}

static void the_models_options_fit(void **state)
{
	(void)state;
	assert_null(workload_option_at(SOURCE_OPTIONS_MAX));
	assert_int_equal(schema_find_option("no_such_option"), -1);
	for (size_t i = 0; workload_option_at(i); i++) {
		const char *key = workload_option_at(i)->key;

		assert_int_equal(schema_find_option(key), i);
		assert_null(schema_find(SCHEMA_PROBE, key));
	}
	assert_true(schema_find_option("preset") >= 0);
}

static void assert_later(enum schema_section section, const char *name)
{
	struct buf text = BUF_INIT(1024);
	struct buf expected = BUF_INIT(1024);

	schema_section_title(&text, section, schema_section_is_named(section) ? "x" : NULL);
	buf_printf(
		&text, "\n%s = 1\n%s", name, section == SCHEMA_REPOSITORY ? "path = /mnt/x\n" : "");
	if (schema_section_is_available(section))
		buf_printf(&expected, "a.conf:2: %s is not in this version", name);
	else
		buf_printf(&expected, "a.conf:1: [%s] is not in this version",
			schema_section_name(section));
	assert_refused(buf_text(&text), buf_text(&expected));
	buf_done(&text);
	buf_done(&expected);
}

static void keys_of_later_versions_are_refused_by_name(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; schema_key_at(i); i++) {
		const struct schema_key *key = schema_key_at(i);

		for (int j = 0; j < SCHEMA_SECTIONS; j++) {
			if (key->is_available || !schema_key_is_in(key, (enum schema_section)j))
				continue;
			assert_later((enum schema_section)j, key->name);
			count++;
		}
	}
	assert_true(count > 20);
	assert_later(SCHEMA_JOB, "anything");
	for (size_t i = 0; workload_option_at(i); i++)
		if (!workload_option_at(i)->is_available)
			assert_later(SCHEMA_PROBE, workload_option_at(i)->key);
}

struct value_case {
	const char *section;
	const char *key;
	const char *value;
	const char *sentence; /* starts like this after "a.conf:2: KEY: "; NULL: the value is
				 accepted */
};

static void assert_value(const struct value_case *c)
{
	struct buf text = BUF_INIT(1024);
	struct buf expected = BUF_INIT(1024);
	bool is_repository = strncmp(c->section, "repository", 10) == 0;

	buf_printf(&text, "[%s]\n%s = %s\n", c->section, c->key, c->value);
	if (is_repository && strcmp(c->key, "path") != 0)
		buf_add_text(&text, "path = /mnt/x\n");
	buf_printf(&expected, "a.conf:2: %s: %s", c->key, c->sentence ? c->sentence : "");
	if (c->sentence)
		assert_refused(buf_text(&text), buf_text(&expected));
	else
		(void)config_free(load_text(buf_text(&text)));
	buf_done(&text);
	buf_done(&expected);
}

static const struct value_case value_cases[] = {
	{ "daemon", "state_directory", "/srv/state", NULL },
	{ "daemon", "state_directory", "", "the path is empty; expected an absolute path" },
	{ "daemon", "state_directory", "state",
		"state: expected an absolute path; did you mean /state?" },
	{ "daemon", "state_directory", "auto", "auto: expected an absolute path" },
	{ "daemon", "runtime_directory", "auto", NULL },
	{ "daemon", "runtime_directory", "\"/run/x\"",
		"\"/run/x\": expected an absolute path; did you mean it without quotes?" },
	{ "daemon", "parallel_runs", "64", NULL },
	{ "daemon", "parallel_runs", "0", "0: must be from 1 to 64" },
	{ "daemon", "parallel_runs", "two", "two: expected a whole number from 1 to 64" },
	{ "daemon", "log_level", "debug", NULL },
	{ "daemon", "log_level", "warn", "warn: expected error, warning, notice, info or debug" },
	{ "daemon", "log_level", "inof",
		"inof: expected error, warning, notice, info or debug; did you mean info?" },
	{ "http", "listen", "", NULL },
	{ "http", "listen", "0.0.0.0:80, [::]:0", NULL },
	{ "http", "listen", "unix:/run/x", "unix:/run/x is not in this version" },
	{ "http", "listen", "127.0.0.1:9847,", "127.0.0.1:9847,: an entry is empty" },
	{ "http", "listen", "127.0.0.1:1, 127.0.0.1:1", "127.0.0.1:1 is listed twice" },
	{ "http", "listen", "127.0.0.1:65536", "127.0.0.1:65536: expected ADDRESS:PORT" },
	{ "http", "listen", "[::1:80", "[::1:80: expected ADDRESS:PORT" },
	{ "http", "allowed_hosts", "", NULL },
	{ "http", "allowed_hosts", "mon.example.org, 10.0.0.1, fd00::1", NULL },
	{ "http", "allowed_hosts", "http://mon",
		"http://mon: expected a host name or address without scheme" },
	{ "http", "allowed_hosts", "mon:80",
		"mon:80: expected a host name or address without scheme" },
	{ "http", "external_url", "", NULL },
	{ "http", "external_url", "https://mon.example.org:8443/probes", NULL },
	{ "http", "external_url", "mon.example.org", "mon.example.org: expected http://HOST" },
	{ "http", "external_url", "http:///x", "http:///x: expected http://HOST" },
	{ "http", "external_url", "http://a\"b", "http://a\"b: expected a plain address" },
	{ "http", "max_connections", "3", "3: must be from 4 to 10000" },
	{ "repository x", "path", "/mnt/y", NULL },
	{ "repository x", "path", "", "the path is empty" },
	{ "repository x", "path", "UUID=2222-2222",
		"UUID=2222-2222 names a device; expected the directory on which it is mounted, "
		"with expect_source = UUID=2222-2222 to insist on it" },
	{ "repository x", "path", "LABEL=vault", "LABEL=vault names a device" },
	{ "repository x", "path", "/mnt/y # the vault",
		"/mnt/y # the vault: no comment can follow a value; a comment must be a line of its "
		"own" },
	{ "repository x", "path", "/mnt/Backup #2", NULL },
	{ "defaults", "limit", "15ms # comment", "15ms # comment: " },
	{ "defaults", "group", "nas ; both disks", "nas ; both disks: no comment can follow" },
	{ "defaults", "probes", "restore # and no more", "restore # and no more: " },
	{ "store", "max_size", "1",
		"1 is too little; expected at least 16M, or 0 for no bound; did you mean 1G?" },
	{ "store", "max_size", "15M", "15M is too little; expected at least 16M, or 0" },
	{ "store", "max_size", "16M", NULL },
	{ "store", "max_size", "0", NULL },
	{ "defaults", "daily_write_budget", "50",
		"50 is too little; expected at least 1M, or 0 for no bound; did you mean 50G?" },
	{ "defaults", "daily_write_budget", "0", NULL },
	{ "repository x", "path", "~/y", "~/y: expected an absolute path; ~ is not replaced here" },
	{ "defaults", "probe_directory", "/mnt/z/probe", NULL },
	{ "defaults", "probes", "restore", NULL },
	{ "defaults", "probes", "", "the list is empty" },
	{ "defaults", "probes", "a/b", "a/b: a name must not contain '/'" },
	{ "repository x", "probes", "restor",
		"restor is neither a [probe] section nor a preset; did you mean restore?" },
	{ "repository x", "probes", "zzz",
		"zzz is neither a [probe] section nor a preset; `repoprobe presets`" },
	{ "defaults", "interval", "1s", NULL },
	{ "defaults", "interval", "999ms", "999ms is too short; expected at least 1s" },
	{ "defaults", "interval", "0", "0 is too short; expected at least 1s" },
	{ "defaults", "interval", "367d", "367d is too long; expected at most 366d" },
	{ "defaults", "interval", "5m", "5m: m could be minutes or months; did you mean 5min?" },
	{ "defaults", "interval", "5min # often", "5min # often: " },
	{ "defaults", "schedule", "", NULL },
	{ "defaults", "schedule", "Mon..Fri 20:00", NULL },
	{ "defaults", "schedule", "*-*-* 18:00 UTC", NULL },
	{ "defaults", "schedule", "dayly UTC",
		"dayly UTC: at position 1: expected weekdays such as Mon..Fri, a date such as *-*-01, a "
		"time such as 18:00, or a word such as daily; did you mean daily?" },
	{ "repository x", "schedule", "Mon..Fri 25:00 UTC",
		"Mon..Fri 25:00 UTC: at position 10: the hour must be from 0 to 23" },
	{ "probe p", "schedule", "18:00 Nowhere/Atall",
		"Nowhere/Atall is not a time zone of this system; expected a name such as" },
	{ "defaults", "splay", "0", NULL },
	{ "defaults", "splay", "10s", NULL },
	{ "defaults", "require_mount", "auto", NULL },
	{ "defaults", "require_mount", "yes", NULL },
	{ "defaults", "require_mount", "maybe", "maybe: expected yes or no" },
	{ "defaults", "expect_fstype", "", NULL },
	{ "defaults", "expect_fstype", "fuse.sshfs", NULL },
	{ "defaults", "expect_fstype", "ext4 xfs", "ext4 xfs: expected one word without blanks" },
	{ "defaults", "expect_fstype", "a-type-of-more-than-31-characters",
		"a-type-of-more-than-31-characters is too long; expected at most 31 bytes" },
	{ "defaults", "expect_source", "UUID=1234-5678", NULL },
	{ "defaults", "expect_source", "nas1:/a b", "nas1:/a b: expected one word without blanks" },
	{ "defaults", "min_free", "0", NULL },
	{ "defaults", "min_free", "10G", NULL },
	{ "defaults", "min_free", "99%", NULL },
	{ "defaults", "min_free", "100%", "100% leaves nothing to write; expected at most 99%" },
	{ "defaults", "min_free", "5",
		"5 bytes: expected a percentage or a size; did you mean 5%?" },
	{ "defaults", "min_free", "", "nothing: expected a size" },
	{ "defaults", "keep_file", "no", NULL },
	{ "defaults", "keep_file", "maybe", "maybe: expected yes or no" },
	{ "defaults", "daily_write_budget", "0", NULL },
	{ "defaults", "daily_write_budget", "1.5T", NULL },
	{ "defaults", "daily_write_budget", "2048P", "2048P is too much; expected at most 1024P" },
	{ "defaults", "daily_write_budget", "off", "off: " },
	{ "defaults", "group", "", NULL },
	{ "defaults", "group", "array 1", NULL },
	{ "defaults", "group", "a/b", "a/b: " },
	{ "defaults", "when_busy", "auto", NULL },
	{ "defaults", "when_busy", "run", NULL },
	{ "defaults", "when_busy", "skip", NULL },
	{ "defaults", "when_busy", "wait", "wait: expected auto, run or skip" },
	{ "defaults", "confirm_after", "0", NULL },
	{ "defaults", "confirm_after", "30s", NULL },
	{ "defaults", "confirm_after", "30s, 1h", NULL },
	{ "defaults", "confirm_after", "", "the list is empty; expected times, or 0: never" },
	{ "defaults", "confirm_after", "2min, 1min",
		"1min is not greater than the entry before it; expected ascending times" },
	{ "defaults", "confirm_after", "0, 1min", "0" },
	{ "defaults", "confirm_after", "1s, 2s, 3s", "too many entries; expected at most 2" },
	{ "defaults", "confirm_after", "2h", "2h is too long; expected at most 1h" },
	{ "defaults", "limit", "0", NULL },
	{ "defaults", "limit", "15", "15: a unit is missing; did you mean 15s?" },
	{ "defaults", "limit", "2h", "2h is too long; expected at most 1h" },
	{ "probe p", "interval", "90s", NULL },
	{ "probe p", "preset", "heartbeat", NULL },
	{ "probe p", "preset", "hartbeat", "" }, /* the message is the model's */
	{ "probe p", "block_size", "64KB", "" },
	{ "probe p", "warmup", "2s", NULL },
};

static void values_are_taken_or_refused_with_what_was_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(value_cases); i++)
		assert_value(&value_cases[i]);
}

static void addresses_are_refused_with_what_was_meant(void **state)
{
	static const char address[] =
		"expected ADDRESS:PORT with a numeric address, such as 127.0.0.1:9847 or [::1]:9847";
	static const struct {
		const char *text;
		const char *meant;
	} addresses[] = {
		{ "9847", "127.0.0.1:9847" },
		{ ":9847", "0.0.0.0:9847" },
		{ "*:9847", "0.0.0.0:9847" },
		{ "localhost:80", "127.0.0.1:80" },
		{ "10.1.2.3", "10.1.2.3:9847" },
		{ "::1", "[::1]:9847" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(addresses); i++) {
		struct buf sentence = BUF_INIT(1024);

		buf_printf(&sentence, "%s: %s; did you mean %s?", addresses[i].text, address,
			addresses[i].meant);
		assert_value(&(struct value_case){
			"http", "listen", addresses[i].text, buf_text(&sentence) });
		buf_done(&sentence);
	}
}

static void a_comment_after_a_value_is_explained(void **state)
{
	static const char *const expected =
		"a.conf:2: parallel_runs: 4 ; more: expected a whole number from 1 to 64; "
		"a comment must be a line of its own";

	(void)state;
	assert_refused("[daemon]\nparallel_runs = 4 ; more\n", expected);
	config_free(load_text("[mute x]\nwhen = Mon 10:00-11:00\nreason = tapes # of a week\n"));
}

static void unknown_words_are_refused_with_what_was_meant(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "[deamon]\nx = y\n",
			"a.conf:1: unknown section [deamon]; did you mean [daemon]?" },
		{ "[nothing like it]\n",
			"a.conf:1: unknown section [nothing]; expected daemon, http" },
		{ "[http 1]\n", "a.conf:1: [http 1]: this section has no name; expected [http]" },
		{ "[probe]\n", "a.conf:1: [probe] lacks a name; expected [probe NAME]" },
		{ "[probe a/b]\n", "a.conf:1: [probe]: a/b: a name must not contain '/'" },
		{ "[daemon\n", "a.conf:1: the ] is missing" },
		{ "log_level = info\n", "a.conf:1: log_level is before the first section" },
		{ "[daemon]\nlog_levle = info\n",
			"a.conf:2: unknown key log_levle in [daemon]; did you mean log_level?" },
		{ "[daemon]\nqwertz = 1\n", "a.conf:2: unknown key qwertz in [daemon]" },
		{ "[daemon]\nlisten = \n",
			"a.conf:2: listen is not a key of [daemon]; expected in [http]" },
		{ "[defaults]\npath = /x\n",
			"a.conf:2: path is not a key of [defaults]; expected in [repository NAME]" },
		{ "[defaults]\nblock_size = 4K\n",
			"a.conf:2: block_size is not a key of [defaults]; expected in [probe NAME]" },
		{ "[probe p]\nblock-size = 4K\n",
			"a.conf:2: unknown key block-size in [probe p]; did you mean block_size?" },
		{ "[probe p]\nintervall = 1s\n",
			"a.conf:2: unknown key intervall in [probe p]; did you mean interval?" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i].text, cases[i].expected);
}

/* Every available key of [daemon] and [http] with a value other than its default. */
static void a_restart_is_asked_for_exactly_where_the_rows_say_so(void **state)
{
	static const struct {
		const char *section;
		const char *key;
		const char *value;
	} changes[] = {
		{ "daemon", "state_directory", "/srv/x\nruntime_directory = /run/repoprobe" },
		{ "daemon", "runtime_directory", "/run/x" },
		{ "daemon", "parallel_runs", "3" },
		{ "daemon", "log_level", "debug" },
		{ "http", "listen", "127.0.0.1:9847" },
		{ "http", "allowed_hosts", "mon" },
		{ "http", "external_url", "http://mon" },
		{ "http", "max_connections", "100" },
	};
	struct config *before = load_text("");

	(void)state;
	assert_null(config_restart_needed(before, before));
	for (size_t i = 0; i < COUNT(changes); i++) {
		struct buf text = BUF_INIT(1024);
		enum schema_section section;

		buf_printf(&text, "[%s]\n%s = %s\n", changes[i].section, changes[i].key,
			changes[i].value);
		struct config *after = load_text(buf_text(&text));
		const char *name = config_restart_needed(before, after);
		assert_true(schema_section_find(changes[i].section, &section));
		if (schema_find(section, changes[i].key)->is_reloadable)
			assert_null(name);
		else
			assert_string_equal(name, changes[i].key);
		config_free(after);
		buf_done(&text);
	}
	config_free(before);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rows_are_those_of_the_contract),
		cmocka_unit_test(rows_are_complete_and_unique),
		cmocka_unit_test(the_models_options_fit),
		cmocka_unit_test(keys_of_later_versions_are_refused_by_name),
		cmocka_unit_test(values_are_taken_or_refused_with_what_was_meant),
		cmocka_unit_test(addresses_are_refused_with_what_was_meant),
		cmocka_unit_test(a_comment_after_a_value_is_explained),
		cmocka_unit_test(unknown_words_are_refused_with_what_was_meant),
		cmocka_unit_test(a_restart_is_asked_for_exactly_where_the_rows_say_so),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
