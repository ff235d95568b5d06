/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance: which level applies to a repository and its probes, and the resulting daily cost. */
#include "config_test.h"

#include "alarm/mute_time.h"
#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MIN_USEC (60 * USEC_PER_SEC)
#define MIB (UINT64_C(1) << 20)

static const struct config_probe *find(
	const struct config *config, const char *repository, const char *probe)
{
	const struct config_repository *r = config_find_repository(config, repository);

	assert_non_null(r);
	const struct config_probe *p = config_find_probe(r, probe);
	assert_non_null(p);
	return p;
}

static void an_empty_configuration_has_the_defaults(void **state)
{
	struct config *config = load_text("");

	(void)state;
	assert_string_equal(config->state_directory, "/var/lib/repoprobe");
	assert_string_equal(config->runtime_directory, "/run/repoprobe");
	assert_int_equal(config->parallel_runs, 2);
	assert_int_equal(config->log_level, LOG_LEVEL_INFO);
	assert_int_equal(config->listen_count, 2);
	assert_string_equal(config->listen[0], "127.0.0.1:9847");
	assert_string_equal(config->listen[1], "[::1]:9847");
	assert_int_equal(config->allowed_host_count, 0);
	assert_int_equal(config->max_connections, 256);
	assert_string_equal(config->external_url, "");
	assert_int_equal(config->repository_count, 0);
	assert_null(config_find_repository(config, "x"));
	config_free(config);
}

static void a_repository_with_a_path_alone_has_the_defaults(void **state)
{
	struct config *config = load_text("[repository nas 1]\npath = /mnt/nas1/\n");
	const struct config_repository *r = config_find_repository(config, "nas 1");

	(void)state;
	assert_non_null(r);
	assert_string_equal(r->path, "/mnt/nas1");
	assert_string_equal(r->probe_directory, "");
	assert_int_equal(r->min_free_percent, 5);
	assert_int_equal(r->min_free_bytes, 0);
	assert_true(r->keep_file);
	assert_true(r->is_splay_auto);
	assert_int_equal(r->probe_count, 2);
	assert_string_equal(r->probes[0].name, "active-full");
	assert_string_equal(r->probes[1].name, "heartbeat");
	assert_int_equal(r->probes[0].interval_usec, 5 * MIN_USEC);
	assert_int_equal(r->probes[1].interval_usec, MIN_USEC);
	assert_int_equal(r->probes[0].limit.limit_nsec, 15 * NSEC_PER_MSEC);
	assert_int_equal(r->probes[0].limit.limit_critical_nsec, 30 * NSEC_PER_MSEC);
	assert_int_equal(r->probes[1].limit.limit_critical_nsec, 50 * NSEC_PER_MSEC);
	assert_string_equal(r->probes[0].limit_reason, "preset active-full");
	assert_int_equal(r->probes[0].workload.block_size_bytes, 512 << 10);
	assert_null(config_find_probe(r, "restore"));
	config_free(config);
}

static void a_repository_beats_the_defaults(void **state)
{
	struct config *config = load_text(
		"[repository a]\npath = /a\n"
		"[repository b]\npath = /b\nprobe_directory = /b/p\nprobes = restore\nsplay = 0\n"
		"min_free = 2%\nkeep_file = yes\n"
		"[defaults]\nprobes = heartbeat, transform\nsplay = 30s\nmin_free = 1G\nkeep_file = no\n");
	const struct config_repository *a = config_find_repository(config, "a");
	const struct config_repository *b = config_find_repository(config, "b");

	(void)state;
	assert_string_equal(a->probe_directory, "");
	assert_string_equal(a->probes[1].name, "transform");
	assert_false(a->is_splay_auto);
	assert_int_equal(a->splay_usec, 30 * USEC_PER_SEC);
	assert_int_equal(a->min_free_bytes, 1 << 30);
	assert_int_equal(a->min_free_percent, 0);
	assert_false(a->keep_file);
	assert_string_equal(b->probe_directory, "/b/p");
	assert_int_equal(b->probe_count, 1);
	assert_string_equal(b->probes[0].name, "restore");
	assert_false(b->is_splay_auto);
	assert_int_equal(b->splay_usec, 0);
	assert_int_equal(b->min_free_bytes, 0);
	assert_int_equal(b->min_free_percent, 2);
	assert_true(b->keep_file);
	config_free(config);
}

/* [defaults], [repository] and [probe] each set something or nothing for the probe p or the preset
 * heartbeat. */
struct interval_case {
	const char *defaults;
	const char *repository;
	const char *probe; /* keys of [probe p]; NULL: the preset heartbeat itself */
	uint64_t expected_usec;
};

