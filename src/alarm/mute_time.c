/* SPDX-License-Identifier: Apache-2.0 */
/* The intervals of a mute: a calendar of their starts, and a calendar of ends or a length. */
#include "alarm/mute_time.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"

#define TEXT_MAX 1024
#define JOINED_MAX 4096
#define LENGTH_MAX_USEC (UINT64_C(366) * 86400 * USEC_PER_SEC)
#define FORMS                                                                                      \
	"expected \"Mon..Fri 21:30-06:00\", \"Sat 02:00 for 6h\" or "                              \
	"\"2026-12-24 18:00 to 2026-12-27 06:00\", and a time zone behind it if it is not the local one"

struct mute_time {
	char *text;
	struct calendar *begin;
	struct calendar *end; /* NULL: length_usec is used */
	uint64_t length_usec;
};

/* --- From text ----------------------------------------------------------- */

/* A part of the text, not terminated. */
struct part {
	const char *text;
	size_t len;
};

static struct part next_word(const char **at)
{
	*at += strspn(*at, " \t");
	struct part word = { .text = *at, .len = strcspn(*at, " \t") };

	*at += word.len;
	return word;
}

static bool is_word(struct part part, const char *word)
{
	return part.len == strlen(word) && strncmp(part.text, word, part.len) == 0;
}

/* The length of a time of day, "6:00" or "21:30:15"; 0: none. */
static size_t time_of_day_len(const char *text, size_t len)
{
	size_t i = 0;
	size_t colons = 0;

	while (i < len && (isdigit((unsigned char)text[i]) || text[i] == ':'))
		colons += text[i++] == ':';
	return colons == 1 || colons == 2 ? i : 0;
}

/* "21:30-06:00": the length of the text before the '-', or 0. */
static size_t find_dash(struct part word)
{
	size_t first = time_of_day_len(word.text, word.len);

	if (first == 0 || first >= word.len || word.text[first] != '-')
		return 0;
	size_t second = time_of_day_len(word.text + first + 1, word.len - first - 1);
	return second > 0 && first + 1 + second == word.len ? first : 0;
}

static bool is_zone(struct part word)
{
	return word.len > 0 && (isalpha((unsigned char)word.text[0]) != 0);
}

/* The text after the last blank if it looks like a time zone name, else empty. */
static struct part find_zone(const char *text)
{
	const char *at = text;
	struct part last = { .text = text, .len = 0 };

	for (;;) {
		struct part word = next_word(&at);
		if (word.len == 0)
			break;
		last = word;
	}
	return is_zone(last) ? last : (struct part){ .text = at, .len = 0 };
}

static void append(struct buf *text, struct part part)
{
	while (part.len > 0 && strchr(" \t", part.text[0])) {
		part.text++;
		part.len--;
	}
	while (part.len > 0 && strchr(" \t", part.text[part.len - 1]))
		part.len--;
	if (part.len > 0)
		buf_printf(text, "%s%.*s", text->len > 0 ? " " : "", (int)part.len, part.text);
}

static int parse_joined(struct part a, struct part b, struct part c,
	const struct zone_places *places, struct calendar **ret, struct error *reterr)
{
	struct buf text = BUF_INIT(JOINED_MAX);

	append(&text, a);
	append(&text, b);
	append(&text, c);
	int r = text.error < 0 ? text.error : calendar_parse(buf_text(&text), places, ret, reterr);
	buf_done(&text);
	return r;
}

static const struct part nothing = { .text = "", .len = 0 };

/* word is "21:30-06:00" with first characters before the dash; at points behind it. */
static int parse_times(struct mute_time *m, struct part word, size_t first, const char *at,
	const struct zone_places *places, struct error *reterr)
{
	const struct part days = { .text = m->text, .len = (size_t)(word.text - m->text) };
	const struct part from = { .text = word.text, .len = first };
	const struct part to = { .text = word.text + first + 1, .len = word.len - first - 1 };
	const struct part zone = { .text = at, .len = strlen(at) };
	int r = parse_joined(days, from, zone, places, &m->begin, reterr);

	return r < 0 ? r : parse_joined(nothing, to, zone, places, &m->end, reterr);
}

static bool is_once(const struct calendar *calendar, int64_t *ret_sec)
{
	int64_t again_sec;

	return calendar_next_local(calendar, INT64_MIN, ret_sec) == 0 &&
		calendar_next_local(calendar, *ret_sec, &again_sec) == -ENOENT;
}

static int parse_once(struct mute_time *m, struct part word, const char *at,
	const struct zone_places *places, struct error *reterr)
{
	const struct part from = { .text = m->text, .len = (size_t)(word.text - m->text) };
	const struct part to = { .text = at, .len = strlen(at) };
	int64_t begin_sec = 0;
	int64_t end_sec = 0;
	int r = parse_joined(from, nothing, find_zone(at), places, &m->begin, reterr);

	if (r >= 0)
		r = parse_joined(to, nothing, nothing, places, &m->end, reterr);
	if (r < 0)
		return r;
	if (!is_once(m->begin, &begin_sec) || !is_once(m->end, &end_sec))
		return error_set(reterr, -EINVAL,
			"\"%s\": expected one instant before \"to\" and one after it; " FORMS,
			m->text);
	if (end_sec <= begin_sec)
		return error_set(reterr, -EINVAL, "\"%s\" ends before it starts", m->text);
	return 0;
}

