/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a request: one row per parameter, one loop over the text. */
#include "http/query.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

#define KEY_SIZE 32
#define VALUE_SIZE 1024

static const char formats[][5] = { [QUERY_JSON] = "json", [QUERY_CSV] = "csv" };

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes %-escapes; is_form: '+' is a space, as in HTML forms. */
static int decode(const char *text, size_t len, bool is_form, char *ret, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (n + 1 >= size)
			return -ENAMETOOLONG;
		if (c == '+' && is_form)
			c = ' ';
		if (c == '%') {
			int high = i + 1 < len ? hex_digit(text[i + 1]) : -1;
			int low = i + 2 < len ? hex_digit(text[i + 2]) : -1;
			if (high < 0 || low < 0)
				return -EINVAL;
			c = (char)(high * 16 + low);
			i += 2;
		}
		if (c == '\0')
			return -EINVAL;
		ret[n++] = c;
	}
	ret[n] = '\0';
	return parse_is_utf8(ret) ? 0 : -EINVAL;
}

static int read_repository(
	const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	(void)now_usec;
	int r = parse_name(text, reterr);
	if (r < 0)
		return r;
	(void)snprintf(q->repository, sizeof(q->repository), "%s", text); /* parse_name bounds it */
	return 0;
}

static int read_probe(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	(void)now_usec;
	int r = parse_name(text, reterr);
	if (r < 0)
		return r;
	(void)snprintf(q->probe, sizeof(q->probe), "%s", text); /* parse_name bounds it */
	return 0;
}

static int read_operation(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	(void)now_usec;
	if (run_operation_parse(text, &q->operation) < 0)
		return error_set(
			reterr, -EINVAL, "'%s' is not an operation: expected read or write", text);
	return 0;
}

static int read_from(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	return parse_instant(text, now_usec, &q->from_usec, reterr);
}

static int read_to(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	return parse_instant(text, now_usec, &q->to_usec, reterr);
}

static int read_points(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	uint64_t value = 0;

	(void)now_usec;
	int r = parse_uint(text, 1, QUERY_POINTS_MAX, &value, reterr);
	if (r < 0)
		return r;
	q->points = (size_t)value;
	return 0;
}

static int read_columns(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	uint64_t value = 0;

	(void)now_usec;
	int r = parse_uint(text, 1, QUERY_COLUMNS_MAX, &value, reterr);
	if (r < 0)
		return r;
	q->columns = (size_t)value;
	return 0;
}

static int read_limit(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	uint64_t value = 0;

	(void)now_usec;
	int r = parse_uint(text, 1, QUERY_LIMIT_MAX, &value, reterr);
	if (r < 0)
		return r;
	q->limit = (size_t)value;
	return 0;
}

static int read_format(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	(void)now_usec;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(text, formats[i]) == 0) {
			q->format = (enum query_format)i;
			return 0;
		}
	return error_set(reterr, -EINVAL, "'%s' is not a format: expected json or csv", text);
}

static int read_state(const char *text, int64_t now_usec, struct query *q, struct error *reterr)
{
	static const char *const states[] = {
		[QUERY_ALL] = "all",
		[QUERY_OPEN] = "open",
		[QUERY_CLOSED] = "closed",
	};

	(void)now_usec;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(text, states[i]) == 0) {
			q->state = (enum query_state)i;
			return 0;
		}
	return error_set(
		reterr, -EINVAL, "'%s' is not a state: expected open, closed or all", text);
}

static const struct parameter {
	const char *name;
	int (*read)(const char *text, int64_t now_usec, struct query *q, struct error *reterr);
} parameters[QUERY_PARAMETERS] = {
	[QUERY_REPOSITORY] = { "repository", read_repository },
	[QUERY_PROBE] = { "probe", read_probe },
	[QUERY_OPERATION] = { "operation", read_operation },
	[QUERY_FROM] = { "from", read_from },
	[QUERY_TO] = { "to", read_to },
	[QUERY_POINTS] = { "points", read_points },
	[QUERY_LIMIT] = { "limit", read_limit },
	[QUERY_FORMAT] = { "format", read_format },
	[QUERY_STATE] = { "state", read_state },
	[QUERY_COLUMNS] = { "columns", read_columns },
};