static void an_interval_comes_from_probe_repository_preset_and_defaults_in_turn(void **state)
{
	static const struct interval_case cases[] = {
		{ "", "", "", 5 * MIN_USEC },
		{ "interval = 7min", "", "", 7 * MIN_USEC },
		{ "interval = 7min", "interval = 8min", "", 8 * MIN_USEC },
		{ "interval = 7min", "interval = 8min", "interval = 9min", 9 * MIN_USEC },
		{ "", "", NULL, MIN_USEC },
		{ "interval = 7min", "", NULL, MIN_USEC },
		{ "interval = 7min", "interval = 8min", NULL, 8 * MIN_USEC },
		{ "interval = 7min", "", "preset = heartbeat", MIN_USEC },
		{ "", "interval = 8min", "preset = heartbeat", 8 * MIN_USEC },
		{ "", "interval = 8min", "preset = heartbeat\ninterval = 9min", 9 * MIN_USEC },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[512];
		const char *name = cases[i].probe ? "p" : "heartbeat";

		(void)snprintf(text, sizeof(text),
			"[defaults]\n%s\n[probe p]\n%s\n[repository r]\npath = /r\nprobes = %s\n%s\n",
			cases[i].defaults, cases[i].probe ? cases[i].probe : "", name,
			cases[i].repository);
		struct config *config = load_text(text);
		if (find(config, "r", name)->interval_usec != cases[i].expected_usec)
			fail_msg("case %zu: every %ju us", i,
				(uintmax_t)find(config, "r", name)->interval_usec);
		config_free(config);
	}
}

struct limit_case {
	const char *defaults;
	const char *repository;
	const char *probe; /* keys of [probe p], which starts from transform: 20/40 ms */
	unsigned limit_msec;
	unsigned critical_msec;
	const char *reason;
};

static void a_schedule_beats_what_is_inherited_and_is_beaten_by_what_is_nearer(void **state)
{
	static const struct {
		const char *defaults;
		const char *repository;
		const char *probe; /* NULL: the preset heartbeat by name */
		const char *schedule; /* NULL: none */
		uint64_t interval_usec;
	} cases[] = {
		{ "schedule = daily UTC", "", "", "*-*-* 00:00:00 UTC", 1440 * MIN_USEC },
		{ "schedule = *:0/5 UTC", "", NULL, "*-*-* *:00/5:00 UTC", 5 * MIN_USEC },
		{ "schedule = daily UTC", "interval = 8min", "", NULL, 8 * MIN_USEC },
		{ "schedule = daily UTC", "interval = 8min", NULL, NULL, 8 * MIN_USEC },
		{ "schedule = daily UTC", "", "interval = 9min", NULL, 9 * MIN_USEC },
		{ "interval = 7min", "schedule = daily UTC", "", "*-*-* 00:00:00 UTC",
			1440 * MIN_USEC },
		{ "interval = 7min", "interval = 8min", "schedule = hourly UTC",
			"*-*-* *:00:00 UTC", 60 * MIN_USEC },
		{ "schedule = daily UTC", "schedule = hourly UTC", "", "*-*-* *:00:00 UTC",
			60 * MIN_USEC },
		{ "", "", "preset = heartbeat\nschedule = Mon 1:00 UTC", "Mon *-*-* 01:00:00 UTC",
			7 * 1440 * MIN_USEC },
		/* An empty schedule cancels one from a farther level. */
		{ "schedule = daily UTC", "schedule =", "", NULL, 5 * MIN_USEC },
		{ "schedule = daily UTC", "schedule =", NULL, NULL, MIN_USEC },
		{ "schedule = daily UTC", "schedule =\ninterval = 8min", "", NULL, 8 * MIN_USEC },
		{ "schedule = daily UTC", "interval = 8min", "schedule =", NULL, 8 * MIN_USEC },
		{ "interval = 7min", "schedule = daily UTC", "schedule =", NULL, 7 * MIN_USEC },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name = cases[i].probe ? "p" : "heartbeat";
		char text[512];

		(void)snprintf(text, sizeof(text),
			"[defaults]\n%s\n[repository r]\npath = /r\nprobes = %s\n%s\n%s%s\n",
			cases[i].defaults, name, cases[i].repository,
			cases[i].probe ? "[probe p]\n" : "", cases[i].probe ? cases[i].probe : "");
		struct config *config = load_text(text);
		const struct config_probe *probe = find(config, "r", name);

		if (!probe->schedule != !cases[i].schedule ||
			probe->interval_usec != cases[i].interval_usec)
			fail_msg("case %zu: %s, %ju", i,
				probe->schedule ? calendar_text(probe->schedule) : "no schedule",
				(uintmax_t)probe->interval_usec);
		if (probe->schedule)
			assert_string_equal(calendar_text(probe->schedule), cases[i].schedule);
		config_free(config);
	}
}

