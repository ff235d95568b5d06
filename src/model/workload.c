/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a workload as a whole: consistency checks, and its texts for display, programs and
 * the store. */
#include "model/workload.h"

#include <assert.h>
#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"

#define DIRECT_ALIGNMENT 4096

bool workload_reads(const struct workload *w)
{
	return w->write_percent < 100;
}

bool workload_writes(const struct workload *w)
{
	return w->write_percent > 0;
}

static uint32_t burst_ios(const struct workload *w)
{
	return w->burst_ios > 0 ? w->burst_ios : 1;
}

static bool is_direct(const struct workload *w)
{
	return w->cache == WORKLOAD_DIRECT || w->cache == WORKLOAD_DIRECT_DSYNC;
}

/* -EINVAL with "NAME SIZE is not …". */
static int refuse_alignment(const char *name, uint32_t bytes, struct error *reterr)
{
	struct buf size = BUF_INIT(64);
	struct buf meant = BUF_INIT(64);
	uint64_t nearest = (bytes + (uint64_t)DIRECT_ALIGNMENT / 2) / DIRECT_ALIGNMENT;

	format_size(&size, bytes);
	format_size(&meant, (nearest > 0 ? nearest : 1) * DIRECT_ALIGNMENT);
	int r = error_set(reterr, -EINVAL,
		"%s %s is not a multiple of %d, as direct I/O needs; did you mean %s, or cache = dsync?",
		name, buf_text(&size), DIRECT_ALIGNMENT, buf_text(&meant));
	buf_done(&size);
	buf_done(&meant);
	return r;
}

static int check_alignment(const struct workload *w, struct error *reterr)
{
	if (!is_direct(w))
		return 0;
	if (w->block_size_bytes % DIRECT_ALIGNMENT != 0)
		return refuse_alignment("block_size", w->block_size_bytes, reterr);
	if (w->align_bytes % DIRECT_ALIGNMENT != 0)
		return refuse_alignment("alignment", w->align_bytes, reterr);
	return 0;
}

/* Suggests the queue_depth, or else the number of threads, that keeps to `max` I/Os. */
static int refuse_depth(
	const struct workload *w, uint64_t max, const char *because, struct error *reterr)
{
	struct buf fitting = BUF_INIT(128);

	assert(w->threads > 0 && w->queue_depth > 0); /* checked by check_ranges */
	if (max / w->threads > 0)
		buf_printf(&fitting, "queue_depth %llu", (unsigned long long)(max / w->threads));
	else if (max / w->queue_depth > 0)
		buf_printf(&fitting, "threads %llu", (unsigned long long)(max / w->queue_depth));
	else
		buf_printf(&fitting, "threads %llu with queue_depth 1", (unsigned long long)max);
	int r = error_set(reterr, -EINVAL, "%s; %s would fit", because, buf_text(&fitting));
	buf_done(&fitting);
	return r;
}

static int check_out(const struct workload *w, struct error *reterr)
{
	bool has_threads = w->engine == WORKLOAD_ENGINE_THREADS;
	uint64_t max = has_threads ? WORKLOAD_OUT_THREADS_MAX : WORKLOAD_OUT_MAX;
	struct buf because = BUF_INIT(256);

	if ((uint64_t)w->queue_depth * w->threads <= max)
		return 0;
	buf_printf(&because, "queue_depth %u with threads %u is more than %llu I/Os at a time%s",
		w->queue_depth, w->threads, (unsigned long long)max,
		has_threads ? ", which is all that the threads engine does" : "");
	int r = refuse_depth(w, max, buf_text(&because), reterr);
	buf_done(&because);
	return r;
}

static int check_memory(const struct workload *w, struct error *reterr)
{
	uint64_t max = WORKLOAD_BUFFER_BYTES_MAX / w->block_size_bytes;
	struct buf because = BUF_INIT(256);

	if ((uint64_t)w->queue_depth * w->threads <= max)
		return 0;
	buf_add_text(&because, "block_size ");
	format_size(&because, w->block_size_bytes);
	buf_printf(&because, " with queue_depth %u", w->queue_depth);
	if (w->threads > 1)
		buf_printf(&because, " and threads %u", w->threads);
	buf_add_text(&because, " needs more than 1G of buffers");
	int r = refuse_depth(w, max, buf_text(&because), reterr);
	buf_done(&because);
	return r;
}

int workload_check_depth(const struct workload *w, struct error *reterr)
{
	int r = check_memory(w, reterr);

	return r < 0 ? r : check_out(w, reterr);
}

