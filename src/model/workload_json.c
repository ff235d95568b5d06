/* SPDX-License-Identifier: Apache-2.0 */
/* A workload as JSON. A separate file, so that the worker, which does not need it, links without
 * the JSON library. */
#include "base/buf.h"
#include "base/json.h"
#include "model/workload.h"

static void add_option_text(struct json_t *object, const struct workload *w, const char *key)
{
	struct buf b = BUF_INIT(128);

	(void)workload_get(w, key, &b);
	json_add_text(object, key, buf_text(&b));
	buf_done(&b);
}

/* Zero means "none" and becomes null, so that it is not read as a number. */
static void add_integer_or_null(struct json_t *object, const char *key, uint64_t value)
{
	if (value > 0)
		json_add_integer(object, key, (int64_t)value);
	else
		json_add_null(object, key);
}

static void add_seconds_or_null(struct json_t *object, const char *key, uint64_t usec)
{
	if (usec > 0)
		json_add_seconds(object, key, usec * 1000);
	else
		json_add_null(object, key);
}

struct json_t *workload_to_json(const struct workload *w)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "preset", w->preset);
	json_add_integer(object, "block_size_bytes", w->block_size_bytes);
	json_add_integer(object, "write_percent", w->write_percent);
	add_option_text(object, w, "pattern");
	json_add_integer(object, "queue_depth", w->queue_depth);
	json_add_integer(object, "threads", w->threads);
	add_option_text(object, w, "cache");
	add_integer_or_null(object, "file_size_bytes", w->file_size_bytes);
	add_seconds_or_null(object, "duration_seconds", w->duration_usec);
	if (w->warmup_usec > 0)
		json_add_seconds(object, "warmup_seconds", w->warmup_usec * 1000);
	else
		json_add_integer(object, "warmup_ios", (int64_t)w->warmup_ios);
	add_integer_or_null(object, "max_bytes", w->max_bytes);
	add_integer_or_null(object, "max_ios", w->max_ios);
	add_integer_or_null(object, "rate_bytes_per_second", w->rate_bytes_per_sec);
	add_integer_or_null(object, "rate_iops", w->rate_ios_per_sec);
	add_seconds_or_null(object, "think_time_seconds", w->think_time_usec);
	json_add_integer(object, "burst", w->burst_ios > 0 ? w->burst_ios : 1);
	if (w->has_seed)
		json_add_integer(object, "seed", (int64_t)w->seed);
	else
		json_add_null(object, "seed");
	add_option_text(object, w, "content");
	add_option_text(object, w, "engine");
	json_add_seconds(object, "timeout_seconds", w->timeout_usec * 1000);
	json_add_boolean(object, "fresh", w->is_fresh);
	return object;
}