static void schedule_and_interval_in_one_section_are_refused(void **state)
{
	(void)state;
	assert_refused("[defaults]\nschedule = daily UTC\ninterval = 5min\n"
		       "[repository r]\npath = /r\nprobes = restore\n",
		"a.conf:2: schedule: daily UTC and interval: 5min are given in one section; "
		"expected one of them");
	assert_refused("[repository r]\npath = /r\nprobes = p\n"
		       "[probe p]\ninterval = 1h\nschedule = 18:00 UTC\n",
		"a.conf:6: schedule: 18:00 UTC and interval: 1h are given in one section");
}

static void a_number_at_any_level_beats_a_preset_s_limit(void **state)
{
	static const struct limit_case cases[] = {
		{ "", "", "", 20, 40, "preset transform" },
		{ "limit = 9ms", "", "", 9, 18, "9ms given in [defaults]" },
		{ "limit = 9ms", "limit = 8ms", "", 8, 16, "8ms given in [repository r]" },
		{ "limit = 9ms", "limit = 8ms", "limit = 7ms", 7, 14, "7ms given in [probe p]" },
		{ "limit = 9ms", "limit = auto", "", 20, 40, "preset transform" },
		{ "limit = 9ms", "", "limit = auto", 20, 40, "preset transform" },
		{ "limit_critical = 100ms", "", "", 20, 100, "preset transform" },
		{ "limit_critical = 100ms", "", "limit_critical = auto", 20, 40,
			"preset transform" },
		{ "", "limit = 10ms", "limit_critical = 10ms", 10, 10,
			"10ms given in [repository r]" },
		{ "limit_critical = 0", "", "", 20, 0, "preset transform" },
		{ "limit = 0", "", "", 0, 0, "0s given in [defaults]" },
		{ "limit = 0\nlimit_critical = 5ms", "", "", 0, 0, "0s given in [defaults]" },
		{ "", "limit = 0.010s", "", 10, 20, "10ms given in [repository r]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct limit_case *c = &cases[i];
		char text[512];

		(void)snprintf(text, sizeof(text),
			"[defaults]\n%s\n[probe p]\npreset = transform\n%s\n"
			"[repository r]\npath = /r\nprobes = p\n%s\n",
			c->defaults, c->probe, c->repository);
		struct config *config = load_text(text);
		const struct config_probe *p = find(config, "r", "p");
		if (p->limit.limit_nsec != c->limit_msec * NSEC_PER_MSEC ||
			p->limit.limit_critical_nsec != c->critical_msec * NSEC_PER_MSEC ||
			strcmp(p->limit_reason, c->reason) != 0)
			fail_msg("case %zu: %ju/%ju ns, %s", i, (uintmax_t)p->limit.limit_nsec,
				(uintmax_t)p->limit.limit_critical_nsec, p->limit_reason);
		config_free(config);
	}
}

static void a_critical_limit_below_the_limit_is_refused_once(void **state)
{
	(void)state;
	assert_refused("[defaults]\nlimit_critical = 12ms\n"
		       "[repository a]\npath = /a\nprobes = restore\nlimit = 12ms\n"
		       "[repository b]\npath = /b\nprobes = restore\n",
		"a.conf:2: limit_critical: 12ms is below the limit 20ms (preset restore) in "
		"[repository b]; expected at least that");
}

static void a_probe_starts_from_its_preset_whatever_the_order_of_its_keys(void **state)
{
	struct config *config = load_text(
		"[probe p]\ntimeout = 3min\nduration = 2min\nblock_size = 8K\npreset = restore\n"
		"[probe q]\nwrite = 10\n"
		"[probe heartbeat]\nmax_ios = 50\n"
		"[repository r]\npath = /r\nprobes = p, q, heartbeat\n");
	const struct workload *p = &find(config, "r", "p")->workload;
	const struct workload *q = &find(config, "r", "q")->workload;
	const struct workload *own = &find(config, "r", "heartbeat")->workload;

	(void)state;
	assert_string_equal(p->preset, "restore");
	assert_int_equal(p->block_size_bytes, 8192);
	assert_int_equal(p->write_percent, 0);
	assert_int_equal(p->duration_usec, 2 * MIN_USEC);
	assert_int_equal(p->timeout_usec, 3 * MIN_USEC);
	assert_string_equal(q->preset, "active-full");
	assert_int_equal(q->write_percent, 10);
	/* A section with a preset's name changes that preset. */
	assert_string_equal(own->preset, "heartbeat");
	assert_int_equal(own->max_ios, 50);
	assert_int_equal(own->block_size_bytes, 4096);
	assert_int_equal(find(config, "r", "heartbeat")->interval_usec, MIN_USEC);
	config_free(config);
}

static void what_does_not_fit_together_is_told_where_it_came_in(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "[probe p]\nblock_size = 512\n", "a.conf:2: " },
		{ "[probe p]\nqueue_depth = 64\nblock_size = 64M\nmax_bytes = 0\n", "a.conf:3: " },
		{ "[probe p]\npreset = restore\nmax_bytes = 0\nduration = 0\n",
			"a.conf:3: a workload needs an end" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i].text, cases[i].expected);
	/* A later option can correct what an earlier one made invalid. */
	config_free(load_text("[probe p]\nblock_size = 512\ncache = buffered\n"));
}