static int check_file_size(const struct workload *w, struct error *reterr)
{
	uint64_t least = (uint64_t)w->block_size_bytes * 2;
	struct buf size = BUF_INIT(64);
	struct buf meant = BUF_INIT(64);

	if (w->file_size_bytes == 0)
		return 0;
	if (least < WORKLOAD_FILE_SIZE_MIN)
		least = WORKLOAD_FILE_SIZE_MIN;
	if (w->file_size_bytes >= least)
		return 0;
	format_size(&size, w->file_size_bytes);
	format_size(&meant, least);
	int r = error_set(reterr, -EINVAL,
		"file_size %s is too small: at least %s (two blocks, and 1M)", buf_text(&size),
		buf_text(&meant));
	buf_done(&size);
	buf_done(&meant);
	return r;
}

static int check_bounds(const struct workload *w, struct error *reterr)
{
	if (w->duration_usec == 0 && w->max_bytes == 0 && w->max_ios == 0)
		return error_set(
			reterr, -EINVAL, "a workload needs an end: duration, max_bytes or max_ios");
	if (w->max_bytes > 0 && w->max_bytes < w->block_size_bytes)
		return error_set(reterr, -EINVAL, "max_bytes %llu is less than one block of %u",
			(unsigned long long)w->max_bytes, w->block_size_bytes);
	return 0;
}

/* The most I/Os that fit into the duration at this rate and with these pauses. */
static uint64_t ios_within_duration(const struct workload *w)
{
	const uint64_t usec_per_sec = 1000000;
	unsigned __int128 usec = w->duration_usec;
	unsigned __int128 least = UINT64_MAX / w->threads;

	if (w->rate_ios_per_sec > 0 && usec * w->rate_ios_per_sec / usec_per_sec < least)
		least = usec * w->rate_ios_per_sec / usec_per_sec + 1;
	if (w->rate_bytes_per_sec > 0) {
		unsigned __int128 ios =
			usec * w->rate_bytes_per_sec / w->block_size_bytes / usec_per_sec + 1;
		least = ios < least ? ios : least;
	}
	if (w->think_time_usec > 0) {
		unsigned __int128 ios = (usec / w->think_time_usec + 1) * burst_ios(w);
		least = ios < least ? ios : least;
	}
	return (uint64_t)least * w->threads;
}

/* Bounds include the warm-up: some I/O must remain to be measured. */
static int check_warmup(const struct workload *w, struct error *reterr)
{
	const char *bound = NULL;

	if (w->max_ios > 0 && w->warmup_ios >= w->max_ios)
		bound = "max_ios";
	if (w->max_bytes > 0 && w->warmup_ios >= w->max_bytes / w->block_size_bytes)
		bound = "max_bytes";
	if (w->duration_usec > 0 &&
		(w->warmup_usec >= w->duration_usec || w->warmup_ios >= ios_within_duration(w)))
		bound = "duration";
	if (!bound)
		return 0;
	return error_set(reterr, -EINVAL,
		"the warm-up leaves nothing to measure: raise %s or lower warmup", bound);
}

static int check_timeout(const struct workload *w, struct error *reterr)
{
	struct buf duration = BUF_INIT(64);
	struct buf timeout = BUF_INIT(64);

	if (w->timeout_usec > w->duration_usec)
		return 0;
	format_duration(&duration, w->duration_usec);
	format_duration(&timeout, w->timeout_usec);
	int r = error_set(reterr, -EINVAL, "timeout %s is not longer than duration %s",
		buf_text(&timeout), buf_text(&duration));
	buf_done(&duration);
	buf_done(&timeout);
	return r;
}

static int check_burst(const struct workload *w, struct error *reterr)
{
	if (burst_ios(w) == 1 || w->think_time_usec > 0)
		return 0;
	return error_set(reterr, -EINVAL,
		"burst %u is so many I/Os between two pauses: it needs a think_time", w->burst_ios);
}

static int check_fresh(const struct workload *w, struct error *reterr)
{
	if (!w->is_fresh)
		return 0;
	if (!workload_writes(w))
		return error_set(reterr, -EINVAL,
			"fresh is about what is written: it needs a write share above 0");
	if (w->threads > 1 && w->pattern != WORKLOAD_RANDOM)
		return error_set(reterr, -EINVAL,
			"fresh with threads %u and a sequential pattern would write every block more "
			"than once: set threads = 1 or pattern = random",
			w->threads);
	return 0;
}

