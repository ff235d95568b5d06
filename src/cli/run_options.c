/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the options of `repoprobe run` to a job. */
#include "cli/run_options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define MIN_FREE_PERCENT 5
#define TIDYING_DURATION_USEC (1 * USEC_PER_SEC)
#define TIDYING_TIMEOUT_USEC (4 * USEC_PER_SEC)

static void replace(char *text, char from, char to)
{
	for (; *text; text++)
		if (*text == from)
			*text = to;
}

static int add_setting(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct run_request *request = target;

	if (request->setting_count == RUN_SETTINGS_MAX)
		return error_set(reterr, -E2BIG, "too many options");
	request->settings[request->setting_count++] =
		(struct run_setting){ .name = option->name, .value = value };
	return 0;
}

void run_workload_rows_init(struct run_workload_rows *rows)
{
	rows->count = 0;
	for (; workload_option_at(rows->count); rows->count++) {
		const struct workload_option *option = workload_option_at(rows->count);
		char *name = rows->names[rows->count];

		assert(rows->count < RUN_WORKLOAD_OPTIONS_MAX);
		int n = snprintf(name, sizeof(rows->names[0]), "%s", option->key);
		assert(n > 0 && (size_t)n < sizeof(rows->names[0]));
		(void)n; /* unused without assertions */
		replace(name, '_', '-');
		rows->options[rows->count] = (struct cli_option){
			.name = name,
			.value_name = option->value_name,
			.help = option->help,
			.set = add_setting,
			.is_planned = !option->is_available,
		};
	}
}

/* Errors name the option as typed: "--block-size: …", not "block_size: …". */
static int apply(struct workload *w, const struct run_setting *setting, struct error *reterr)
{
	char key[32];
	struct error error = { "" };

	(void)snprintf(key, sizeof(key), "%s", setting->name); /* copied from such a field */
	replace(key, '-', '_');
	int r = workload_set(w, key, setting->value, &error);
	if (r == 0)
		return 0;
	size_t len = strlen(key);
	bool is_prefixed = strncmp(error.text, key, len) == 0 && error.text[len] == ':';
	return error_set(reterr, r, "--%s: %s", setting->name,
		error.text + (is_prefixed ? len + strspn(error.text + len, ": ") : 0));
}

static bool is_preset(const struct run_setting *setting)
{
	return strcmp(setting->name, "preset") == 0;
}

static void set_bounds(enum run_bounds bounds, struct workload *w)
{
	switch (bounds) {
	case RUN_BOUNDS_BY_HAND:
		w->max_bytes = RUN_MAX_BYTES;
		w->duration_usec = RUN_DURATION_USEC;
		w->max_ios = 0;
		return;
	case RUN_BOUNDS_OF_CHECK:
		if (w->file_size_bytes == 0)
			w->file_size_bytes = RUN_CHECK_FILE_BYTES;
		w->timeout_usec = RUN_CHECK_TIMEOUT_USEC;
		return;
	}
}

/* A preset resets all other options, so it is applied first; the last of several counts. */
static int apply_preset(const struct run_request *request, struct workload *w, struct error *reterr)
{
	*w = workload_preset_default()->workload;
	for (size_t i = 0; i < request->setting_count; i++) {
		int r = is_preset(&request->settings[i]) ? apply(w, &request->settings[i], reterr)
							 : 0;
		if (r < 0)
			return r;
	}
	set_bounds(request->bounds, w);
	return 0;
}

int run_request_workload(
	const struct run_request *request, struct workload *ret, struct error *reterr)
{
	struct workload w;
	int r = apply_preset(request, &w, reterr);

	for (size_t i = 0; r == 0 && i < request->setting_count; i++)
		if (!is_preset(&request->settings[i]))
			r = apply(&w, &request->settings[i], reterr);
	if (r == 0)
		r = workload_check(&w, reterr);
	if (r < 0)
		return r;
	*ret = w;
	return 0;
}

