/* SPDX-License-Identifier: Apache-2.0 */
/* Parses, formats and judges a condition. */
#include "alarm/condition.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/parse.h"

#define WORD_MAX 64
#define BILLION UINT64_C(1000000000)
#define MEASURES_TEXT "avg, p50, p95, p99, p99.9, max, throughput, iops, errors"

static const struct measure {
	const char *name;
	enum condition_unit unit;
	uint64_t parts_per_billion; /* of a percentile, else 0 */
} measures[CONDITION_MEASURES] = {
	[CONDITION_AVG] = { "avg", CONDITION_NSEC, 0 },
	[CONDITION_P50] = { "p50", CONDITION_NSEC, 500000000 },
	[CONDITION_P95] = { "p95", CONDITION_NSEC, 950000000 },
	[CONDITION_P99] = { "p99", CONDITION_NSEC, 990000000 },
	[CONDITION_P99_9] = { "p99.9", CONDITION_NSEC, 999000000 },
	[CONDITION_MAX] = { "max", CONDITION_NSEC, 0 },
	[CONDITION_THROUGHPUT] = { "throughput", CONDITION_BYTES_PER_SEC, 0 },
	[CONDITION_IOPS] = { "iops", CONDITION_NUMBER, 0 },
	[CONDITION_ERRORS] = { "errors", CONDITION_NUMBER, 0 },
};

const char *condition_measure_name(enum condition_measure measure)
{
	assert((size_t)measure < CONDITION_MEASURES);
	return measures[measure].name;
}

enum condition_unit condition_measure_unit(enum condition_measure measure)
{
	assert((size_t)measure < CONDITION_MEASURES);
	return measures[measure].unit;
}

/* --- From text ------------------------------------------------------------- */

struct cursor {
	const char *text;
	size_t at;
	size_t word_at; /* start of the word that was read last */
	char word[WORD_MAX]; /* cut if longer: no known word is that long */
};

static size_t column(size_t at)
{
	return at + 1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct cursor *c)
{
	while (is_blank(c->text[c->at]))
		c->at++;
}

/* The next word: ends at a blank or a comparison; "" at the end of the text. */
static void read_word(struct cursor *c)
{
	size_t len = 0;

	skip_blanks(c);
	c->word_at = c->at;
	for (; c->text[c->at] != '\0' && !strchr(" \t<>=", c->text[c->at]); c->at++)
		if (len < sizeof(c->word) - 1)
			c->word[len++] = c->text[c->at];
	c->word[len] = '\0';
}

static int find_measure(const char *word)
{
	for (int i = 0; i < CONDITION_MEASURES; i++)
		if (strcmp(measures[i].name, word) == 0)
			return i;
	return -EINVAL;
}

static int refuse_measure(const struct cursor *c, bool has_operation, struct error *reterr)
{
	const char *names[CONDITION_MEASURES + RUN_OPERATIONS];
	const char *before = has_operation ? "" : "read, write, ";
	size_t count = 0;

	for (; count < CONDITION_MEASURES; count++)
		names[count] = measures[count].name;
	for (size_t i = 0; !has_operation && i < RUN_OPERATIONS; i++)
		names[count++] = run_operation_name((enum run_operation)i);
	if (c->word[0] == '\0')
		return error_set(reterr, -EINVAL, "column %zu: expected one of %s" MEASURES_TEXT,
			column(c->word_at), before);
	const char *meant = parse_suggest(c->word, names, count);
	if (meant)
		return error_set(reterr, -EINVAL,
			"column %zu: \"%s\" is not one of %s" MEASURES_TEXT "; did you mean %s?",
			column(c->word_at), c->word, before, meant);
	return error_set(reterr, -EINVAL, "column %zu: \"%s\" is not one of %s" MEASURES_TEXT,
		column(c->word_at), c->word, before);
}

static int read_measure(struct cursor *c, struct condition *condition, struct error *reterr)
{
	read_word(c);
	condition->has_operation = run_operation_parse(c->word, &condition->operation) == 0;
	if (condition->has_operation)
		read_word(c);
	int measure = find_measure(c->word);
	if (measure < 0)
		return refuse_measure(c, condition->has_operation, reterr);
	condition->measure = (enum condition_measure)measure;
	return 0;
}

static int read_comparison(struct cursor *c, struct condition *condition, struct error *reterr)
{
	skip_blanks(c);
	char comparison = c->text[c->at];
	if (comparison != '>' && comparison != '<')
		return error_set(reterr, -EINVAL, "column %zu: expected > or < after %s",
			column(c->at), measures[condition->measure].name);
	c->at++;
	if (c->text[c->at] == '=')
		return error_set(reterr, -EINVAL, "column %zu: %c= is not known; did you mean %c?",
			column(c->at - 1), comparison, comparison);
	condition->is_below = comparison == '<';
	return 0;
}