/* Single values out of range: prevented by workload_set, but a workload may come over a wire. */
static int check_ranges(const struct workload *w, struct error *reterr)
{
	if (w->block_size_bytes == 0 || w->block_size_bytes > WORKLOAD_BLOCK_SIZE_MAX ||
		w->block_size_bytes % 512 != 0)
		return error_set(reterr, -ERANGE,
			"block_size %u is not a multiple of 512 up to 64M", w->block_size_bytes);
	if (w->queue_depth == 0 || w->queue_depth > WORKLOAD_QUEUE_DEPTH_MAX)
		return error_set(reterr, -ERANGE, "queue_depth %u is not within 1 to %d",
			w->queue_depth, WORKLOAD_QUEUE_DEPTH_MAX);
	if (w->threads == 0 || w->threads > WORKLOAD_THREADS_MAX)
		return error_set(reterr, -ERANGE, "threads %u is not within 1 to %d", w->threads,
			WORKLOAD_THREADS_MAX);
	return 0;
}

int workload_check(const struct workload *w, struct error *reterr)
{
	static int (*const checks[])(const struct workload *, struct error *) = {
		check_alignment,
		workload_check_depth,
		check_file_size,
		check_bounds,
		check_warmup,
		check_timeout,
		check_burst,
		check_fresh,
	};

	int r = check_ranges(w, reterr); /* first, because the others divide */
	for (size_t i = 0; r == 0 && i < sizeof(checks) / sizeof(checks[0]); i++)
		r = checks[i](w, reterr);
	return r;
}

static void describe_pace(const struct workload *w, struct buf *b)
{
	if (w->rate_bytes_per_sec > 0) {
		buf_add_text(b, ", at most ");
		format_size(b, w->rate_bytes_per_sec);
		buf_add_text(b, "/s");
	}
	if (w->rate_ios_per_sec > 0)
		buf_printf(
			b, ", at most %llu I/Os a second", (unsigned long long)w->rate_ios_per_sec);
	if (w->think_time_usec > 0) {
		buf_add_text(b, ", ");
		format_duration(b, w->think_time_usec);
		buf_printf(b, " of think time after every %u", burst_ios(w));
	}
}

void workload_describe(const struct workload *w, struct buf *b)
{
	format_size(b, w->block_size_bytes);
	if (!workload_writes(w))
		buf_add_text(b, " read, ");
	else if (!workload_reads(w))
		buf_add_text(b, " write, ");
	else
		buf_printf(b, " %u %% write, ", (unsigned)w->write_percent);
	(void)workload_get(w, "pattern", b); /* the key exists */
	buf_printf(b, ", depth %u, ", w->queue_depth);
	if (w->threads > 1)
		buf_printf(b, "%u threads, ", w->threads);
	(void)workload_get(w, "cache", b);
	describe_pace(w, b);
	if (w->is_fresh)
		buf_add_text(b, ", fresh");
}

/* Stored for years: numbers, not rounded sizes; later options may only add text when they are used.
 * The file's size is left out: if derived from the free space, it changes over time. */
void workload_series_key(const struct workload *w, struct buf *b)
{
	uint32_t align = w->align_bytes > 0 ? w->align_bytes : w->block_size_bytes;

	buf_printf(b, "block_size=%u write=%u pattern=", w->block_size_bytes,
		(unsigned)w->write_percent);
	switch (w->pattern) {
	case WORKLOAD_SEQUENTIAL:
		buf_add_text(b, "sequential");
		break;
	case WORKLOAD_RANDOM:
		buf_printf(b, "random:%u", align);
		break;
	case WORKLOAD_MIXED:
		buf_printf(b, "mixed:%u:%u", (unsigned)w->random_percent, align);
		break;
	}
	buf_printf(b, " queue_depth=%u cache=", w->queue_depth);
	(void)workload_get(w, "cache", b);
	buf_add_text(b, " content=");
	(void)workload_get(w, "content", b);
	if (w->threads > 1)
		buf_printf(b, " threads=%u", w->threads);
	if (w->rate_bytes_per_sec > 0)
		buf_printf(b, " rate=%llu", (unsigned long long)w->rate_bytes_per_sec);
	if (w->rate_ios_per_sec > 0)
		buf_printf(b, " rate_iops=%llu", (unsigned long long)w->rate_ios_per_sec);
	if (w->think_time_usec > 0)
		buf_printf(b, " think_time=%llu burst=%u", (unsigned long long)w->think_time_usec,
			burst_ios(w));
	if (w->is_fresh)
		buf_add_text(b, " fresh");
}
