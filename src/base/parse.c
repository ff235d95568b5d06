/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of whole numbers, words and names; others: parse_units.c and parse_instant.c. */
#include "base/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/utf8.h"

#define NAME_MAX_BYTES 200
#define WORD_MAX_BYTES 64

/* Digits only. */
static int read_digits(const char *text, struct decimal *ret)
{
	size_t len = decimal_scan(text, ret);

	return len > 0 && text[len] == '\0' && !ret->has_fraction ? 0 : -EINVAL;
}

int parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret, struct error *reterr)
{
	struct decimal number = { 0 };

	if (read_digits(text, &number) < 0)
		return error_set(reterr, -EINVAL,
			"%.60s: expected a whole number from %" PRIu64 " to %" PRIu64, text, min,
			max);
	if (number.is_too_big || number.whole < min || number.whole > max)
		return error_set(reterr, -ERANGE, "%.60s: must be from %" PRIu64 " to %" PRIu64,
			text, min, max);
	*ret = number.whole;
	return 0;
}

int parse_int(const char *text, int64_t min, int64_t max, int64_t *ret, struct error *reterr)
{
	bool is_negative = text[0] == '-';
	struct decimal number = { 0 };
	int64_t v = 0;

	if (read_digits(text + is_negative, &number) < 0)
		return error_set(reterr, -EINVAL,
			"%.60s: expected a whole number from %" PRId64 " to %" PRId64, text, min,
			max);
	bool is_overflow = is_negative ? __builtin_sub_overflow(0, number.whole, &v)
				       : __builtin_add_overflow(0, number.whole, &v);
	if (is_overflow || number.is_too_big || v < min || v > max)
		return error_set(reterr, -ERANGE, "%.60s: must be from %" PRId64 " to %" PRId64,
			text, min, max);
	*ret = v;
	return 0;
}

int parse_percent(const char *text, uint8_t *ret, struct error *reterr)
{
	struct decimal number = { 0 };
	size_t len = decimal_scan(text, &number);

	if (len == 0 || number.has_fraction || (text[len] != '\0' && strcmp(text + len, "%") != 0))
		return error_set(reterr, -EINVAL,
			"%.60s: expected a whole percentage from 0 to 100, such as 30 or 30%%",
			text);
	if (number.whole > 100)
		return error_set(reterr, -ERANGE, "%.60s: a percentage is at most 100", text);
	*ret = (uint8_t)number.whole;
	return 0;
}

int parse_boolean(const char *text, bool *ret, struct error *reterr)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };
	const size_t count = sizeof(words) / sizeof(words[0]);

	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*ret = i % 2 == 1;
			return 0;
		}
	}
	const char *guess = parse_suggest(text, words, count);
	if (guess)
		return error_set(reterr, -EINVAL, "%.60s: expected yes or no; did you mean %s?",
			text, guess);
	return error_set(reterr, -EINVAL, "%.60s: expected yes or no", text);
}

/* What is wrong with the character at text in a name, or NULL. */
static const char *find_name_fault(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0))
		return "a control character";
	switch (s[0]) {
	case '/':
		return "'/'";
	case ',':
		return "','";
	case ']':
		return "']'";
	default:
		return NULL;
	}
}

int parse_name(const char *text, struct error *reterr)
{
	size_t len = strnlen(text, NAME_MAX_BYTES + 1);

	if (len == 0)
		return error_set(reterr, -EINVAL, "a name must not be empty");
	if (len > NAME_MAX_BYTES)
		return error_set(reterr, -ERANGE, "%.60s…: a name has at most %d bytes", text,
			NAME_MAX_BYTES);
	if (!parse_is_utf8(text))
		return error_set(reterr, -EINVAL, "%.60s: a name must be UTF-8", text);
	for (const char *at = text; *at; at++) {
		const char *fault = find_name_fault(at);

		if (fault)
			return error_set(
				reterr, -EINVAL, "%.60s: a name must not contain %s", text, fault);
	}
	return 0;
}

bool parse_is_utf8(const char *text)
{
	while (*text) {
		bool is_valid;

		text += utf8_next(text, &is_valid);
		if (!is_valid)
			return false;
	}
	return true;
}

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: insertion, deletion, replacement or swap of two neighbours; letter case
 * is ignored. Both words are at most WORD_MAX_BYTES long. */
static unsigned int edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	uint8_t rows[3][WORD_MAX_BYTES + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (uint8_t)j;
	for (size_t i = 1; i <= a_len; i++) {
		const uint8_t *before = rows[(i + 1) % 3]; /* row i - 2 */
		const uint8_t *last = rows[(i - 1) % 3];
		uint8_t *row = rows[i % 3];

		row[0] = (uint8_t)i;
		for (size_t j = 1; j <= b_len; j++) {
			bool is_same = fold(a[i - 1]) == fold(b[j - 1]);
			unsigned int v = min_of(last[j] + 1U, row[j - 1] + 1U);

			v = min_of(v, last[j - 1] + !is_same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
				fold(a[i - 2]) == fold(b[j - 1]))
				v = min_of(v, before[j - 2] + 1U);
			row[j] = (uint8_t)v;
		}
	}
	return rows[a_len % 3][b_len];
}

const char *parse_suggest(const char *word, const char *const *candidates, size_t count)
{
	size_t len = strnlen(word, WORD_MAX_BYTES + 1);
	unsigned int best = len < 6 ? 2 : (unsigned int)len / 3 + 1;
	const char *guess = NULL;

	if (len == 0 || len > WORD_MAX_BYTES)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t candidate_len = strnlen(candidates[i], WORD_MAX_BYTES + 1);

		if (candidate_len > WORD_MAX_BYTES)
			continue;
		unsigned int distance = edit_distance(word, len, candidates[i], candidate_len);
		/* A word in which every character would change is not a typo. */
		if (distance < best && distance < len) {
			best = distance;
			guess = candidates[i];
		}
	}
	return guess;
}