static void the_probe_file_is_as_large_as_its_probes_ask(void **state)
{
	static const struct {
		const char *probes;
		uint64_t expected;
	} cases[] = {
		{ "heartbeat", 64 * MIB },
		{ "active-full", 0 },
		{ "active-full, heartbeat", 0 },
		{ "heartbeat, half", 512 * MIB },
		{ "active-full, half", 0 },
		{ "active-full, half, large", 4096 * MIB },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[512];

		(void)snprintf(text, sizeof(text),
			"[probe half]\nfile_size = 512M\n[probe large]\nfile_size = 4G\n"
			"[repository r]\npath = /r\nprobes = %s\n",
			cases[i].probes);
		struct config *config = load_text(text);
		assert_int_equal(config->repositories[0].file_target_bytes, cases[i].expected);
		config_free(config);
	}
}

static void the_runtime_directory_follows_the_state_directory(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "[daemon]\nstate_directory = /var/lib/repoprobe/\n", "/run/repoprobe" },
		{ "[daemon]\nstate_directory = /srv/s\n", "/srv/s" },
		{ "[daemon]\nstate_directory = /srv/s\nruntime_directory = /run/r\n", "/run/r" },
		{ "[daemon]\nruntime_directory = auto\n", "/run/repoprobe" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct config *config = load_text(cases[i].text);

		assert_string_equal(config->runtime_directory, cases[i].expected);
		config_free(config);
	}
}