static int parse_latency(const char *word, uint64_t *ret_nsec, struct error *reterr)
{
	uint64_t usec;
	int r = parse_duration(word, &usec, reterr);

	if (r < 0)
		return r;
	if (usec > UINT64_MAX / NSEC_PER_USEC)
		return error_set(reterr, -ERANGE, "%s: too long for a latency", word);
	*ret_nsec = usec * NSEC_PER_USEC;
	return 0;
}

static int parse_throughput(char *word, uint64_t *ret, struct error *reterr)
{
	size_t len = strlen(word);

	if (len > 2 && strcmp(word + len - 2, "/s") == 0)
		word[len - 2] = '\0';
	return parse_size(word, ret, reterr);
}

static int parse_value(enum condition_unit unit, char *word, uint64_t *ret, struct error *reterr)
{
	switch (unit) {
	case CONDITION_NSEC:
		return parse_latency(word, ret, reterr);
	case CONDITION_BYTES_PER_SEC:
		return parse_throughput(word, ret, reterr);
	case CONDITION_NUMBER:
		return parse_uint(word, 0, INT64_MAX, ret, reterr);
	}
	return -EINVAL;
}

/* "x2 normal": a multiple of the normal, which a single run does not know. */
static bool is_relative(const char *value)
{
	return value[0] == 'x' && value[1] >= '0' && value[1] <= '9';
}

#define THOUSAND UINT64_C(1000)
#define FACTOR_MAX (THOUSAND * THOUSAND)

static bool has_normal(enum condition_measure measure)
{
	return measure != CONDITION_P99_9 && measure != CONDITION_MAX &&
		measure != CONDITION_ERRORS;
}

/* "x1.5 normal" */
static int parse_factor(const char *word, struct condition *condition, struct error *reterr)
{
	struct decimal factor;
	size_t len = decimal_scan(word + 1, &factor);
	const char *rest = word + 1 + len;
	uint64_t thousandths;

	while (is_blank(*rest))
		rest++;
	if (strcmp(rest, "normal") != 0)
		return error_set(reterr, -EINVAL,
			"expected a factor and the word normal, as in x2 normal; got \"%s\"", word);
	if (!has_normal(condition->measure))
		return error_set(reterr, -EINVAL, "there is no normal of %s",
			measures[condition->measure].name);
	if (decimal_scale(&factor, THOUSAND, &thousandths) < 0 || thousandths == 0 ||
		thousandths > FACTOR_MAX)
		return error_set(
			reterr, -ERANGE, "\"%s\": expected a factor from 0.001 to 1000", word);
	condition->is_relative = true;
	condition->value = thousandths;
	return 0;
}

static int read_value(
	struct cursor *c, struct condition *condition, bool takes_relative, struct error *reterr)
{
	char word[WORD_MAX];

	skip_blanks(c);
	size_t len = strlen(c->text + c->at);
	while (len > 0 && is_blank(c->text[c->at + len - 1]))
		len--;
	if (len == 0)
		return error_set(reterr, -EINVAL, "column %zu: a value is missing", column(c->at));
	if (len >= sizeof(word))
		return error_set(
			reterr, -EINVAL, "column %zu: the value is too long", column(c->at));
	memcpy(word, c->text + c->at, len);
	word[len] = '\0';
	if (is_relative(word) && takes_relative) {
		int relative = parse_factor(word, condition, reterr);
		if (relative < 0)
			return error_prefix(reterr, relative, "column %zu", column(c->at));
		return 0;
	}
	if (is_relative(word))
		return error_set(reterr, -EOPNOTSUPP,
			"column %zu: \"%s\" is not in this version, which knows no normal here",
			column(c->at), word);
	int r = parse_value(
		condition_measure_unit(condition->measure), word, &condition->value, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "column %zu", column(c->at));
	return 0;
}

static int parse(const char *text, bool takes_relative, struct condition *ret, struct error *reterr)
{
	struct cursor c = { .text = text };
	struct condition condition = { .has_operation = false };
	int r = read_measure(&c, &condition, reterr);

	if (r == 0)
		r = read_comparison(&c, &condition, reterr);
	if (r == 0)
		r = read_value(&c, &condition, takes_relative, reterr);
	if (r < 0)
		return r;
	*ret = condition;
	return 0;
}

int condition_parse(const char *text, struct condition *ret, struct error *reterr)
{
	return parse(text, false, ret, reterr);
}

int condition_parse_relative(const char *text, struct condition *ret, struct error *reterr)
{
	return parse(text, true, ret, reterr);
}

/* "1.5", "2" */
static void format_factor(struct buf *b, uint64_t thousandths)
{
	unsigned digits = 3;
	uint64_t fraction = thousandths % THOUSAND;

	buf_printf(b, "x%" PRIu64, thousandths / THOUSAND);
	for (; fraction > 0 && fraction % 10 == 0; fraction /= 10)
		digits--;
	if (fraction > 0)
		buf_printf(b, ".%0*" PRIu64, (int)digits, fraction);
	buf_add_text(b, " normal");
}

