/* SPDX-License-Identifier: Apache-2.0 */
/* What `repoprobe run` makes of its words, without running anything. */
#include "cli/run_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/format_option.h"
#include "report/format.h"
#include "test.h"

#define SETTINGS_END                                                                               \
	{                                                                                          \
		NULL, NULL                                                                         \
	}

static struct run_request request_of(const struct run_setting *settings)
{
	struct run_request request = { 0 };

	for (; settings->name; settings++)
		request.settings[request.setting_count++] = *settings;
	return request;
}

static void without_options_it_is_the_default_preset_with_its_own_bounds(void **state)
{
	const struct run_request request = { 0 };
	struct workload w;
	(void)state;

	assert_int_equal(run_request_workload(&request, &w, NULL), 0);
	assert_string_equal(w.preset, "active-full");
	assert_int_equal(w.block_size_bytes, 512 << 10);
	assert_int_equal(w.write_percent, 100);
	assert_int_equal(w.max_bytes, UINT64_C(1) << 30);
	assert_int_equal(w.duration_usec, 5000000);
	assert_int_equal(w.max_ios, 0);
}

static void a_preset_changes_the_workload_and_not_the_bounds(void **state)
{
	static const struct run_setting settings[] = { { "preset", "heartbeat" }, SETTINGS_END };
	struct run_request request = request_of(settings);
	struct workload w;
	(void)state;

	assert_int_equal(run_request_workload(&request, &w, NULL), 0);
	assert_string_equal(w.preset, "heartbeat");
	assert_int_equal(w.block_size_bytes, 4096);
	assert_int_equal(w.queue_depth, 1);
	assert_int_equal(w.file_size_bytes, 64 << 20);
	assert_int_equal(w.max_bytes, UINT64_C(1) << 30);
	assert_int_equal(w.duration_usec, 5000000);
	assert_int_equal(w.max_ios, 0);
}

static void a_check_has_the_presets_bounds_on_a_small_file(void **state)
{
	static const struct run_setting settings[][3] = {
		{ SETTINGS_END },
		{ { "preset", "heartbeat" }, SETTINGS_END },
		{ { "file-size", "1G" }, { "timeout", "1min" }, SETTINGS_END },
	};
	static const uint64_t file_bytes[] = { UINT64_C(128) << 20, UINT64_C(64) << 20,
		UINT64_C(1) << 30 };
	static const uint64_t timeouts[] = { 30000000, 30000000, 60000000 };
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		struct run_request request = request_of(settings[i]);
		struct workload w;

		request.bounds = RUN_BOUNDS_OF_CHECK;
		assert_int_equal(run_request_workload(&request, &w, NULL), 0);
		assert_int_equal(w.file_size_bytes, file_bytes[i]);
		assert_int_equal(w.timeout_usec, timeouts[i]);

		static struct job job; /* too large for a stack under sanitizers */
		assert_int_equal(
			run_request_job(&request, "/", "0123456789abcdef", 0, &job, NULL), 0);
		assert_int_equal(job.deadline_usec, timeouts[i]); /* of all of it */
		assert_int_equal(w.max_bytes, i == 1 ? 0 : 64 << 20);
		assert_int_equal(w.max_ios, i == 1 ? 200 : 0);
		assert_int_equal(w.duration_usec, i == 1 ? 3000000 : 5000000);
	}
}

static void other_options_win_wherever_the_preset_stands(void **state)
{
	static const struct run_setting cases[][5] = {
		{ { "preset", "restore" }, { "block-size", "64K" }, { "max-ios", "500" },
			SETTINGS_END },
		{ { "block-size", "64K" }, { "preset", "restore" }, { "max-ios", "500" },
			SETTINGS_END },
		{ { "block-size", "64K" }, { "max-ios", "500" }, { "preset", "active-full" },
			{ "preset", "restore" }, SETTINGS_END },
		{ { "block-size", "4K" }, { "block-size", "64K" }, { "preset", "restore" },
			{ "max-ios", "500" }, SETTINGS_END },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_request request = request_of(cases[i]);
		struct workload w;

		assert_int_equal(run_request_workload(&request, &w, NULL), 0);
		assert_string_equal(w.preset, "restore");
		assert_int_equal(w.write_percent, 0);
		assert_int_equal(w.block_size_bytes, 64 << 10);
		assert_int_equal(w.max_ios, 500);
		assert_int_equal(w.max_bytes, UINT64_C(1) << 30);
	}
}