static void a_day_costs_what_its_runs_write_and_read(void **state)
{
	static const struct {
		const char *probe; /* keys of [probe p] */
		uint64_t written;
		uint64_t read;
	} cases[] = {
		{ "", 288 * 64 * MIB, 0 },
		{ "preset = heartbeat", UINT64_C(1440) * 100 * 4096, UINT64_C(1440) * 100 * 4096 },
		{ "preset = restore", 0, 288 * 64 * MIB },
		{ "interval = 1d\nmax_bytes = 1G", 1024 * MIB, 0 },
		/* Two bounds: the tighter one applies; whole blocks. */
		{ "interval = 1d\nmax_ios = 10", 5 * MIB, 0 },
		{ "interval = 1d\nmax_bytes = 5700K", 5632 << 10, 0 },
		/* A partial interval counts as one: a weekly run is still one run on that day. */
		{ "interval = 7d", 64 * MIB, 0 },
		/* Calendar runs count by their average, rounded up. */
		{ "schedule = 18:00 UTC\nmax_bytes = 1G", 1024 * MIB, 0 },
		{ "schedule = *:0/5 UTC", 288 * 64 * MIB, 0 },
		{ "schedule = Mon 2026-*-* 1:00 UTC\nmax_ios = 10", (5 * MIB + 6) / 7, 0 },
		{ "schedule = 18:00 UTC\npreset = heartbeat", UINT64_C(100) * 4096,
			UINT64_C(100) * 4096 },
		{ "schedule = *:*:* UTC\nmax_bytes = 1000T\nduration = 0", UINT64_MAX, 0 },
		{ "schedule = 18:00 UTC\nmax_bytes = 0", UINT64_MAX, 0 },
		{ "max_bytes = 0", UINT64_MAX, 0 },
		{ "max_bytes = 0\nwrite = 50", UINT64_MAX, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[512];
		uint64_t written;
		uint64_t read;

		(void)snprintf(text, sizeof(text),
			"[probe p]\n%s\n[repository r]\npath = /r\nprobes = p\n"
			"daily_write_budget = 0\n",
			cases[i].probe);
		struct config *config = load_text(text);
		config_daily_bytes(&config->repositories[0], &written, &read);
		if (written != cases[i].written || read != cases[i].read)
			fail_msg("case %zu: %ju written, %ju read", i, (uintmax_t)written,
				(uintmax_t)read);
		config_free(config);
	}
}

static void the_shipped_probes_write_less_than_20_gib_a_day(void **state)
{
	struct config *config = load_text("[repository r]\npath = /r\n");
	uint64_t written;
	uint64_t read;

	(void)state;
	config_daily_bytes(&config->repositories[0], &written, &read);
	assert_int_equal(written, 288 * 64 * MIB + UINT64_C(1440) * 100 * 4096);
	assert_int_equal(read, UINT64_C(1440) * 100 * 4096);
	config_free(config);
}

static void too_many_probes_are_refused(void **state)
{
	char text[1024] = "[repository r]\npath = /r\nprobes = ";
	char sections[1024] = "";
	char all[2048];

	(void)state;
	for (int i = 0; i < CONFIG_PROBES_MAX + 1; i++) {
		size_t used = strlen(text);
		size_t sections_used = strlen(sections);

		(void)snprintf(text + used, sizeof(text) - used, "%sp%d", i > 0 ? "," : "", i);
		(void)snprintf(sections + sections_used, sizeof(sections) - sections_used,
			"[probe p%d]\n", i);
	}
	(void)snprintf(all, sizeof(all), "%s\n%s", text, sections);
	assert_refused(all, "a.conf:3: probes: too many entries; expected at most 32");
}

static void mutes_have_their_repositories_and_times(void **state)
{
	struct config *config =
		load_text("[mute nights]\nwhen = 21:30-06:00 UTC\nreason = backups of their own\n"
			  "[repository a]\npath = /a\n[repository b]\npath = /b\n"
			  "[mute works]\nrepository = b, a\nmode = pause\n"
			  "when = 2026-12-24 18:00 to 2026-12-27 06:00 UTC\n");

	(void)state;
	assert_int_equal(config->mute_count, 2);
	assert_string_equal(config->mutes[0].name, "nights");
	assert_int_equal(config->mutes[0].repository_count, 0);
	assert_int_equal(config->mutes[0].mode, MUTE_MESSAGES);
	assert_string_equal(config->mutes[0].reason, "backups of their own");
	assert_string_equal(mute_time_text(config->mutes[0].when), "21:30-06:00 UTC");
	assert_int_equal(config->mutes[1].repository_count, 2);
	assert_string_equal(config->mutes[1].repositories[0], "b");
	assert_int_equal(config->mutes[1].mode, MUTE_PROBING);
	assert_string_equal(config->mutes[1].reason, "");
	config_free(config);
}

static void bad_mutes_are_one_line_each(void **state)
{
	(void)state;
	assert_refused("[mute x]\n", "a.conf:1: [mute x] has no when; expected one such as when =");
	assert_refused("[mute x]\nwhen = 21:30-06:00\nrepository = a\n",
		"a.conf:3: repository: there is no [repository a]");
	assert_refused("[mute x]\nwhen = Mon 20:00\n",
		"a.conf:2: when: \"Mon 20:00\" does not say when it ends: expected");
	assert_refused("[mute x]\nwhen = 21:30-06:00\nmode = stop\n",
		"a.conf:3: mode: stop: expected mute or pause");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_configuration_has_the_defaults),
		cmocka_unit_test(a_repository_with_a_path_alone_has_the_defaults),
		cmocka_unit_test(a_repository_beats_the_defaults),
		cmocka_unit_test(
			an_interval_comes_from_probe_repository_preset_and_defaults_in_turn),
		cmocka_unit_test(
			a_schedule_beats_what_is_inherited_and_is_beaten_by_what_is_nearer),
		cmocka_unit_test(schedule_and_interval_in_one_section_are_refused),
		cmocka_unit_test(a_number_at_any_level_beats_a_preset_s_limit),
		cmocka_unit_test(a_critical_limit_below_the_limit_is_refused_once),
		cmocka_unit_test(a_probe_starts_from_its_preset_whatever_the_order_of_its_keys),
		cmocka_unit_test(what_does_not_fit_together_is_told_where_it_came_in),
		cmocka_unit_test(the_probe_file_is_as_large_as_its_probes_ask),
		cmocka_unit_test(the_runtime_directory_follows_the_state_directory),
		cmocka_unit_test(a_day_costs_what_its_runs_write_and_read),
		cmocka_unit_test(the_shipped_probes_write_less_than_20_gib_a_day),
		cmocka_unit_test(too_many_probes_are_refused),
		cmocka_unit_test(mutes_have_their_repositories_and_times),
		cmocka_unit_test(bad_mutes_are_one_line_each),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