void condition_format(const struct condition *condition, struct buf *b)
{
	if (condition->has_operation)
		buf_printf(b, "%s ", run_operation_name(condition->operation));
	buf_printf(b, "%s %c ", condition_measure_name(condition->measure),
		condition->is_below ? '<' : '>');
	if (condition->is_relative) {
		format_factor(b, condition->value);
		return;
	}
	switch (condition_measure_unit(condition->measure)) {
	case CONDITION_NSEC:
		format_duration(b, condition->value / NSEC_PER_USEC);
		return;
	case CONDITION_BYTES_PER_SEC:
		format_size(b, condition->value);
		return;
	case CONDITION_NUMBER:
		buf_printf(b, "%" PRIu64, condition->value);
		return;
	}
}

/* --- On a run -------------------------------------------------------------- */

/* A measured value as a fraction, to compare it without rounding. */
struct fraction {
	unsigned __int128 numerator;
	uint64_t denominator; /* 0: nothing was measured */
};

static struct fraction per_second(uint64_t amount, const struct run *run)
{
	return (struct fraction){ (unsigned __int128)amount * NSEC_PER_SEC, run->measured_nsec };
}

static struct fraction percentile(const struct histogram *h, enum condition_measure measure)
{
	uint64_t nsec = histogram_percentile_nsec(h, measures[measure].parts_per_billion);

	return (struct fraction){ nsec, h->count > 0 };
}

static struct fraction measured(enum condition_measure measure, const struct run *run,
	const struct run_operation_result *o, const struct histogram *window)
{
	const struct histogram *h = &o->latency;

	switch (measure) {
	case CONDITION_AVG:
		return (struct fraction){ h->sum_nsec, h->count };
	case CONDITION_P50:
	case CONDITION_P95:
	case CONDITION_P99:
	case CONDITION_P99_9:
		return percentile(window, measure);
	case CONDITION_MAX:
		return (struct fraction){ h->max_nsec, h->count > 0 };
	case CONDITION_THROUGHPUT:
		return per_second(o->bytes, run);
	case CONDITION_IOPS:
		return per_second(o->ios, run);
	case CONDITION_ERRORS:
		return (struct fraction){ o->errors, 1 };
	}
	return (struct fraction){ 0, 0 };
}

static bool has_happened(const struct run_operation_result *o)
{
	return o->ios > 0 || o->errors > 0 || o->latency.count > 0;
}

enum condition_verdict condition_judge_window(const struct condition *condition,
	const struct run *run, enum run_operation operation, const struct histogram *window,
	uint64_t normal)
{
	const struct run_operation_result *o = &run->operations[operation];
	const struct histogram *latency = window ? window : &o->latency;
	struct fraction value = measured(condition->measure, run, o, latency);
	uint64_t parts_per_billion = measures[condition->measure].parts_per_billion;

	if (!has_happened(o) || value.denominator == 0 || (condition->is_relative && normal == 0))
		return CONDITION_ABSENT;
	if (parts_per_billion > 0 && !histogram_can_tell(latency, parts_per_billion))
		return CONDITION_TOO_FEW;
	unsigned __int128 limit = (unsigned __int128)condition->value * value.denominator;
	if (condition->is_relative) {
		limit *= normal;
		value.numerator *= THOUSAND;
	}
	bool is_met = condition->is_below ? value.numerator < limit : value.numerator > limit;
	return is_met ? CONDITION_MET : CONDITION_NOT_MET;
}

enum condition_verdict condition_judge(
	const struct condition *condition, const struct run *run, enum run_operation operation)
{
	return condition_judge_window(condition, run, operation, NULL, 0);
}

uint64_t condition_measured_window(enum condition_measure measure, const struct run *run,
	enum run_operation operation, const struct histogram *window)
{
	const struct run_operation_result *o = &run->operations[operation];
	struct fraction value = measured(measure, run, o, window ? window : &o->latency);

	if (value.denominator == 0)
		return 0;
	unsigned __int128 rounded = (value.numerator + value.denominator / 2) / value.denominator;
	return rounded > UINT64_MAX ? UINT64_MAX : (uint64_t)rounded;
}

uint64_t condition_measured(
	enum condition_measure measure, const struct run *run, enum run_operation operation)
{
	return condition_measured_window(measure, run, operation, NULL);
}

uint64_t condition_ios_needed(enum condition_measure measure)
{
	uint64_t parts_per_billion = measures[measure].parts_per_billion;

	if (parts_per_billion == 0)
		return 0;
	uint64_t beyond = BILLION - parts_per_billion;
	return (10 * BILLION + beyond - 1) / beyond;
}
