/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a workload that are words, or words followed by a size: preset, block size,
 * pattern, cache, content, engine, fresh. */
#include "model/workload_form.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/names.h"
#include "model/workload.h"

static const char *const cache_names[] = {
	[WORKLOAD_DIRECT] = "direct",
	[WORKLOAD_DIRECT_DSYNC] = "direct+dsync",
	[WORKLOAD_DSYNC] = "dsync",
	[WORKLOAD_BUFFERED] = "buffered",
};

static const char *const pattern_names[] = {
	[WORKLOAD_SEQUENTIAL] = "sequential",
	[WORKLOAD_RANDOM] = "random",
	[WORKLOAD_MIXED] = "mixed",
};

static const char *const content_names[] = {
	[WORKLOAD_CONTENT_RANDOM] = "random",
	[WORKLOAD_CONTENT_ZERO] = "zero",
	[WORKLOAD_CONTENT_COMPRESSIBLE] = "compressible",
};

static const char *const engine_names[] = {
	[WORKLOAD_ENGINE_AUTO] = "auto",
	[WORKLOAD_ENGINE_IO_URING] = "io_uring",
	[WORKLOAD_ENGINE_THREADS] = "threads",
};

static const char *const answer_names[] = { "no", "yes" };

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Splits "WORD:ARGUMENT". Returns the argument, NULL if there is none; the word is cut to size. */
static const char *split_argument(const char *value, char *word, size_t size)
{
	const char *colon = strchrnul(value, ':');
	size_t len = (size_t)(colon - value);

	if (len >= size)
		len = size - 1;
	memcpy(word, value, len);
	word[len] = '\0';
	return *colon == ':' ? colon + 1 : NULL;
}

/* "X" is not one of these; did you mean Y? */
static int refuse_word(const char *value, const char *word, const char *const *names, size_t count,
	const char *expected, struct error *reterr)
{
	const char *meant = parse_suggest(word, names, count);

	if (meant)
		return error_set(
			reterr, -EINVAL, "%.60s: not %s; did you mean %s?", value, expected, meant);
	return error_set(reterr, -EINVAL, "%.60s: not %s", value, expected);
}

static int set_preset(struct workload *w, const char *value, struct error *reterr)
{
	const struct workload_preset *preset = workload_preset_find(value);
	const char *names[16];
	size_t count = 0;

	if (preset) {
		*w = preset->workload;
		return 0;
	}
	for (; count < COUNT(names) && workload_preset_at(count); count++)
		names[count] = workload_preset_at(count)->name;
	return refuse_word(
		value, value, names, count, "a preset (repoprobe presets lists them)", reterr);
}

static void get_preset(const struct workload *w, struct buf *b)
{
	buf_add_text(b, w->preset);
}

/* Sizes in 1000-based units that are not a whole number of pages are nearly always meant
 * 1024-based. */
static bool is_decimal_unit(const char *value)
{
	size_t len = strlen(value);

	return len >= 2 && value[len - 1] == 'B' && value[len - 2] != 'i' &&
		!(value[len - 2] >= '0' && value[len - 2] <= '9');
}

/* Suggests a size instead of one that is not a multiple of `unit`. */
static int refuse_multiple(const char *value, uint64_t bytes, uint32_t unit, struct error *reterr)
{
	struct buf meant = BUF_INIT(64);

	if (is_decimal_unit(value))
		buf_add(&meant, value, strlen(value) - 1);
	else
		format_size(&meant, bytes < unit ? unit : (bytes + unit / 2) / unit * unit);
	int r = error_set(reterr, -EINVAL,
		"%.60s: %llu bytes is not a multiple of %u; did you mean %s?", value,
		(unsigned long long)bytes, unit, buf_text(&meant));
	buf_done(&meant);
	return r;
}

/* A block size or an alignment: 512 bytes to 64M. */
static int read_block(const char *value, uint32_t *ret, struct error *reterr)
{
	const uint32_t sector = 512;
	const uint32_t page = 4096;
	uint64_t bytes;
	int r = parse_size(value, &bytes, reterr);

	if (r < 0)
		return r;
	if (bytes > WORKLOAD_BLOCK_SIZE_MAX)
		return error_set(reterr, -ERANGE, "%.60s: too large: at most 64M", value);
	if (is_decimal_unit(value) && bytes % page != 0)
		return refuse_multiple(value, bytes, page, reterr);
	if (bytes == 0)
		return error_set(reterr, -ERANGE, "%.60s: too small: at least 512", value);
	if (bytes % sector != 0)
		return refuse_multiple(value, bytes, sector, reterr);
	*ret = (uint32_t)bytes;
	return 0;
}

static int set_block_size(struct workload *w, const char *value, struct error *reterr)
{
	return read_block(value, &w->block_size_bytes, reterr);
}

static void get_block_size(const struct workload *w, struct buf *b)
{
	format_size(b, w->block_size_bytes);
}

