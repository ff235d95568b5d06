/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a workload, one row each. A new option is one row, plus a form if no other option
 * has the same. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/workload.h"
#include "model/workload_form.h"

#define OPTION_TEXT_MAX 256
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct option {
	struct workload_option option;
	const struct workload_form *form;
};

/* In the order of interfaces "Workload options". A row without a form is not in this version. */
static const struct option options[] = {
	{ { "preset", "NAME", "the workload to start from; resets all other options", true },
		&workload_form_preset },
	{ { "block_size", "SIZE", "bytes of one I/O, 512 to 64M", true },
		&workload_form_block_size },
	{ { "write", "PERCENT", "share of writes, the rest are reads", true },
		&workload_form_write },
	{ { "pattern", "PATTERN", "sequential, random, random:ALIGN or mixed:PERCENT random",
		  true },
		&workload_form_pattern },
	{ { "queue_depth", "N", "I/Os outstanding at a time, 1 to 1024", true },
		&workload_form_queue_depth },
	{ { "threads", "N", "threads with queue_depth I/Os each, 1 to 256", true },
		&workload_form_threads },
	{ { "cache", "MODE", "direct, direct+dsync, dsync or buffered", true },
		&workload_form_cache },
	{ { "file_size", "SIZE",
		  "how much of the probe file is used; auto: 1% of the free space, "
		  "at most 1G",
		  true },
		&workload_form_file_size },
	{ { "duration", "TIME", "stop after this time; 0: no such bound", true },
		&workload_form_duration },
	{ { "warmup", "N|TIME", "I/Os or time at the start that do not count", true },
		&workload_form_warmup },
	{ { "max_bytes", "SIZE", "stop after so many bytes; 0: no such bound", true },
		&workload_form_max_bytes },
	{ { "max_ios", "N", "stop after so many I/Os; 0: no such bound", true },
		&workload_form_max_ios },
	{ { "rate", "SIZE", "bytes a second of each thread, at most; 0: no limit", true },
		&workload_form_rate },
	{ { "rate_iops", "N", "I/Os a second of each thread, at most; 0: no limit", true },
		&workload_form_rate_iops },
	{ { "think_time", "TIME", "pause of each thread after every burst of I/Os; 0: none", true },
		&workload_form_think_time },
	{ { "burst", "N", "I/Os between two pauses of think_time", true }, &workload_form_burst },
	{ { "seed", "N", "makes offsets and mix repeatable; auto: new ones each run", true },
		&workload_form_seed },
	{ { "content", "CONTENT", "what is written: random, zero or compressible:PERCENT", true },
		&workload_form_content },
	{ { "engine", "ENGINE", "io_uring, threads, or auto: io_uring where it is allowed", true },
		&workload_form_engine },
	{ { "timeout", "TIME", "give up what is still out so long after the start", true },
		&workload_form_timeout },
	{ { "fresh", "YES|NO", "write to a new file each run, not over the old blocks", true },
		&workload_form_fresh },
};

static const struct option *find_option(const char *key)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strcmp(options[i].option.key, key) == 0)
			return &options[i];
	return NULL;
}

const struct workload_option *workload_option_at(size_t i)
{
	return i < COUNT(options) ? &options[i].option : NULL;
}

const struct workload_option *workload_option_find(const char *key)
{
	const struct option *o = find_option(key);

	return o ? &o->option : NULL;
}

/* Only available options are suggested. */
static int refuse_key(const char *key, struct error *reterr)
{
	const char *keys[COUNT(options)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(options); i++)
		if (options[i].option.is_available)
			keys[count++] = options[i].option.key;
	const char *meant = parse_suggest(key, keys, count);
	if (meant)
		return error_set(reterr, -ENOENT,
			"\"%s\" is not a workload option; did you mean %s?", key, meant);
	return error_set(reterr, -ENOENT, "\"%s\" is not a workload option", key);
}

int workload_set(struct workload *w, const char *key, const char *value, struct error *reterr)
{
	const struct option *o = find_option(key);
	int r;

	if (!o)
		return refuse_key(key, reterr);
	if (!o->option.is_available)
		return error_set(reterr, -EOPNOTSUPP, "%s: not in this version", key);
	r = o->form->set(w, value, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "%s", key);
	return 0;
}

int workload_check_options(const struct workload *w, struct error *reterr)
{
	struct workload taken = *w;
	struct buf value = BUF_INIT(OPTION_TEXT_MAX);
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(options); i++) {
		const struct option *o = &options[i];
		if (o->form == &workload_form_file_size || !o->option.is_available)
			continue;
		buf_clear(&value);
		o->form->get(w, &value);
		r = value.error;
		if (r == 0 && value.len > 0)
			r = workload_set(&taken, o->option.key, buf_text(&value), reterr);
	}
	buf_done(&value);
	return r;
}

int workload_get(const struct workload *w, const char *key, struct buf *b)
{
	const struct option *o = find_option(key);

	if (!o || !o->option.is_available)
		return -ENOENT;
	o->form->get(w, b);
	return 0;
}
