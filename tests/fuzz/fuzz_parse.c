/* SPDX-License-Identifier: Apache-2.0 */
/* All readers of base/parse on one text. What a reader takes, the formatter must say again. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"

#define NOW_USEC INT64_C(1796061600000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

/* A refusal has a sentence of UTF-8 on one line, an answer has none. */
static void check_sentence(int r, const struct error *e)
{
	require((r < 0) == (e->text[0] != '\0'));
	require(parse_is_utf8(e->text) && !strchr(e->text, '\n'));
}

static void check_unsigned(const char *text,
	int (*reader)(const char *text, uint64_t *ret, struct error *reterr),
	void (*format)(struct buf *b, uint64_t value))
{
	struct buf b = BUF_INIT(100);
	struct error e = { 0 };
	uint64_t value = 0;
	uint64_t again = 0;
	int r = reader(text, &value, &e);

	check_sentence(r, &e);
	if (r == 0) {
		format(&b, value);
		require(reader(buf_text(&b), &again, NULL) == 0 && again == value);
	}
	buf_done(&b);
}

static void check_instant(const char *text)
{
	struct buf b = BUF_INIT(100);
	struct error e = { 0 };
	int64_t usec = 0;
	int64_t again = 0;
	int r = parse_instant(text, NOW_USEC, &usec, &e);

	check_sentence(r, &e);
	if (r == 0) {
		format_instant(&b, usec);
		require(parse_instant(buf_text(&b), 0, &again, NULL) == 0 && again == usec);
	}
	buf_done(&b);
}

static void check_whole_numbers(const char *text)
{
	struct error e = { 0 };
	uint64_t positive = 0;
	int64_t any = 0;
	int r = parse_uint(text, 0, INT64_MAX, &positive, &e);

	check_sentence(r, &e);
	/* What one reader takes, the wider one takes alike. */
	if (r == 0)
		require(parse_int(text, INT64_MIN, INT64_MAX, &any, NULL) == 0 &&
			(uint64_t)any == positive);
}

static void check_words(const char *text)
{
	static const char *const words[] = { "path", "interval", "limit_critical", "schedule" };
	struct error e = { 0 };
	uint8_t percent = 0;
	bool is_on = false;

	require(parse_percent(text, &percent, NULL) < 0 || percent <= 100);
	check_sentence(parse_boolean(text, &is_on, &e), &e);
	memset(&e, 0, sizeof(e));
	check_sentence(parse_name(text, &e), &e);
	(void)parse_suggest(text, words, 4); /* any answer will do */
}

static void check_utf8(const char *text)
{
	struct buf b = BUF_INIT(4 << 20);

	buf_add_utf8(&b, text);
	require(b.error == 0 && parse_is_utf8(buf_text(&b)));
	require(!parse_is_utf8(text) || strcmp(text, buf_text(&b)) == 0);
	buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_unsigned(text, parse_size, format_size);
	check_unsigned(text, parse_duration, format_duration);
	check_instant(text);
	check_whole_numbers(text);
	check_words(text);
	check_utf8(text);
	free(text);
	return 0;
}
