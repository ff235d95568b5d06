/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a run's parts, its totals and rates, and the function that fails it. */
#include "model/run.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "model/names.h"

static const char *const operation_names[RUN_OPERATIONS] = {
	[RUN_READ] = "read",
	[RUN_WRITE] = "write",
};

static const char *const status_names[RUN_STATUSES] = {
	[RUN_OK] = "ok",
	[RUN_ERROR] = "error",
	[RUN_STALLED] = "stalled",
	[RUN_TIMEOUT] = "timeout",
	[RUN_STUCK] = "stuck",
	[RUN_NOT_MOUNTED] = "not_mounted",
	[RUN_WRONG_TARGET] = "wrong_target",
	[RUN_READ_ONLY] = "read_only",
	[RUN_NO_SPACE] = "no_space",
	[RUN_REFUSED] = "refused",
	[RUN_SKIPPED] = "skipped",
};

static const char *const skip_names[RUN_SKIPS] = {
	[RUN_SKIP_NONE] = "",
	[RUN_SKIP_OVERLAP] = "overlap",
	[RUN_SKIP_IN_USE] = "in_use",
	[RUN_SKIP_BUSY] = "busy",
	[RUN_SKIP_MUTE] = "mute",
	[RUN_SKIP_BUDGET] = "budget",
};

static const struct {
	const char *name;
	const char *text;
} setup_steps[RUN_SETUP_STEPS] = {
	[RUN_SETUP_NONE] = { "", "" },
	[RUN_SETUP_REPOSITORY] = { "repository", "opening the repository" },
	[RUN_SETUP_DIRECTORY] = { "directory", "opening the probe directory" },
	[RUN_SETUP_OPEN] = { "open", "opening the probe file" },
	[RUN_SETUP_LOCK] = { "lock", "locking the probe file" },
	[RUN_SETUP_HEADER] = { "header", "reading the header of the probe file" },
	[RUN_SETUP_EXAMINE] = { "examine", "examining the probe file" },
	[RUN_SETUP_LAYOUT] = { "layout", "one write to lay out the probe file" },
	[RUN_SETUP_ENGINE] = { "engine", "preparing the I/O" },
};

static const char *const trust_names[RUN_TRUST_FLAGS] = {
	"direct",
	"buffered",
	"fallback",
	"cached?",
	"compressed?",
	"split",
	"clamped",
	"short",
	"warming",
};

static const char *const engine_names[] = {
	[WORKLOAD_ENGINE_AUTO] = "auto",
	[WORKLOAD_ENGINE_IO_URING] = "io_uring",
	[WORKLOAD_ENGINE_THREADS] = "threads",
};

const char *run_operation_name(enum run_operation operation)
{
	assert((size_t)operation < RUN_OPERATIONS);
	return operation_names[operation];
}

int run_operation_parse(const char *text, enum run_operation *ret)
{
	int r = names_index(operation_names, 0, RUN_OPERATIONS, text);
	if (r < 0)
		return r;
	*ret = (enum run_operation)r;
	return 0;
}

const char *run_status_name(enum run_status status)
{
	assert((size_t)status < RUN_STATUSES);
	return status_names[status];
}

int run_status_parse(const char *text, enum run_status *ret)
{
	int r = names_index(status_names, 0, RUN_STATUSES, text);
	if (r < 0)
		return r;
	*ret = (enum run_status)r;
	return 0;
}

const char *run_skip_name(enum run_skip skip)
{
	assert((size_t)skip < RUN_SKIPS);
	return skip_names[skip];
}

int run_skip_parse(const char *text, enum run_skip *ret)
{
	int r = names_index(skip_names, RUN_SKIP_NONE, RUN_SKIPS, text);
	if (r < 0)
		return r;
	*ret = (enum run_skip)r;
	return 0;
}

const char *run_trust_name(unsigned bit)
{
	assert(bit < RUN_TRUST_FLAGS);
	return trust_names[bit];
}

const char *run_setup_step_name(enum run_setup_step step)
{
	assert(step < RUN_SETUP_STEPS);
	return setup_steps[step].name;
}

const char *run_setup_step_text(enum run_setup_step step)
{
	assert(step < RUN_SETUP_STEPS);
	return setup_steps[step].text;
}

const char *run_engine_name(enum workload_engine engine)
{
	assert((size_t)engine < sizeof(engine_names) / sizeof(engine_names[0]));
	return engine_names[engine];
}

void run_total(const struct run *run, struct run_operation_result *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct run_operation_result *o = &run->operations[i];
		ret->ios += o->ios;
		ret->bytes += o->bytes;
		ret->errors += o->errors;
		histogram_merge(&ret->latency, &o->latency);
	}
	ret->active_nsec = run->measured_nsec;
}

bool run_status_has_numbers(enum run_status status)
{
	return status == RUN_OK || status == RUN_STALLED;
}

bool run_is_own_trouble(const struct run *run)
{
	return run->status == RUN_SKIPPED && run->skip == RUN_SKIP_NONE;
}

bool run_is_measured(const struct run *run)
{
	return run->operations[RUN_READ].ios > 0 || run->operations[RUN_WRITE].ios > 0;
}

static uint64_t bytes_per_sec(uint64_t bytes, uint64_t nsec)
{
	if (nsec == 0)
		return 0;
	unsigned __int128 scaled = (unsigned __int128)bytes * NSEC_PER_SEC;
	scaled = (scaled + nsec / 2) / nsec;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

bool run_had_no_uring(const struct run *run)
{
	return run->engine == WORKLOAD_ENGINE_THREADS &&
		run->workload.engine == WORKLOAD_ENGINE_AUTO;
}

uint64_t run_throughput_bytes_per_sec(const struct run *run, const struct run_operation_result *o)
{
	return bytes_per_sec(o->bytes, run->measured_nsec);
}

uint64_t run_active_throughput_bytes_per_sec(const struct run_operation_result *o)
{
	return bytes_per_sec(o->bytes, o->active_nsec);
}

double run_iops(const struct run *run, const struct run_operation_result *o)
{
	if (run->measured_nsec == 0)
		return 0;
	return (double)o->ios * (double)NSEC_PER_SEC / (double)run->measured_nsec;
}

double run_iops_stddev(const struct run_iops *iops)
{
	/* N × Σ(x - mean)² = N Σx² - (Σx)²: in integers, so the subtraction is exact. */
	unsigned __int128 squares = (unsigned __int128)iops->squares * iops->seconds;
	unsigned __int128 square = (unsigned __int128)iops->ios * iops->ios;

	if (iops->seconds == 0 || squares <= square)
		return 0;
	return sqrt((double)(squares - square)) / iops->seconds;
}

void run_fail(struct run *run, enum run_status status, int error_number, const char *format, ...)
{
	char text[RUN_REASON_MAX +
		8]; /* longer than the field, so that the cut sees whole characters */
	va_list ap;

	run->status = status;
	run->error_number = error_number;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	size_t len = n < 0 ? 0 : utf8_cut(text, sizeof(run->reason) - 1);
	memcpy(run->reason, text, len);
	run->reason[len] = '\0';
}

static void copy_name(char dst[RUN_NAME_MAX + 1], const char *name)
{
	size_t len = utf8_cut(name, RUN_NAME_MAX);

	memcpy(dst, name, len);
	dst[len] = '\0';
}

struct run *run_new(const char *repository, const char *probe)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	copy_name(run->repository, repository);
	copy_name(run->probe, probe);
	return run;
}
