/* SPDX-License-Identifier: Apache-2.0 */
/* What `repoprobe run` was asked for, and the job that comes of it. Pure: no file is touched, for
 * the path may hang. */
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

/* The bounds of a run by hand, whatever the preset: the first reached ends it. */
#define RUN_MAX_BYTES (UINT64_C(1) << 30)
#define RUN_DURATION_USEC (UINT64_C(5) * 1000000)

/* Those of a check: the preset's, on a small file, and an answer before a monitoring system gives
 * up.
 */
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

/* The workload options as rows for options_parse, whose target is a struct run_request; those that
 * are not available refuse themselves. */
struct run_workload_rows {
	size_t count;
	struct cli_option options[RUN_WORKLOAD_OPTIONS_MAX];
	char names[RUN_WORKLOAD_OPTIONS_MAX][32];
};
void run_workload_rows_init(struct run_workload_rows *rows);

/* The default preset or the one given, with the bounds above; then every other option, whatever its
 * place. Returns 0, or -errno with a sentence that names the option. */
int run_request_workload(
	const struct run_request *request, struct workload *ret, struct error *reterr);

/* Makes DIR absolute by text alone: joins it to cwd, drops ".", empty and leading ".." components.
 * Returns 0, -EINVAL (empty, or relative without a cwd) or -ENAMETOOLONG. */
int run_absolute_path(
	const char *cwd, const char *dir, char ret[JOB_PATH_MAX + 1], struct error *reterr);

/* From a job whose worker was killed, the smallest one that takes its file over and removes it with
 * all the care that the worker takes: a single read. */
void run_make_tidying_job(struct job *job);

/* The job of a request. Returns what the two above return. */
int run_request_job(const struct run_request *request, const char *absolute_path,
	const char *host_id, unsigned uid, struct job *ret, struct error *reterr);

#endif
