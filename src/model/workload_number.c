/* SPDX-License-Identifier: Apache-2.0 */
/* The numeric options of a workload: counts, sizes, durations, percentages. */
#include "model/workload_form.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/workload.h"

#define SEED_MAX ((UINT64_C(1) << 63) - 1) /* JSON integers are signed */
#define RATE_MAX_BYTES (UINT64_C(1) << 50)
#define RATE_MAX_IOS UINT64_C(1000000000)
#define BURST_MAX 1000000
#define IOS_MAX UINT64_C(1000000000000)
#define DURATION_MAX_USEC (UINT64_C(86400) * USEC_PER_SEC)
#define TIMEOUT_MIN_USEC USEC_PER_SEC
#define TIMEOUT_SLACK_USEC (60 * USEC_PER_SEC)

static int set_write(struct workload *w, const char *value, struct error *reterr)
{
	return parse_percent(value, &w->write_percent, reterr);
}

static void get_write(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%u", (unsigned)w->write_percent);
}

static int set_queue_depth(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t depth;
	int r = parse_uint(value, 1, WORKLOAD_QUEUE_DEPTH_MAX, &depth, reterr);

	if (r < 0)
		return r;
	w->queue_depth = (uint32_t)depth;
	return 0;
}

static void get_queue_depth(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%u", w->queue_depth);
}

static int set_threads(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t threads;
	int r = parse_uint(value, 1, WORKLOAD_THREADS_MAX, &threads, reterr);

	if (r < 0)
		return r;
	w->threads = (uint32_t)threads;
	return 0;
}

static void get_threads(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%u", w->threads);
}

static int set_file_size(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t bytes = 0;
	int r;

	if (strcmp(value, "auto") != 0) {
		r = parse_size(value, &bytes, reterr);
		if (r < 0)
			return r;
		if (bytes < WORKLOAD_FILE_SIZE_MIN)
			return error_set(reterr, -ERANGE, "%.60s: too small: at least 1M", value);
		if (bytes > INT64_MAX)
			return error_set(reterr, -ERANGE, "%.60s: too large", value);
	}
	w->file_size_bytes = bytes;
	return 0;
}

static void get_file_size(const struct workload *w, struct buf *b)
{
	if (w->file_size_bytes == 0)
		buf_add_text(b, "auto");
	else
		format_size(b, w->file_size_bytes);
}

static int read_duration(
	const char *value, uint64_t min_usec, uint64_t *ret_usec, struct error *reterr)
{
	uint64_t usec;
	int r = parse_duration(value, &usec, reterr);

	if (r < 0)
		return r;
	if (usec < min_usec)
		return error_set(reterr, -ERANGE, "%.60s: too short: at least 1s", value);
	if (usec > DURATION_MAX_USEC)
		return error_set(reterr, -ERANGE, "%.60s: too long: at most 1d", value);
	*ret_usec = usec;
	return 0;
}

/* A timeout that was not set explicitly follows the duration, so that a longer run needs one
 * option, not two. */
static int set_duration(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t usec = 0;
	int r = read_duration(value, 0, &usec, reterr);

	if (r < 0)
		return r;
	bool is_timeout_default = w->timeout_usec == TIMEOUT_SLACK_USEC ||
		w->timeout_usec == w->duration_usec + TIMEOUT_SLACK_USEC;
	if (is_timeout_default)
		w->timeout_usec = TIMEOUT_SLACK_USEC + (usec >= TIMEOUT_SLACK_USEC ? usec : 0);
	w->duration_usec = usec;
	return 0;
}

static void get_duration(const struct workload *w, struct buf *b)
{
	format_duration(b, w->duration_usec);
}

static int set_warmup(struct workload *w, const char *value, struct error *reterr)
{
	bool is_number = value[0] != '\0' && value[strspn(value, "0123456789")] == '\0';
	uint64_t number = 0;
	int r = is_number ? parse_uint(value, 0, IOS_MAX, &number, reterr)
			  : read_duration(value, 0, &number, reterr);

	if (r < 0)
		return r;
	w->warmup_ios = is_number ? number : 0;
	w->warmup_usec = is_number ? 0 : number;
	return 0;
}