/* Appends "/component" unless it is empty or ".". A leading ".." goes up, because the cwd before it
 * comes from the kernel and has no links. Elsewhere ".." is kept: links may lead anywhere. */
static int add_component(
	char *path, size_t *len, const char *component, size_t component_len, bool *can_go_up)
{
	bool is_up = component_len == 2 && memcmp(component, "..", 2) == 0;

	if (component_len == 0 || (component_len == 1 && component[0] == '.'))
		return 0;
	if (is_up && *can_go_up) {
		while (*len > 0 && path[--*len] != '/')
			;
		path[*len] = '\0';
		return 0;
	}
	*can_go_up = false;
	if (*len + 1 + component_len > JOB_PATH_MAX)
		return -ENAMETOOLONG;
	path[(*len)++] = '/';
	memcpy(path + *len, component, component_len);
	*len += component_len;
	path[*len] = '\0';
	return 0;
}

int run_absolute_path(
	const char *cwd, const char *dir, char ret[JOB_PATH_MAX + 1], struct error *reterr)
{
	char path[JOB_PATH_MAX + 1] = "";
	size_t len = 0;
	bool is_relative = dir[0] != '/';
	bool can_go_up = true;

	if (dir[0] == '\0')
		return error_set(reterr, -EINVAL, "the directory's name is empty");
	if (is_relative && (!cwd || cwd[0] != '/'))
		return error_set(reterr, -EINVAL, "%s: the current directory is unknown", dir);
	if (is_relative) {
		len = strlen(cwd);
		if (len > JOB_PATH_MAX)
			return error_set(reterr, -ENAMETOOLONG, "%s: the path is too long", cwd);
		memcpy(path, cwd, len + 1);
		while (len > 0 && path[len - 1] == '/')
			path[--len] = '\0';
	}
	while (*dir) {
		size_t component_len = strcspn(dir, "/");
		int r = add_component(path, &len, dir, component_len, &can_go_up);
		if (r < 0)
			return error_set(
				reterr, r, "the path is longer than %d bytes", JOB_PATH_MAX);
		dir += component_len + (dir[component_len] == '/');
	}
	memcpy(ret, len > 0 ? path : "/", len > 0 ? len + 1 : 2);
	return 0;
}

int run_request_job(const struct run_request *request, const char *absolute_path,
	const char *host_id, unsigned uid, struct job *ret, struct error *reterr)
{
	int r = run_request_workload(request, &ret->workload, reterr);

	if (r < 0)
		return r;
	ret->kind = JOB_BLOCK;
	(void)snprintf(ret->repository_path, sizeof(ret->repository_path), "%s", absolute_path);
	ret->probe_directory[0] = '\0';
	job_file_name(ret, host_id, uid, true);
	ret->file_target_bytes = ret->workload.file_size_bytes;
	ret->first_layout_bytes = 0; /* all of it */
	ret->growth_bytes = 0;
	ret->min_free_bytes = 0;
	ret->min_free_percent = MIN_FREE_PERCENT;
	ret->keep_file = request->keep_file;
	ret->deadline_usec = ret->workload.timeout_usec;
	ret->null_latency_nsec = 0;
	return 0;
}

void run_make_tidying_job(struct job *job)
{
	job->workload = (struct workload){
		.preset = "heartbeat",
		.block_size_bytes = 4096,
		.pattern = WORKLOAD_SEQUENTIAL,
		.queue_depth = 1,
		.threads = 1,
		.cache = WORKLOAD_BUFFERED,
		.file_size_bytes = WORKLOAD_FILE_SIZE_MIN,
		.duration_usec = TIDYING_DURATION_USEC,
		.max_ios = 1,
		.timeout_usec = TIDYING_TIMEOUT_USEC,
	};
	job->deadline_usec = 1; /* no time to measure: only opens and removes the file */
	job->file_target_bytes = WORKLOAD_FILE_SIZE_MIN;
	job->min_free_bytes = 0;
	job->min_free_percent = 0;
	job->keep_file = false;
}
