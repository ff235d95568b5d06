/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of the text format, written from its description and not from the writer. */
#include "scrape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define FAMILIES_MAX 128
#define SAMPLES_MAX 4096

struct span {
	const char *text;
	size_t len;
};

struct reader {
	const char *at; /* in the current line */
	const char *end; /* its line feed */
	struct span family;
	struct span type;
	size_t family_samples;
	struct span families[FAMILIES_MAX];
	struct span series[SAMPLES_MAX];
	uint64_t bucket; /* the count of the bucket before */
	struct scrape *result;
	size_t line;
};

static bool refuse(struct reader *r, const char *what)
{
	if (r->result->error[0] == '\0')
		(void)snprintf(
			r->result->error, sizeof(r->result->error), "line %zu: %s", r->line, what);
	return false;
}

static bool equal(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

static bool equal_text(struct span a, const char *text)
{
	return a.len == strlen(text) && memcmp(a.text, text, a.len) == 0;
}

static bool take_text(struct reader *r, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, text, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool take_name(struct reader *r, struct span *ret)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char digits[] = "0123456789";
	const char *start = r->at;

	while (r->at < r->end &&
		(memchr(first, *r->at, sizeof(first) - 1) ||
			(r->at > start && memchr(digits, *r->at, sizeof(digits) - 1))))
		r->at++;
	*ret = (struct span){ start, (size_t)(r->at - start) };
	return ret->len > 0;
}

/* "HELP NAME text" or "TYPE NAME type", the "# " being read. */
static bool read_comment(struct reader *r)
{
	struct span name;

	if (take_text(r, "HELP ")) {
		if (r->family.text && (r->type.len == 0 || r->family_samples == 0))
			return refuse(r, "the family before is empty");
		if (!take_name(r, &name) || !take_text(r, " "))
			return refuse(r, "HELP without name and text");
		for (size_t i = 0; i < r->result->families; i++)
			if (equal(r->families[i], name))
				return refuse(r, "family twice");
		if (r->result->families == FAMILIES_MAX)
			return refuse(r, "more families than this test can hold");
		r->families[r->result->families++] = name;
		r->family = name;
		r->type = (struct span){ NULL, 0 };
		r->family_samples = 0;
		if (r->at == r->end || memchr(r->at, '\\', (size_t)(r->end - r->at)))
			return refuse(r, "help text is empty or has a backslash");
		return true;
	}
	if (!take_text(r, "TYPE ") || !take_name(r, &name) || !take_text(r, " "))
		return refuse(r, "comment that is neither HELP nor TYPE");
	if (!r->family.text || !equal(name, r->family) || r->family_samples > 0 || r->type.len > 0)
		return refuse(r, "TYPE in the wrong place");
	r->type = (struct span){ r->at, (size_t)(r->end - r->at) };
	if (!equal_text(r->type, "gauge") && !equal_text(r->type, "counter") &&
		!equal_text(r->type, "histogram"))
		return refuse(r, "unknown type");
	return true;
}

/* An escaped value and its closing quote. */
static bool take_value(struct reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '"') {
			r->at++;
			return true;
		}
		if (*r->at != '\\')
			continue;
		r->at++;
		if (r->at == r->end || (*r->at != '\\' && *r->at != '"' && *r->at != 'n'))
			return refuse(r, "unknown escape");
	}
	return refuse(r, "label value without end");
}

static bool take_labels(struct reader *r)
{
	struct span name;

	if (!take_text(r, "{"))
		return true;
	do {
		if (!take_name(r, &name) || !take_text(r, "=\""))
			return refuse(r, "label without name");
		if (!take_value(r))
			return false;
	} while (take_text(r, ","));
	return take_text(r, "}") || refuse(r, "labels without end");
}

/* " 12" or " 0.25" up to the line's end; *ret is the whole part. */
static bool take_number(struct reader *r, uint64_t *ret)
{
	size_t digits = 0;
	size_t points = 0;

	*ret = 0;
	if (!take_text(r, " "))
		return refuse(r, "no value");
	for (; r->at < r->end; r->at++) {
		if (*r->at >= '0' && *r->at <= '9') {
			digits++;
			if (points == 0)
				*ret = *ret * 10 + (uint64_t)(*r->at - '0');
		} else if (*r->at == '.' && digits > 0 && points == 0) {
			points++;
		} else {
			return refuse(r, "not a plain number, or something after it");
		}
	}
	return digits > 0 || refuse(r, "empty value");
}

/* The name of a sample must be the family's, with one of three endings for histograms. */
static bool check_name(struct reader *r, struct span name, struct span *ret_suffix)
{
	if (!r->family.text || r->type.len == 0)
		return refuse(r, "sample before HELP and TYPE");
	if (name.len < r->family.len || memcmp(name.text, r->family.text, r->family.len) != 0)
		return refuse(r, "sample of another family");
	*ret_suffix = (struct span){ name.text + r->family.len, name.len - r->family.len };
	if (!equal_text(r->type, "histogram"))
		return ret_suffix->len == 0 || refuse(r, "sample of another family");
	return equal_text(*ret_suffix, "_bucket") || equal_text(*ret_suffix, "_sum") ||
		equal_text(*ret_suffix, "_count") || refuse(r, "no part of a histogram");
}

static bool check_bucket(struct reader *r, struct span series, struct span suffix, uint64_t value)
{
	static const char first[] = ",le=\"1e-05\"}";
	const size_t first_len = sizeof(first) - 1;

	if (equal_text(suffix, "_bucket")) {
		bool is_first = series.len > first_len &&
			memcmp(series.text + series.len - first_len, first, first_len) == 0;
		if (!is_first && value < r->bucket)
			return refuse(r, "bucket with less than the one before");
		r->bucket = value;
	}
	if (equal_text(suffix, "_count") && value != r->bucket)
		return refuse(r, "count is not that of the last bucket");
	return true;
}

static bool read_sample(struct reader *r)
{
	struct span series = { r->at, 0 };
	struct span name;
	struct span suffix;
	uint64_t value;

	if (!take_name(r, &name))
		return refuse(r, "no name");
	if (!check_name(r, name, &suffix) || !take_labels(r))
		return false;
	series.len = (size_t)(r->at - series.text);
	for (size_t i = 0; i < r->result->samples; i++)
		if (equal(r->series[i], series))
			return refuse(r, "series twice");
	if (r->result->samples == SAMPLES_MAX)
		return refuse(r, "more samples than this test can hold");
	r->series[r->result->samples++] = series;
	r->family_samples++;
	return take_number(r, &value) && check_bucket(r, series, suffix, value);
}

bool scrape_check(const char *text, size_t len, struct scrape *ret)
{
	static struct reader r; /* one thread, and too big for a stack */

	memset(&r, 0, sizeof(r));
	memset(ret, 0, sizeof(*ret));
	r.result = ret;
	if (memchr(text, '\0', len) || !parse_is_utf8(text))
		return refuse(&r, "not UTF-8 text");
	for (const char *at = text; at < text + len; at = r.end + 1) {
		r.line++;
		r.at = at;
		r.end = memchr(at, '\n', len - (size_t)(at - text));
		if (!r.end)
			return refuse(&r, "no line feed at the end");
		if (!(take_text(&r, "# ") ? read_comment(&r) : read_sample(&r)))
			return false;
	}
	return !r.family.text || r.family_samples > 0 || refuse(&r, "the last family is empty");
}

bool scrape_has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, line, len) == 0 && at[len] == '\n')
			return true;
	}
	return false;
}

size_t scrape_count(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);
	size_t count = 0;

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		count += strncmp(at, prefix, len) == 0;
	}
	return count;
}