static int refuse_unknown(const char *key, uint32_t allowed, struct error *reterr)
{
	const char *candidates[QUERY_PARAMETERS];
	size_t count = 0;

	for (size_t i = 0; i < QUERY_PARAMETERS; i++)
		if (allowed & QUERY_BIT(i))
			candidates[count++] = parameters[i].name;
	const char *meant = parse_suggest(key, candidates, count);
	if (meant)
		return error_set(
			reterr, -EINVAL, "unknown parameter '%s': did you mean '%s'?", key, meant);
	return error_set(reterr, -EINVAL, "unknown parameter '%s'", key);
}

static int find_parameter(const char *key, uint32_t allowed)
{
	for (int i = 0; i < QUERY_PARAMETERS; i++)
		if ((allowed & QUERY_BIT(i)) && strcmp(parameters[i].name, key) == 0)
			return i;
	return -ENOENT;
}

static int read_pair(const char *text, size_t len, const struct query_rules *rules,
	int64_t now_usec, struct query *q, struct error *reterr)
{
	char key[KEY_SIZE];
	char value[VALUE_SIZE] = "";
	const char *equals = memchr(text, '=', len);
	size_t key_len = equals ? (size_t)(equals - text) : len;

	int r = decode(text, key_len, true, key, sizeof(key));
	if (r == 0 && equals)
		r = decode(equals + 1, len - key_len - 1, true, value, sizeof(value));
	if (r == -ENAMETOOLONG)
		return error_set(reterr, -EINVAL, "a parameter is too long");
	if (r < 0)
		return error_set(reterr, -EINVAL, "a parameter is not UTF-8 in %%-escapes");
	int i = find_parameter(key, rules->allowed);
	if (i < 0)
		return refuse_unknown(key, rules->allowed, reterr);
	if (q->given & QUERY_BIT(i))
		return error_set(reterr, -EINVAL, "parameter '%s' is given twice", key);
	q->given |= QUERY_BIT(i);
	r = parameters[i].read(value, now_usec, q, reterr);
	if (r < 0)
		return error_prefix(reterr, -EINVAL, "%s", key);
	return 0;
}

static int check_required(uint32_t missing, struct error *reterr)
{
	for (size_t i = 0; i < QUERY_PARAMETERS; i++)
		if (missing & QUERY_BIT(i))
			return error_set(
				reterr, -EINVAL, "parameter '%s' is missing", parameters[i].name);
	return 0;
}

static int close_range(struct query *q, uint64_t span_usec, int64_t now_usec, struct error *reterr)
{
	int64_t span = (int64_t)span_usec;

	if (span > 0 && !(q->given & QUERY_BIT(QUERY_TO)))
		q->to_usec = now_usec;
	if (span > 0 && !(q->given & QUERY_BIT(QUERY_FROM)))
		q->from_usec = q->to_usec > span ? q->to_usec - span : 0;
	bool has_end = span > 0 || (q->given & QUERY_BIT(QUERY_TO));
	if (has_end && q->from_usec >= q->to_usec)
		return error_set(reterr, -EINVAL, "'from' must be before 'to'");
	return 0;
}

int query_parse(const char *text, const struct query_rules *rules, int64_t now_usec,
	struct query *ret, struct error *reterr)
{
	struct query q = { .points = QUERY_POINTS_DEFAULT,
		.columns = QUERY_COLUMNS_DEFAULT,
		.limit = QUERY_LIMIT_DEFAULT };
	int r = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, "&");
		if (len > 0)
			r = read_pair(text, len, rules, now_usec, &q, reterr);
		if (r < 0)
			return r;
		text += len;
		text += *text == '&';
	}
	r = check_required(rules->required & ~q.given, reterr);
	if (r < 0)
		return r;
	r = close_range(&q, rules->default_span_usec, now_usec, reterr);
	if (r < 0)
		return r;
	*ret = q;
	return 0;
}

int query_split_target(const char *target, char *ret_path, size_t size, const char **ret_query)
{
	size_t len = strcspn(target, "?");

	int r = decode(target, len, false, ret_path, size);
	if (r < 0)
		return r;
	*ret_query = target + len + (target[len] == '?');
	return 0;
}
