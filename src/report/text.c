/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: sanitized, padded, rounded. */
#include "report/text.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/utf8.h"

#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)

/* C0, DEL, and C1 as two bytes of UTF-8. */
static bool is_control(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

/* Returns the number of characters. */
static size_t add_clean(struct buf *b, const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		bool is_valid;
		size_t len = utf8_next(text, &is_valid);
		if (!is_valid)
			buf_add_char(b, '?');
		else if (is_control(text))
			buf_add_char(b, ' ');
		else
			buf_add(b, text, len);
		text += len;
	}
	return count;
}

void text_add_clean(struct buf *b, const char *text)
{
	(void)add_clean(b, text); /* the width does not matter here */
}

void text_add_padded(struct buf *b, const char *text, size_t width)
{
	for (size_t count = add_clean(b, text); count < width; count++)
		buf_add_char(b, ' ');
}

void text_add_time(struct buf *b, int64_t usec)
{
	const size_t date_len = strlen("2026-11-30");
	const size_t time_len = strlen("18:00:05");
	struct buf instant = BUF_INIT(64);

	format_instant(&instant, usec);
	const char *text = buf_text(&instant);
	if (strlen(text) > date_len + time_len)
		buf_printf(b, "%.*s %.*s", (int)date_len, text, (int)time_len, text + date_len + 1);
	buf_done(&instant);
}

void text_add_duration(struct buf *b, uint64_t usec)
{
	uint64_t unit = USEC_PER_SEC;

	if (usec >= USEC_PER_HOUR)
		unit = USEC_PER_MIN;
	if (usec >= USEC_PER_DAY)
		unit = USEC_PER_HOUR;
	/* Rounded down, so that 59.9 s does not become a minute. */
	format_duration(b, usec / unit * unit);
}

void text_add_factor(struct buf *b, uint64_t value, uint64_t of)
{
	unsigned __int128 tenths = of > 0 ? ((unsigned __int128)value * 10 + of / 2) / of : 0;
	unsigned shown = tenths > 9999 ? 9999 : (unsigned)tenths;

	buf_printf(b, "%u.%u times", shown / 10, shown % 10);
}
