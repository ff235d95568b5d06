/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a workload to fio options. Sizes are in plain bytes, because fio reads "KiB" as 1000. */
#include "report/run_fio_options.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "model/run.h"

#define VALUE_MAX 64

static void add_number(struct json_t *object, const char *key, uint64_t value)
{
	struct buf b = BUF_INIT(VALUE_MAX);

	buf_printf(&b, "%" PRIu64, value);
	json_add_text(object, key, buf_text(&b));
	buf_done(&b);
}

static void add_number_unless_zero(struct json_t *object, const char *key, uint64_t value)
{
	if (value > 0)
		add_number(object, key, value);
}

/* fio reads plain numbers as seconds. */
static void add_time_unless_zero(struct json_t *object, const char *key, uint64_t usec)
{
	struct buf b = BUF_INIT(VALUE_MAX);

	if (usec % USEC_PER_SEC == 0)
		buf_printf(&b, "%" PRIu64, usec / USEC_PER_SEC);
	else
		buf_printf(&b, "%" PRIu64 "us", usec);
	if (usec > 0)
		json_add_text(object, key, buf_text(&b));
	buf_done(&b);
}

static void add_mix(struct json_t *object, const struct workload *w)
{
	static const char *const sequential[] = { "rw", "read", "write" };
	static const char *const random[] = { "randrw", "randread", "randwrite" };
	const char *const *words = w->pattern == WORKLOAD_SEQUENTIAL ? sequential : random;
	size_t word = 0;

	if (w->write_percent == 0)
		word = 1;
	else if (w->write_percent >= 100)
		word = 2;
	json_add_text(object, "rw", words[word]);
	if (word == 0)
		add_number(object, "rwmixwrite", w->write_percent);
	if (w->pattern == WORKLOAD_MIXED)
		add_number(object, "percentage_random", w->random_percent);
	if (w->pattern != WORKLOAD_SEQUENTIAL) {
		add_number_unless_zero(object, "blockalign", w->align_bytes);
		json_add_text(object, "norandommap", "1"); /* offsets may repeat */
	}
}

static void add_file(struct json_t *object, const struct run *run)
{
	const struct workload *w = &run->workload;
	bool is_direct = (w->cache == WORKLOAD_DIRECT || w->cache == WORKLOAD_DIRECT_DSYNC) &&
		!(run->trust & RUN_TRUST_FALLBACK);

	json_add_text(object, "direct", is_direct ? "1" : "0");
	if (run->trust & RUN_TRUST_FALLBACK)
		json_add_text(object, "fdatasync", "1");
	else if (w->cache == WORKLOAD_DIRECT_DSYNC || w->cache == WORKLOAD_DSYNC)
		json_add_text(object, "sync", "dsync");
	add_number_unless_zero(object, "size", w->file_size_bytes);
}

static void add_content(struct json_t *object, const struct workload *w)
{
	switch (w->content) {
	case WORKLOAD_CONTENT_RANDOM:
		json_add_text(object, "refill_buffers", "1");
		break;
	case WORKLOAD_CONTENT_ZERO:
		json_add_text(object, "zero_buffers", "1");
		break;
	case WORKLOAD_CONTENT_COMPRESSIBLE:
		add_number(object, "buffer_compress_percentage", w->compressible_percent);
		break;
	}
}

/* fio's bounds apply to each job, ours to all threads together. */
static uint64_t share_of_job(uint64_t bound, const struct workload *w)
{
	return w->threads > 1 ? bound / w->threads + (bound % w->threads > 0) : bound;
}

/* fio's rates apply to each job, as ours do, but it limits reads and writes separately:
 * "READS,WRITES". */
static void add_rate(
	struct json_t *object, const char *key, uint64_t rate, const struct workload *w)
{
	struct buf b = BUF_INIT(VALUE_MAX);
	uint64_t writes = (uint64_t)((unsigned __int128)rate * w->write_percent / 100);

	if (rate == 0)
		return;
	if (writes == 0 || writes >= rate)
		buf_printf(&b, "%" PRIu64, rate);
	else
		buf_printf(&b, "%" PRIu64 ",%" PRIu64, rate - writes, writes);
	json_add_text(object, key, buf_text(&b));
	buf_done(&b);
}

static void add_bounds(struct json_t *object, const struct workload *w)
{
	add_time_unless_zero(object, "runtime", w->duration_usec);
	if (w->duration_usec > 0 && w->max_bytes == 0 && w->max_ios == 0)
		json_add_text(object, "time_based", "1"); /* may pass the file many times */
	add_time_unless_zero(object, "ramp_time", w->warmup_usec);
	add_number_unless_zero(object, "io_size", share_of_job(w->max_bytes, w));
	add_number_unless_zero(object, "number_ios", share_of_job(w->max_ios, w));
	add_rate(object, "rate", w->rate_bytes_per_sec, w);
	add_rate(object, "rate_iops", w->rate_ios_per_sec, w);
	if (w->think_time_usec > 0) {
		add_number(object, "thinktime", w->think_time_usec);
		add_number(object, "thinktime_blocks", w->burst_ios > 0 ? w->burst_ios : 1);
	}
	if (w->has_seed)
		add_number(object, "randseed", w->seed);
}

struct json_t *run_fio_options(const struct run *run)
{
	const struct workload *w = &run->workload;
	struct json_t *object = json_new_object();

	json_add_text(object, "name", run->probe[0] != '\0' ? run->probe : w->preset);
	if (run->engine != WORKLOAD_ENGINE_AUTO)
		json_add_text(object, "ioengine",
			run->engine == WORKLOAD_ENGINE_IO_URING ? "io_uring" : "psync");
	add_mix(object, w);
	add_number(object, "bs", w->block_size_bytes);
	add_number(object, "iodepth", w->queue_depth);
	add_number(object, "numjobs", w->threads);
	if (w->threads > 1)
		json_add_text(object, "group_reporting", "1");
	add_file(object, run);
	add_content(object, w);
	add_bounds(object, w);
	return object;
}