static void get_warmup(const struct workload *w, struct buf *b)
{
	if (w->warmup_usec > 0)
		format_duration(b, w->warmup_usec);
	else
		buf_printf(b, "%llu", (unsigned long long)w->warmup_ios);
}

static int set_max_bytes(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t bytes;
	int r = parse_size(value, &bytes, reterr);

	if (r < 0)
		return r;
	if (bytes > INT64_MAX)
		return error_set(reterr, -ERANGE, "%.60s: too large", value);
	w->max_bytes = bytes;
	return 0;
}

static void get_max_bytes(const struct workload *w, struct buf *b)
{
	format_size(b, w->max_bytes);
}

static int set_max_ios(struct workload *w, const char *value, struct error *reterr)
{
	return parse_uint(value, 0, IOS_MAX, &w->max_ios, reterr);
}

static void get_max_ios(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%llu", (unsigned long long)w->max_ios);
}

static int set_rate(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t bytes;
	int r = parse_size(value, &bytes, reterr);

	if (r < 0)
		return r;
	if (bytes > RATE_MAX_BYTES)
		return error_set(reterr, -ERANGE, "%.60s: too large: at most 1P", value);
	w->rate_bytes_per_sec = bytes;
	return 0;
}

static void get_rate(const struct workload *w, struct buf *b)
{
	format_size(b, w->rate_bytes_per_sec);
}

static int set_rate_iops(struct workload *w, const char *value, struct error *reterr)
{
	return parse_uint(value, 0, RATE_MAX_IOS, &w->rate_ios_per_sec, reterr);
}

static void get_rate_iops(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%llu", (unsigned long long)w->rate_ios_per_sec);
}

static int set_think_time(struct workload *w, const char *value, struct error *reterr)
{
	return read_duration(value, 0, &w->think_time_usec, reterr);
}

static void get_think_time(const struct workload *w, struct buf *b)
{
	format_duration(b, w->think_time_usec);
}

static int set_burst(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t ios;
	int r = parse_uint(value, 1, BURST_MAX, &ios, reterr);

	if (r < 0)
		return r;
	w->burst_ios = ios == 1 ? 0 : (uint32_t)ios;
	return 0;
}

static void get_burst(const struct workload *w, struct buf *b)
{
	buf_printf(b, "%u", w->burst_ios > 0 ? w->burst_ios : 1);
}

static int set_seed(struct workload *w, const char *value, struct error *reterr)
{
	uint64_t seed = 0;
	bool has_seed = strcmp(value, "auto") != 0;

	if (has_seed) {
		int r = parse_uint(value, 0, SEED_MAX, &seed, reterr);
		if (r < 0)
			return r;
	}
	w->has_seed = has_seed;
	w->seed = seed;
	return 0;
}

static void get_seed(const struct workload *w, struct buf *b)
{
	if (w->has_seed)
		buf_printf(b, "%llu", (unsigned long long)w->seed);
	else
		buf_add_text(b, "auto");
}

static int set_timeout(struct workload *w, const char *value, struct error *reterr)
{
	return read_duration(value, TIMEOUT_MIN_USEC, &w->timeout_usec, reterr);
}

static void get_timeout(const struct workload *w, struct buf *b)
{
	format_duration(b, w->timeout_usec);
}

const struct workload_form workload_form_write = { set_write, get_write };
const struct workload_form workload_form_queue_depth = { set_queue_depth, get_queue_depth };
const struct workload_form workload_form_threads = { set_threads, get_threads };
const struct workload_form workload_form_file_size = { set_file_size, get_file_size };
const struct workload_form workload_form_duration = { set_duration, get_duration };
const struct workload_form workload_form_warmup = { set_warmup, get_warmup };
const struct workload_form workload_form_max_bytes = { set_max_bytes, get_max_bytes };
const struct workload_form workload_form_max_ios = { set_max_ios, get_max_ios };
const struct workload_form workload_form_rate = { set_rate, get_rate };
const struct workload_form workload_form_rate_iops = { set_rate_iops, get_rate_iops };
const struct workload_form workload_form_think_time = { set_think_time, get_think_time };
const struct workload_form workload_form_burst = { set_burst, get_burst };
const struct workload_form workload_form_seed = { set_seed, get_seed };
const struct workload_form workload_form_timeout = { set_timeout, get_timeout };