static void a_longer_run_is_one_option(void **state)
{
	static const struct run_setting settings[] = { { "duration", "10min" },
		{ "max-bytes", "0" }, SETTINGS_END };
	struct run_request request = request_of(settings);
	struct workload w;
	(void)state;

	assert_int_equal(run_request_workload(&request, &w, NULL), 0);
	assert_int_equal(w.duration_usec, 600000000);
	assert_int_equal(w.max_bytes, 0);
	assert_true(w.timeout_usec > w.duration_usec);
}

static void mistakes_name_the_option_as_it_was_typed(void **state)
{
	static const struct {
		struct run_setting settings[3];
		const char *text;
	} cases[] = {
		{ { { "block-size", "64KB" }, SETTINGS_END },
			"--block-size: 64KB: 64000 bytes is not a multiple of 4096; did you mean 64K?" },
		{ { { "preset", "restor" }, SETTINGS_END },
			"--preset: restor: not a preset (repoprobe presets lists them); did you mean "
			"restore?" },
		{ { { "queue-depth", "0" }, SETTINGS_END },
			"--queue-depth: 0: must be from 1 to 1024" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_request request = request_of(cases[i].settings);
		struct workload w;
		struct error error = { "" };

		assert_true(run_request_workload(&request, &w, &error) < 0);
		assert_string_equal(error.text, cases[i].text);
	}
}

static void a_workload_that_makes_no_sense_is_refused(void **state)
{
	static const struct run_setting settings[] = { { "duration", "0" }, { "max-bytes", "0" },
		SETTINGS_END };
	struct run_request request = request_of(settings);
	struct workload w;
	struct error error = { "" };
	(void)state;

	assert_int_equal(run_request_workload(&request, &w, &error), -EINVAL);
	assert_string_not_equal(error.text, "");
}

static void rows_are_the_options_of_the_model(void **state)
{
	struct run_workload_rows rows;
	struct run_request request = { 0 };
	struct option_group group = { "Workload", NULL, 0, &request };
	char *words[] = { (char[]){ "--block-size=4K" }, (char[]){ "--write" }, (char[]){ "30" },
		(char[]){ "/backup" } };
	struct arguments args = { .words = words, .count = 4 };
	struct error error = { "" };
	(void)state;

	run_workload_rows_init(&rows);
	group.options = rows.options;
	group.count = rows.count;
	assert_int_equal(options_parse(&group, 1, &args, &error), 0);
	assert_int_equal(args.count, 1);
	assert_string_equal(args.words[0], "/backup");
	assert_int_equal(request.setting_count, 2);
	assert_string_equal(request.settings[0].name, "block-size");
	assert_string_equal(request.settings[0].value, "4K");
	assert_string_equal(request.settings[1].name, "write");
	assert_string_equal(request.settings[1].value, "30");

	char *more[] = { (char[]){ "--rate-iops=100" } };
	args = (struct arguments){ .words = more, .count = 1 };
	assert_int_equal(options_parse(&group, 1, &args, &error), 0);
	assert_string_equal(request.settings[2].name, "rate-iops");
}

static void formats(void **state)
{
	static const struct cli_option format = { .name = "format",
		.offset = offsetof(struct run_request, format) };
	static const struct cli_option json = { .name = "json",
		.offset = offsetof(struct run_request, format) };
	struct run_request request = { 0 };
	struct error error = { "" };
	(void)state;

	assert_int_equal(format_option_set(&format, "xdisk", &request, &error), 0);
	assert_string_equal(request.format->name, "xdisk");
	assert_int_equal(format_option_set(&format, "fio-json", &request, &error), 0);
	assert_string_equal(request.format->name, "fio-json");
	assert_int_equal(format_option_set(&json, NULL, &request, &error), 0);
	assert_string_equal(request.format->name, "json");
	assert_int_equal(format_option_set(&format, "jsno", &request, &error), -EINVAL);
	assert_string_equal(
		error.text, "jsno: not a format (text, json, xdisk, fio-json); did you mean json?");
	assert_int_equal(format_option_set(&format, "yaml", &request, &error), -EINVAL);
	assert_string_equal(error.text, "yaml: not a format (text, json, xdisk, fio-json)");
	assert_string_equal(request.format->name, "json");
}

static void directories_become_absolute_by_text(void **state)
{
	static const struct {
		const char *cwd;
		const char *dir;
		const char *path;
	} cases[] = {
		{ NULL, "/mnt/backup", "/mnt/backup" },
		{ NULL, "/mnt/backup/", "/mnt/backup" },
		{ NULL, "//mnt/./backup//", "/mnt/backup" },
		{ NULL, "/", "/" },
		{ NULL, "/..", "/" },
		{ NULL, "/mnt/../etc", "/mnt/../etc" }, /* /mnt may be a link */
		{ "/home/me", ".", "/home/me" },
		{ "/home/me", "backup", "/home/me/backup" },
		{ "/home/me", "./backup/", "/home/me/backup" },
		{ "/home/me", "..", "/home" },
		{ "/home/me", "../you", "/home/you" },
		{ "/home/me", "../../..", "/" },
		{ "/home/me", "./.././you", "/home/you" },
		{ "/home/me", "a/../b", "/home/me/a/../b" },
		{ "/", "backup", "/backup" },
		{ "/", "..", "/" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[JOB_PATH_MAX + 1];

		assert_int_equal(run_absolute_path(cases[i].cwd, cases[i].dir, path, NULL), 0);
		assert_string_equal(path, cases[i].path);
	}
}

static void directories_that_cannot_be_named(void **state)
{
	char path[JOB_PATH_MAX + 1];
	char *longest = malloc(JOB_PATH_MAX + 2);
	(void)state;

	assert_non_null(longest);
	memset(longest, 'a', JOB_PATH_MAX + 1);
	longest[0] = '/';
	longest[JOB_PATH_MAX + 1] = '\0';
	assert_int_equal(run_absolute_path("/", "", path, NULL), -EINVAL);
	assert_int_equal(run_absolute_path(NULL, "backup", path, NULL), -EINVAL);
	assert_int_equal(run_absolute_path("(unreachable)/x", "backup", path, NULL), -EINVAL);
	assert_int_equal(run_absolute_path(NULL, longest, path, NULL), -ENAMETOOLONG);
	longest[JOB_PATH_MAX] = '\0';
	assert_int_equal(run_absolute_path(NULL, longest, path, NULL), 0);
	assert_string_equal(path, longest);
	assert_int_equal(run_absolute_path("/x", longest + 1, path, NULL), -ENAMETOOLONG);
	free(longest);
}

static void a_job_uses_the_file_of_the_command_line(void **state)
{
	static const struct run_setting settings[] = { { "file-size", "8M" }, SETTINGS_END };
	struct run_request request = request_of(settings);
	struct job *job = calloc(1, sizeof(*job));
	(void)state;

	assert_non_null(job);
	assert_int_equal(run_request_job(&request, "/backup", "0123456789abcdef", 7, job, NULL), 0);
	assert_string_equal(job->repository_path, "/backup");
	assert_string_equal(job->probe_directory, "");
	assert_string_equal(job->file_name, "0123456789abcdef-7-run.dat");
	assert_int_equal(job->file_target_bytes, 8 << 20);
	assert_int_equal(job->first_layout_bytes, 0);
	assert_int_equal(job->growth_bytes, 0);
	assert_false(job->keep_file);
	request.keep_file = true;
	assert_int_equal(run_request_job(&request, "/backup", "0123456789abcdef", 7, job, NULL), 0);
	assert_true(job->keep_file);
	free(job);
}

static void a_tidying_job_takes_the_same_file_over_and_removes_it(void **state)
{
	const struct run_request request = { .keep_file = true };
	struct job *job = calloc(1, sizeof(*job));
	(void)state;

	assert_non_null(job);
	assert_int_equal(run_request_job(&request, "/backup", "0123456789abcdef", 7, job, NULL), 0);
	run_make_tidying_job(job);
	assert_string_equal(job->repository_path, "/backup");
	assert_string_equal(job->file_name, "0123456789abcdef-7-run.dat");
	assert_false(job->keep_file);
	assert_false(workload_writes(&job->workload));
	assert_int_equal(job->workload.max_ios, 1);
	assert_int_equal(workload_check(&job->workload, NULL), 0);
	assert_int_equal(job->deadline_usec, 1); /* so that it measures nothing */
	free(job);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_it_is_the_default_preset_with_its_own_bounds),
		cmocka_unit_test(a_preset_changes_the_workload_and_not_the_bounds),
		cmocka_unit_test(a_check_has_the_presets_bounds_on_a_small_file),
		cmocka_unit_test(other_options_win_wherever_the_preset_stands),
		cmocka_unit_test(a_longer_run_is_one_option),
		cmocka_unit_test(mistakes_name_the_option_as_it_was_typed),
		cmocka_unit_test(a_workload_that_makes_no_sense_is_refused),
		cmocka_unit_test(rows_are_the_options_of_the_model),
		cmocka_unit_test(formats),
		cmocka_unit_test(directories_become_absolute_by_text),
		cmocka_unit_test(directories_that_cannot_be_named),
		cmocka_unit_test(a_job_uses_the_file_of_the_command_line),
		cmocka_unit_test(a_tidying_job_takes_the_same_file_over_and_removes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
