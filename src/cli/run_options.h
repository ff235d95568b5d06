/* SPDX-License-Identifier: Apache-2.0 */
/* The request of `repoprobe run` and the job made from it. Pure: touches no file, because the path
 * may hang. */
#ifndef REPOPROBE_CLI_RUN_OPTIONS_H
#define REPOPROBE_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "model/job.h"

struct error;
struct report_format;

#define RUN_SETTINGS_MAX 64
#define RUN_WORKLOAD_OPTIONS_MAX 32

/* The bounds of a manual run, whatever the preset: the first reached ends it. */
#define RUN_MAX_BYTES (UINT64_C(1) << 30)
#define RUN_DURATION_USEC (UINT64_C(5) * 1000000)

/* Those of a check: the preset's, on a small file, with a result before monitoring systems time
 * out. */
#define RUN_CHECK_FILE_BYTES (UINT64_C(128) << 20)
#define RUN_CHECK_TIMEOUT_USEC (UINT64_C(30) * 1000000)

enum run_bounds {
	RUN_BOUNDS_BY_HAND,
	RUN_BOUNDS_OF_CHECK,
};

struct run_setting {
	const char *name; /* of the option: "block-size" */
	const char *value;
};

struct run_request {
	const struct report_format *format; /* NULL: the default one */
	bool keep_file;
	enum run_bounds bounds;
	size_t setting_count; /* workload options, in the order given */
	struct run_setting settings[RUN_SETTINGS_MAX];
};

/* The workload options as rows for options_parse, with a struct run_request as target. Setters of
 * unavailable options refuse. */
struct run_workload_rows {
	size_t count;
	struct cli_option options[RUN_WORKLOAD_OPTIONS_MAX];
	char names[RUN_WORKLOAD_OPTIONS_MAX][32];
};
void run_workload_rows_init(struct run_workload_rows *rows);

/* Applies the default preset or the given one, with the bounds above; then every other option,
 * whatever the order. Returns 0, or -errno with a sentence that names the option. */
int run_request_workload(
	const struct run_request *request, struct workload *ret, struct error *reterr);

/* Makes DIR absolute by text alone: joins it to cwd, drops ".", empty and leading ".." components.
 * Returns 0, -EINVAL (empty, or relative without a cwd) or -ENAMETOOLONG. */
int run_absolute_path(
	const char *cwd, const char *dir, char ret[JOB_PATH_MAX + 1], struct error *reterr);

/* Turns the job of a killed worker into the smallest one, a single read, that takes over its file
 * and removes it with the worker's checks. */
void run_make_tidying_job(struct job *job);

/* Makes the job of a request. Returns what the functions above return. */
int run_request_job(const struct run_request *request, const char *absolute_path,
	const char *host_id, unsigned uid, struct job *ret, struct error *reterr);

#endif
