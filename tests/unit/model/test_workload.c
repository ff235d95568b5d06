/* SPDX-License-Identifier: Apache-2.0 */
/* Presets as in the contract; every option set, refused and written back; the checks. */
#include "model/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "json_real.h"
#include "test.h"

#define MIB (UINT64_C(1) << 20)
#define SEC UINT64_C(1000000)

static void presets_are_those_of_the_contract(void **state)
{
	static const struct {
		const char *name;
		uint32_t block;
		unsigned write;
		const char *pattern;
		uint32_t depth;
		uint64_t max_bytes, max_ios, seconds, file_size;
		uint64_t interval_seconds, limit_ms, critical_ms;
	} rows[] = {
		{ "active-full", 524288, 100, "sequential", 2, 64 * MIB, 0, 5, 0, 300, 15, 30 },
		{ "reverse-incremental", 524288, 67, "random:4K", 2, 64 * MIB, 0, 5, 0, 300, 20,
			40 },
		{ "transform", 524288, 50, "random:4K", 2, 64 * MIB, 0, 5, 0, 300, 20, 40 },
		{ "restore", 524288, 0, "random:4K", 2, 64 * MIB, 0, 5, 0, 300, 20, 50 },
		{ "random-4k", 4096, 30, "random", 8, 16 * MIB, 0, 5, 0, 300, 15, 30 },
		{ "heartbeat", 4096, 50, "random", 1, 0, 200, 3, 64 * MIB, 60, 15, 50 },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	(void)state;

	assert_null(workload_preset_at(count));
	assert_null(workload_preset_find("active_full"));
	assert_string_equal(workload_preset_default()->name, "active-full");
	for (size_t i = 0; i < count; i++) {
		const struct workload_preset *p = workload_preset_find(rows[i].name);
		const struct workload *w = &p->workload;
		struct buf pattern = BUF_INIT(64);
		assert_ptr_equal(p, workload_preset_at(i));
		assert_string_equal(w->preset, rows[i].name);
		assert_true(strlen(p->summary) > 0);
		assert_int_equal(w->block_size_bytes, rows[i].block);
		assert_int_equal(w->write_percent, rows[i].write);
		assert_int_equal(workload_get(w, "pattern", &pattern), 0);
		assert_string_equal(buf_text(&pattern), rows[i].pattern);
		assert_int_equal(w->queue_depth, rows[i].depth);
		assert_int_equal(w->max_bytes, rows[i].max_bytes);
		assert_int_equal(w->max_ios, rows[i].max_ios);
		assert_int_equal(w->duration_usec, rows[i].seconds * SEC);
		assert_int_equal(w->file_size_bytes, rows[i].file_size);
		assert_int_equal(p->interval_usec, rows[i].interval_seconds * SEC);
		assert_int_equal(p->limit_usec, rows[i].limit_ms * 1000);
		assert_int_equal(p->limit_critical_usec, rows[i].critical_ms * 1000);
		assert_int_equal(w->cache, WORKLOAD_DIRECT_DSYNC);
		assert_int_equal(w->threads, 1);
		assert_int_equal(w->warmup_ios, 8);
		assert_int_equal(w->timeout_usec, 60 * SEC);
		assert_int_equal(w->content, WORKLOAD_CONTENT_RANDOM);
		assert_int_equal(w->engine, WORKLOAD_ENGINE_AUTO);
		assert_int_equal(workload_check(w, NULL), 0);
		buf_done(&pattern);
	}
}

static void an_option_reads_back_what_it_wrote(void **state)
{
	static const struct {
		const char *key, *value, *back;
	} cases[] = {
		{ "preset", "restore", "restore" },
		{ "block_size", "512", "512" },
		{ "block_size", "64K", "64K" },
		{ "block_size", "65536", "64K" },
		{ "block_size", "64M", "64M" },
		{ "block_size", "64512", "63K" },
		{ "block_size", "512KB", "500K" }, /* 512000 bytes: a multiple of 4096 */
		{ "write", "67", "67" },
		{ "write", "67%", "67" },
		{ "write", "0", "0" },
		{ "pattern", "sequential", "sequential" },
		{ "pattern", "random", "random" },
		{ "pattern", "random:4K", "random:4K" },
		{ "pattern", "random:512", "random:512" },
		{ "pattern", "mixed:30%", "mixed:30" },
		{ "queue_depth", "1", "1" },
		{ "queue_depth", "1024", "1024" },
		{ "cache", "direct", "direct" },
		{ "cache", "direct+dsync", "direct+dsync" },
		{ "cache", "dsync", "dsync" },
		{ "cache", "buffered", "buffered" },
		{ "file_size", "auto", "auto" },
		{ "file_size", "1G", "1G" },
		{ "file_size", "1M", "1M" },
		{ "duration", "90s", "1min30s" },
		{ "duration", "0", "0s" },
		{ "warmup", "8", "8" },
		{ "warmup", "0", "0" },
		{ "warmup", "500ms", "500ms" },
		{ "max_bytes", "1G", "1G" },
		{ "max_bytes", "0", "0" },
		{ "max_ios", "200", "200" },
		{ "seed", "9223372036854775807", "9223372036854775807" },
		{ "seed", "0", "0" },
		{ "seed", "auto", "auto" },
		{ "content", "random", "random" },
		{ "content", "zero", "zero" },
		{ "content", "compressible:50", "compressible:50" },
		{ "timeout", "2min", "2min" },
		{ "threads", "1", "1" },
		{ "threads", "256", "256" },
		{ "rate", "100M", "100M" },
		{ "rate", "0", "0" },
		{ "rate_iops", "250", "250" },
		{ "think_time", "10ms", "10ms" },
		{ "think_time", "0", "0s" },
		{ "burst", "1", "1" },
		{ "burst", "64", "64" },
		{ "engine", "auto", "auto" },
		{ "engine", "io_uring", "io_uring" },
		{ "engine", "threads", "threads" },
		{ "fresh", "yes", "yes" },
		{ "fresh", "off", "no" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload w = workload_preset_default()->workload;
		struct workload again = w;
		struct buf b = BUF_INIT(128);
		struct error error = { 0 };
		assert_int_equal(workload_set(&w, cases[i].key, cases[i].value, &error), 0);
		assert_string_equal(error.text, "");
		assert_int_equal(workload_get(&w, cases[i].key, &b), 0);
		assert_string_equal(buf_text(&b), cases[i].back);
		assert_int_equal(workload_set(&again, cases[i].key, buf_text(&b), &error), 0);
		assert_memory_equal(&again, &w, sizeof(w));
		buf_done(&b);
	}
}

static void every_available_option_has_help_and_is_in_the_presets(void **state)
{
	size_t available = 0;
	(void)state;

	for (size_t i = 0; workload_option_at(i); i++) {
		const struct workload_option *o = workload_option_at(i);
		struct workload w = { 0 };
		struct buf b = BUF_INIT(128);
		assert_ptr_equal(workload_option_find(o->key), o);
		assert_true(strlen(o->value_name) > 0);
		if (o->is_available) {
			available++;
			assert_true(strlen(o->help) > 0);
			/* Every preset can be set option by option. */
			for (size_t p = 0; workload_preset_at(p); p++) {
				const struct workload *preset = &workload_preset_at(p)->workload;
				buf_clear(&b);
				assert_int_equal(workload_get(preset, o->key, &b), 0);
				assert_int_equal(workload_set(&w, o->key, buf_text(&b), NULL), 0);
			}
		} else {
			struct error error = { 0 };
			assert_int_equal(workload_set(&w, o->key, "1", &error), -EOPNOTSUPP);
			assert_non_null(strstr(error.text, o->key));
			assert_non_null(strstr(error.text, "not in this version"));
			assert_int_equal(workload_get(&w, o->key, &b), -ENOENT);
		}
		buf_done(&b);
	}
	assert_int_equal(available, 21);
	assert_null(workload_option_find("kind"));
}

static const struct {
	const char *key, *value;
	int result;
	const char *parts[3]; /* of the error message */
} bad_values[] = {
	{ "blocksize", "64K", -ENOENT, { "\"blocksize\"", "did you mean block_size?" } },
	{ "xyzzy", "1", -ENOENT, { "\"xyzzy\" is not a workload option" } },
	{ "threads", "0", -ERANGE, { "threads", "from 1 to 256" } },
	{ "threads", "257", -ERANGE, { "from 1 to 256" } },
	{ "threds", "2", -ENOENT, { "did you mean threads?" } },
	{ "rate", "fast", -EINVAL, { "rate: fast", "expected a size" } },
	{ "rate", "2P", -ERANGE, { "at most 1P" } },
	{ "rate_iops", "-1", -EINVAL, { "rate_iops: -1" } },
	{ "think_time", "10", -EINVAL, { "think_time: 10" } },
	{ "burst", "0", -ERANGE, { "burst: 0" } },
	{ "engine", "iouring", -EINVAL, { "did you mean io_uring?" } },
	{ "engine", "aio", -EINVAL, { "auto, io_uring, threads" } },
	{ "fresh", "maybe", -EINVAL, { "fresh: maybe" } },
	{ "preset", "active-ful", -EINVAL,
		{ "preset", "active-ful", "did you mean active-full?" } },
	{ "preset", "", -EINVAL, { "preset" } },
	{ "block_size", "64KB", -EINVAL,
		{ "block_size: 64KB",
			"64000 bytes is not a multiple of 4096; did you mean 64K?" } },
	{ "block_size", "1MB", -EINVAL,
		{ "1000000 bytes is not a multiple of 4096; did you mean 1M?" } },
	{ "block_size", "1000", -EINVAL,
		{ "1000 bytes is not a multiple of 512; did you mean 1K?" } },
	{ "block_size", "100", -EINVAL, { "did you mean 512?" } },
	{ "block_size", "0", -ERANGE, { "at least 512" } },
	{ "block_size", "128M", -ERANGE, { "at most 64M" } },
	{ "block_size", "big", -EINVAL, { "block_size: big", "expected a size" } },
	{ "write", "101", -ERANGE, { "write: 101" } },
	{ "write", "half", -EINVAL, { "write: half", "percent" } },
	{ "pattern", "sequental", -EINVAL, { "pattern", "did you mean sequential?" } },
	{ "pattern", "zigzag", -EINVAL, { "random:ALIGN, mixed:PERCENT" } },
	{ "pattern", "sequential:4K", -EINVAL, { "nothing after a colon" } },
	{ "pattern", "mixed", -EINVAL, { "mixed:50" } },
	{ "pattern", "mixed:200", -ERANGE, { "200" } },
	{ "pattern", "random:", -EINVAL, { "expected a size" } },
	{ "pattern", "random:4KB", -EINVAL, { "4000 bytes", "did you mean 4K?" } },
	{ "pattern", "a-word-that-is-longer-than-every-pattern-there-is", -EINVAL,
		{ "a-word-that" } },
	{ "queue_depth", "0", -ERANGE, { "from 1 to 1024" } },
	{ "queue_depth", "1025", -ERANGE, { "from 1 to 1024" } },
	{ "queue_depth", "two", -EINVAL, { "queue_depth: two" } },
	{ "cache", "Direct", -EINVAL, { "did you mean direct?" } },
	{ "cache", "none", -EINVAL, { "direct, direct+dsync, dsync, buffered" } },
	{ "file_size", "1K", -ERANGE, { "at least 1M" } },
	{ "file_size", "all", -EINVAL, { "file_size: all" } },
	{ "duration", "5m", -EINVAL, { "5min" } },
	{ "duration", "2d", -ERANGE, { "at most 1d" } },
	{ "warmup", "8x", -EINVAL, { "warmup: 8x" } },
	{ "warmup", "", -EINVAL, { "warmup" } },
	{ "max_bytes", "-1", -EINVAL, { "max_bytes: -1" } },
	{ "max_bytes", "9000P", -ERANGE, { "max_bytes: 9000P" } },
	{ "max_ios", "1K", -EINVAL, { "max_ios: 1K" } },
	{ "seed", "9223372036854775808", -ERANGE, { "seed" } },
	{ "content", "ramdom", -EINVAL, { "did you mean random?" } },
	{ "content", "zero:1", -EINVAL, { "zero takes nothing" } },
	{ "content", "compressible", -EINVAL, { "compressible:50" } },
	{ "content", "compressible:x", -EINVAL, { "x" } },
	{ "timeout", "0", -ERANGE, { "at least 1s" } },
	{ "timeout", "1y", -ERANGE, { "at most 1d" } },
};

static void bad_values_say_what_was_expected_and_what_was_meant(void **state)
{
	(void)state;

	for (size_t i = 0; i < sizeof(bad_values) / sizeof(bad_values[0]); i++) {
		struct workload w = workload_preset_find("transform")->workload;
		struct workload before = w;
		struct error error = { 0 };
		assert_int_equal(workload_set(&w, bad_values[i].key, bad_values[i].value, &error),
			bad_values[i].result);
		assert_memory_equal(&w, &before, sizeof(w));
		for (size_t k = 0; k < 3 && bad_values[i].parts[k]; k++)
			if (!strstr(error.text, bad_values[i].parts[k]))
				fail_msg("%s = %s: \"%s\" lacks \"%s\"", bad_values[i].key,
					bad_values[i].value, error.text, bad_values[i].parts[k]);
		assert_int_equal(workload_set(&w, bad_values[i].key, bad_values[i].value, NULL),
			bad_values[i].result);
	}
}

static void a_preset_resets_every_other_option(void **state)
{
	struct workload w = workload_preset_default()->workload;
	(void)state;

	assert_int_equal(workload_set(&w, "block_size", "4K", NULL), 0);
	assert_int_equal(workload_set(&w, "seed", "7", NULL), 0);
	assert_int_equal(workload_set(&w, "preset", "heartbeat", NULL), 0);
	assert_memory_equal(&w, &workload_preset_find("heartbeat")->workload, sizeof(w));
}

static void warmup_is_either_ios_or_time(void **state)
{
	struct workload w = workload_preset_default()->workload;
	(void)state;

	assert_int_equal(workload_set(&w, "warmup", "2s", NULL), 0);
	assert_int_equal(w.warmup_usec, 2 * SEC);
	assert_int_equal(w.warmup_ios, 0);
	assert_int_equal(workload_set(&w, "warmup", "20", NULL), 0);
	assert_int_equal(w.warmup_usec, 0);
	assert_int_equal(w.warmup_ios, 20);
}

static void a_timeout_that_nobody_chose_follows_the_duration(void **state)
{
	struct workload w = workload_preset_default()->workload;
	(void)state;

	assert_int_equal(workload_set(&w, "duration", "10s", NULL), 0);
	assert_int_equal(w.timeout_usec, 60 * SEC);
	assert_int_equal(workload_set(&w, "duration", "10min", NULL), 0);
	assert_int_equal(w.timeout_usec, 660 * SEC);
	assert_int_equal(workload_check(&w, NULL), 0);
	assert_int_equal(workload_set(&w, "duration", "5s", NULL), 0);
	assert_int_equal(w.timeout_usec, 60 * SEC);
	assert_int_equal(workload_set(&w, "timeout", "20s", NULL), 0);
	assert_int_equal(workload_set(&w, "duration", "10min", NULL), 0);
	assert_int_equal(w.timeout_usec, 20 * SEC);
}

static void what_no_single_option_can_see_is_checked(void **state)
{
	static const struct {
		const char *options[4][2];
		int result;
		const char *part;
	} cases[] = {
		{ { { "block_size", "64512" } }, -EINVAL, "63K is not a multiple of 4096" },
		{ { { "block_size", "64512" } }, -EINVAL, "did you mean 64K, or cache = dsync?" },
		{ { { "block_size", "64512" }, { "cache", "dsync" } }, 0, NULL },
		{ { { "block_size", "512" }, { "cache", "direct" } }, -EINVAL, "did you mean 4K" },
		{ { { "block_size", "512" }, { "cache", "buffered" } }, 0, NULL },
		{ { { "pattern", "random:512" } }, -EINVAL, "alignment 512" },
		{ { { "pattern", "random:512" }, { "cache", "buffered" } }, 0, NULL },
		{ { { "block_size", "4M" }, { "queue_depth", "1024" } }, -EINVAL,
			"queue_depth 256 would fit" },
		{ { { "block_size", "4M" }, { "queue_depth", "256" }, { "max_bytes", "1G" } }, 0,
			NULL },
		{ { { "block_size", "4M" }, { "file_size", "7M" } }, -EINVAL, "at least 8M" },
		{ { { "block_size", "4M" }, { "file_size", "8M" }, { "warmup", "0" } }, 0, NULL },
		{ { { "duration", "0" }, { "max_bytes", "0" } }, -EINVAL, "needs an end" },
		{ { { "duration", "0" }, { "max_bytes", "0" }, { "max_ios", "9" } }, 0, NULL },
		{ { { "max_ios", "8" } }, -EINVAL, "raise max_ios" },
		{ { { "max_bytes", "4M" } }, -EINVAL, "raise max_bytes" },
		{ { { "max_bytes", "5M" } }, 0, NULL },
		{ { { "max_bytes", "4K" }, { "warmup", "0" } }, -EINVAL, "less than one block" },
		{ { { "warmup", "5s" } }, -EINVAL, "raise duration" },
		{ { { "warmup", "4s" } }, 0, NULL },
		{ { { "timeout", "5s" } }, -EINVAL, "timeout 5s is not longer than duration 5s" },
		{ { { "timeout", "6s" } }, 0, NULL },
		{ { { "block_size", "64M" }, { "queue_depth", "16" }, { "threads", "32" } },
			-EINVAL, "threads 1 would fit" },
		{ { { "block_size", "64M" }, { "queue_depth", "17" }, { "threads", "17" } },
			-EINVAL, "threads 16 with queue_depth 1 would fit" },
		{ { { "queue_depth", "64" }, { "threads", "64" } }, -EINVAL,
			"block_size 512K with queue_depth 64 and threads 64 needs more than 1G of "
			"buffers; queue_depth 32 would fit" },
		{ { { "block_size", "4K" }, { "queue_depth", "1024" }, { "threads", "32" } },
			-EINVAL, "queue_depth 512 would fit" },
		{ { { "block_size", "4K" }, { "queue_depth", "1024" }, { "threads", "16" } }, 0,
			NULL },
		{ { { "block_size", "4K" }, { "queue_depth", "1024" }, { "threads", "2" },
			  { "engine", "threads" } },
			-EINVAL, "queue_depth 512 would fit" },
		{ { { "burst", "2" } }, -EINVAL, "needs a think_time" },
		{ { { "burst", "2" }, { "think_time", "10ms" } }, 0, NULL },
		{ { { "rate_iops", "1" } }, -EINVAL, "raise duration" },
		{ { { "rate_iops", "2" } }, 0, NULL }, /* 11 I/Os in 5 s, 8 of them warm-up */
		{ { { "rate", "512K" } }, -EINVAL, "raise duration" },
		{ { { "rate", "512K" }, { "threads", "2" } }, 0, NULL },
		{ { { "think_time", "1s" } }, -EINVAL, "raise duration" },
		{ { { "think_time", "1s" }, { "burst", "2" } }, 0, NULL },
		{ { { "fresh", "yes" } }, 0, NULL },
		{ { { "fresh", "yes" }, { "write", "0" } }, -EINVAL, "written" },
		{ { { "fresh", "yes" }, { "threads", "2" } }, -EINVAL, "threads = 1" },
		{ { { "fresh", "yes" }, { "threads", "2" }, { "pattern", "random" } }, 0, NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload w = workload_preset_default()->workload;
		struct error error = { 0 };
		for (size_t k = 0; k < 4 && cases[i].options[k][0]; k++)
			assert_int_equal(workload_set(&w, cases[i].options[k][0],
						 cases[i].options[k][1], NULL),
				0);
		int r = workload_check(&w, &error);
		if (r != cases[i].result || (cases[i].part && !strstr(error.text, cases[i].part)))
			fail_msg("%s = %s: %d \"%s\"", cases[i].options[0][0],
				cases[i].options[0][1], r, error.text);
	}
}

static void a_workload_full_of_zeros_is_refused_not_divided_by(void **state)
{
	struct workload w = { 0 };
	(void)state;

	assert_int_equal(workload_check(&w, NULL), -ERANGE);
	w.block_size_bytes = 4096;
	assert_int_equal(workload_check(&w, NULL), -ERANGE);
	w.queue_depth = 1;
	assert_int_equal(workload_check(&w, NULL), -ERANGE);
	w.threads = 1;
	assert_int_equal(workload_check(&w, NULL), -EINVAL);
}

static void a_workload_is_described_in_one_line(void **state)
{
	static const char *const lines[] = {
		"512K write, sequential, depth 2, direct+dsync",
		"512K 67 % write, random:4K, depth 2, direct+dsync",
		"512K 50 % write, random:4K, depth 2, direct+dsync",
		"512K read, random:4K, depth 2, direct+dsync",
		"4K 30 % write, random, depth 8, direct+dsync",
	};
	(void)state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct buf b = BUF_INIT(256);
		workload_describe(&workload_preset_at(i)->workload, &b);
		assert_string_equal(buf_text(&b), lines[i]);
		buf_done(&b);
	}
}

static void options_that_are_used_are_described(void **state)
{
	struct workload w = workload_preset_default()->workload;
	struct buf b = BUF_INIT(256);
	(void)state;

	assert_int_equal(workload_set(&w, "threads", "4", NULL), 0);
	assert_int_equal(workload_set(&w, "rate", "100M", NULL), 0);
	assert_int_equal(workload_set(&w, "think_time", "10ms", NULL), 0);
	assert_int_equal(workload_set(&w, "burst", "16", NULL), 0);
	assert_int_equal(workload_set(&w, "fresh", "yes", NULL), 0);
	workload_describe(&w, &b);
	assert_string_equal(buf_text(&b),
		"512K write, sequential, depth 2, 4 threads, direct+dsync, at most 100M/s, "
		"10ms of think time after every 16, fresh");
	buf_done(&b);
}

static char *series_key(const struct workload *w)
{
	struct buf b = BUF_INIT(512);
	char *text;

	workload_series_key(w, &b);
	assert_int_equal(buf_take(&b, &text, NULL), 0);
	return text;
}

static void a_series_is_named_by_what_is_measured_alone(void **state)
{
	static const struct {
		const char *key, *value;
		bool is_other_series;
	} cases[] = {
		{ "block_size", "1M", true },
		{ "write", "51", true },
		{ "pattern", "random", true },
		{ "pattern", "mixed:50", true },
		{ "queue_depth", "4", true },
		{ "cache", "buffered", true },
		{ "content", "zero", true },
		{ "duration", "1min", false },
		{ "warmup", "1s", false },
		{ "max_bytes", "1G", false },
		{ "max_ios", "1000", false },
		{ "seed", "1", false },
		{ "timeout", "10s", false },
		{ "file_size", "10G", false },
		{ "engine", "threads", false },
		{ "burst", "1", false },
		{ "threads", "2", true },
		{ "rate", "1M", true },
		{ "rate_iops", "100", true },
		{ "think_time", "1ms", true },
		{ "fresh", "yes", true },
	};
	char *first = series_key(&workload_preset_find("transform")->workload);
	(void)state;

	assert_string_equal(first,
		"block_size=524288 write=50 pattern=random:4096 queue_depth=2 "
		"cache=direct+dsync content=random");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload w = workload_preset_find("transform")->workload;
		assert_int_equal(workload_set(&w, cases[i].key, cases[i].value, NULL), 0);
		char *key = series_key(&w);
		assert_int_equal(strcmp(key, first) != 0, cases[i].is_other_series);
		free(key);
	}
	free(first);
}

static void an_alignment_of_one_block_is_the_same_series_as_none(void **state)
{
	struct workload w = workload_preset_find("random-4k")->workload;
	char *first = series_key(&w);
	(void)state;

	assert_int_equal(workload_set(&w, "pattern", "random:4K", NULL), 0);
	char *second = series_key(&w);
	assert_string_equal(first, second);
	free(second);
	free(first);
}

static void json_has_every_option(void **state)
{
	struct workload w = workload_preset_find("heartbeat")->workload;
	struct buf b = BUF_INIT(2048);
	(void)state;

	assert_int_equal(json_dump(workload_to_json(&w), false, &b), 0);
	struct json_t *parsed;
	assert_int_equal(json_parse(b.data, b.len, &parsed, NULL), 0);
	assert_string_equal(json_get_text(parsed, "preset"), "heartbeat");
	assert_int_equal(json_get_integer(parsed, "block_size_bytes", -1), 4096);
	assert_int_equal(json_get_integer(parsed, "write_percent", -1), 50);
	assert_string_equal(json_get_text(parsed, "pattern"), "random");
	assert_int_equal(json_get_integer(parsed, "queue_depth", -1), 1);
	assert_string_equal(json_get_text(parsed, "cache"), "direct+dsync");
	assert_int_equal(json_get_integer(parsed, "file_size_bytes", -1), 64 * MIB);
	assert_true(json_get_real(parsed, "duration_seconds", -1) == 3.0);
	assert_int_equal(json_get_integer(parsed, "warmup_ios", -1), 8);
	assert_int_equal(json_get_integer(parsed, "max_ios", -1), 200);
	assert_string_equal(json_get_text(parsed, "content"), "random");
	assert_true(json_get_real(parsed, "timeout_seconds", -1) == 60.0);
	/* No such bound: null, not a zero that looks like one. */
	assert_non_null(strstr(buf_text(&b), "\"max_bytes\":null"));
	assert_non_null(strstr(buf_text(&b), "\"seed\":null"));
	assert_int_equal(json_get_integer(parsed, "threads", -1), 1);
	assert_non_null(strstr(buf_text(&b), "\"rate_bytes_per_second\":null,\"rate_iops\":null"));
	assert_non_null(strstr(buf_text(&b), "\"think_time_seconds\":null"));
	assert_int_equal(json_get_integer(parsed, "burst", -1), 1);
	assert_string_equal(json_get_text(parsed, "engine"), "auto");
	assert_non_null(strstr(buf_text(&b), "\"fresh\":false"));
	parsed = json_free(parsed);
	buf_done(&b);
}

static void reading_and_writing_follow_from_the_share(void **state)
{
	struct workload w = { .write_percent = 0 };
	(void)state;

	assert_true(workload_reads(&w));
	assert_false(workload_writes(&w));
	w.write_percent = 1;
	assert_true(workload_reads(&w) && workload_writes(&w));
	w.write_percent = 100;
	assert_false(workload_reads(&w));
	assert_true(workload_writes(&w));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_are_those_of_the_contract),
		cmocka_unit_test(an_option_reads_back_what_it_wrote),
		cmocka_unit_test(every_available_option_has_help_and_is_in_the_presets),
		cmocka_unit_test(bad_values_say_what_was_expected_and_what_was_meant),
		cmocka_unit_test(a_preset_resets_every_other_option),
		cmocka_unit_test(warmup_is_either_ios_or_time),
		cmocka_unit_test(a_timeout_that_nobody_chose_follows_the_duration),
		cmocka_unit_test(what_no_single_option_can_see_is_checked),
		cmocka_unit_test(a_workload_full_of_zeros_is_refused_not_divided_by),
		cmocka_unit_test(a_workload_is_described_in_one_line),
		cmocka_unit_test(options_that_are_used_are_described),
		cmocka_unit_test(a_series_is_named_by_what_is_measured_alone),
		cmocka_unit_test(an_alignment_of_one_block_is_the_same_series_as_none),
		cmocka_unit_test(json_has_every_option),
		cmocka_unit_test(reading_and_writing_follow_from_the_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