static int parse_length(struct mute_time *m, struct part word, const char *at,
	const struct zone_places *places, struct error *reterr)
{
	const struct part from = { .text = m->text, .len = (size_t)(word.text - m->text) };
	struct buf length = BUF_INIT(TEXT_MAX);

	at += strspn(at, " \t");
	struct part zone = find_zone(at);
	if (zone.text == at) /* it is the length itself */
		zone = (struct part){ .text = at + strlen(at), .len = 0 };
	append(&length, (struct part){ .text = at, .len = (size_t)(zone.text - at) });
	int r = parse_duration(buf_text(&length), &m->length_usec, reterr);
	buf_done(&length);
	if (r >= 0 && (m->length_usec == 0 || m->length_usec > LENGTH_MAX_USEC))
		r = error_set(reterr, -EINVAL,
			"\"%s\": a mute must be longer than 0 and at most 366 days", m->text);
	return r < 0 ? r : parse_joined(from, nothing, zone, places, &m->begin, reterr);
}

static int parse_forms(struct mute_time *m, const struct zone_places *places, struct error *reterr)
{
	const char *at = m->text;

	for (;;) {
		struct part word = next_word(&at);
		if (word.len == 0)
			break;
		size_t first = find_dash(word);
		if (first > 0)
			return parse_times(m, word, first, at, places, reterr);
		if (is_word(word, "to"))
			return parse_once(m, word, at, places, reterr);
		if (is_word(word, "for"))
			return parse_length(m, word, at, places, reterr);
	}
	return error_set(reterr, -EINVAL, "\"%s\" does not say when it ends: " FORMS, m->text);
}

int mute_time_parse(const char *text, const struct zone_places *places, struct mute_time **ret,
	struct error *reterr)
{
	if (strlen(text) > TEXT_MAX || !parse_is_utf8(text))
		return error_set(reterr, -EINVAL, "longer than %d bytes, or not UTF-8", TEXT_MAX);
	struct mute_time *m = calloc(1, sizeof(*m));
	if (m)
		m->text = strdup(text);
	int r = m && m->text ? parse_forms(m, places, reterr) : -ENOMEM;
	if (r < 0) {
		mute_time_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

struct mute_time *mute_time_free(struct mute_time *m)
{
	if (!m)
		return NULL;
	calendar_free(m->begin);
	calendar_free(m->end);
	free(m->text);
	free(m);
	return NULL;
}

const char *mute_time_text(const struct mute_time *m)
{
	return m->text;
}

/* --- Intervals ------------------------------------------------------------ */

/* Starts and ends are compared as local times: as instants, both ends of an interval are equal
 * where the clocks skip them, and the next end would be that of another day. */

/* The first start after a time, if the clocks have shown it. */
static bool next_begin(
	const struct mute_time *m, int64_t after_sec, int64_t shown_sec, int64_t *ret_sec)
{
	int64_t begin_sec;

	if (calendar_next_local(m->begin, after_sec, &begin_sec) < 0 || begin_sec > shown_sec)
		return false;
	*ret_sec = begin_sec;
	return true;
}

/* The last start that the clocks have shown: searched from far enough back towards now, because
 * calendars only compute the next one. */
static bool find_begin(const struct mute_time *m, int64_t shown_sec, int64_t *ret_sec)
{
	int64_t back_sec = 1;
	int64_t none_after_sec = shown_sec;
	int64_t begin_sec;
	int64_t later_sec;

	while (!next_begin(m, shown_sec - back_sec, shown_sec, &begin_sec)) {
		if (back_sec > shown_sec)
			return false;
		none_after_sec = shown_sec - back_sec;
		back_sec *= 2;
	}
	while (next_begin(m, begin_sec, shown_sec, &later_sec)) {
		int64_t middle_sec = later_sec + (none_after_sec - later_sec) / 2;
		if (next_begin(m, middle_sec, shown_sec, &begin_sec))
			continue;
		begin_sec = later_sec;
		none_after_sec = middle_sec;
	}
	*ret_sec = begin_sec;
	return true;
}

static int64_t find_end(const struct mute_time *m, int64_t begin_sec)
{
	int64_t end_sec;

	if (!m->end)
		return calendar_instant(m->begin, begin_sec) + (int64_t)m->length_usec;
	return calendar_next_local(m->end, begin_sec, &end_sec) == 0
		? calendar_instant(m->end, end_sec)
		: INT64_MAX;
}

bool mute_time_holds(const struct mute_time *m, int64_t now_usec, int64_t *ret_from_usec,
	int64_t *ret_until_usec)
{
	int64_t begin_sec;

	if (now_usec <= 0 || !find_begin(m, calendar_shown(m->begin, now_usec), &begin_sec))
		return false;
	int64_t end_usec = find_end(m, begin_sec);
	if (end_usec <= now_usec)
		return false;
	*ret_from_usec = calendar_instant(m->begin, begin_sec);
	*ret_until_usec = end_usec;
	return true;
}