static const char pattern_expected[] =
	"a pattern (sequential, random, random:ALIGN, mixed:PERCENT)";

static int set_pattern(struct workload *w, const char *value, struct error *reterr)
{
	char word[32];
	const char *argument = split_argument(value, word, sizeof(word));
	int pattern = names_index(pattern_names, 0, COUNT(pattern_names), word);
	uint32_t align_bytes = 0;
	uint8_t random_percent = 0;
	int r = 0;

	if (pattern < 0)
		return refuse_word(
			value, word, pattern_names, COUNT(pattern_names), pattern_expected, reterr);
	if (pattern == WORKLOAD_SEQUENTIAL && argument)
		return error_set(
			reterr, -EINVAL, "%.60s: sequential takes nothing after a colon", value);
	if (pattern == WORKLOAD_MIXED && !argument)
		return error_set(reterr, -EINVAL,
			"%.60s: lacks its share of random I/Os; did you mean mixed:50?", value);
	if (pattern == WORKLOAD_RANDOM && argument)
		r = read_block(argument, &align_bytes, reterr);
	if (pattern == WORKLOAD_MIXED)
		r = parse_percent(argument, &random_percent, reterr);
	if (r < 0)
		return r;
	w->pattern = (enum workload_pattern)pattern;
	w->align_bytes = align_bytes;
	w->random_percent = random_percent;
	return 0;
}

static void get_pattern(const struct workload *w, struct buf *b)
{
	buf_add_text(b, pattern_names[w->pattern]);
	if (w->pattern == WORKLOAD_MIXED)
		buf_printf(b, ":%u", (unsigned)w->random_percent);
	if (w->pattern == WORKLOAD_RANDOM && w->align_bytes > 0) {
		buf_add_char(b, ':');
		format_size(b, w->align_bytes);
	}
}

static int set_cache(struct workload *w, const char *value, struct error *reterr)
{
	int r = names_index(cache_names, 0, COUNT(cache_names), value);

	if (r < 0)
		return refuse_word(value, value, cache_names, COUNT(cache_names),
			"a way to cache (direct, direct+dsync, dsync, buffered)", reterr);
	w->cache = (enum workload_cache)r;
	return 0;
}

static void get_cache(const struct workload *w, struct buf *b)
{
	buf_add_text(b, cache_names[w->cache]);
}

static int set_content(struct workload *w, const char *value, struct error *reterr)
{
	char word[32];
	const char *argument = split_argument(value, word, sizeof(word));
	int content = names_index(content_names, 0, COUNT(content_names), word);
	uint8_t percent = 0;

	if (content < 0)
		return refuse_word(value, word, content_names, COUNT(content_names),
			"a content (random, zero, compressible:PERCENT)", reterr);
	if (content != WORKLOAD_CONTENT_COMPRESSIBLE && argument)
		return error_set(
			reterr, -EINVAL, "%.60s: %s takes nothing after a colon", value, word);
	if (content == WORKLOAD_CONTENT_COMPRESSIBLE) {
		if (!argument)
			return error_set(reterr, -EINVAL,
				"%.60s: lacks its percentage; did you mean compressible:50?",
				value);
		int r = parse_percent(argument, &percent, reterr);
		if (r < 0)
			return r;
	}
	w->content = (enum workload_content)content;
	w->compressible_percent = percent;
	return 0;
}

static void get_content(const struct workload *w, struct buf *b)
{
	buf_add_text(b, content_names[w->content]);
	if (w->content == WORKLOAD_CONTENT_COMPRESSIBLE)
		buf_printf(b, ":%u", (unsigned)w->compressible_percent);
}

static int set_engine(struct workload *w, const char *value, struct error *reterr)
{
	int r = names_index(engine_names, 0, COUNT(engine_names), value);

	if (r < 0)
		return refuse_word(value, value, engine_names, COUNT(engine_names),
			"an engine (auto, io_uring, threads)", reterr);
	w->engine = (enum workload_engine)r;
	return 0;
}

static void get_engine(const struct workload *w, struct buf *b)
{
	buf_add_text(b, engine_names[w->engine]);
}

static int set_fresh(struct workload *w, const char *value, struct error *reterr)
{
	return parse_boolean(value, &w->is_fresh, reterr);
}

static void get_fresh(const struct workload *w, struct buf *b)
{
	buf_add_text(b, answer_names[w->is_fresh]);
}

const struct workload_form workload_form_preset = { set_preset, get_preset };
const struct workload_form workload_form_block_size = { set_block_size, get_block_size };
const struct workload_form workload_form_pattern = { set_pattern, get_pattern };
const struct workload_form workload_form_cache = { set_cache, get_cache };
const struct workload_form workload_form_content = { set_content, get_content };
const struct workload_form workload_form_engine = { set_engine, get_engine };
const struct workload_form workload_form_fresh = { set_fresh, get_fresh };
