/* SPDX-License-Identifier: Apache-2.0 */
/* Well-formed UTF-8, one character at a time. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Lead bytes, and the range of the byte that follows; further bytes are 80 to BF. */
static const struct lead {
	uint8_t first;
	uint8_t last;
	uint8_t length;
	uint8_t second_min;
	uint8_t second_max;
} leads[] = {
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

static const struct lead *find_lead(uint8_t byte)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	}
	return NULL;
}

size_t utf8_next(const char *text, bool *ret_is_valid)
{
	const uint8_t *s = (const uint8_t *)text;

	*ret_is_valid = true;
	if (s[0] < 0x80)
		return 1;
	*ret_is_valid = false;
	const struct lead *lead = find_lead(s[0]);
	if (!lead || s[1] < lead->second_min || s[1] > lead->second_max)
		return 1;
	/* The final NUL is no continuation byte, so this cannot run past it. */
	for (size_t i = 2; i < lead->length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return i;
	}
	*ret_is_valid = true;
	return lead->length;
}

static bool is_control(const char *text)
{
	const uint8_t *s = (const uint8_t *)text;

	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

size_t utf8_clean_line(char *text)
{
	size_t len = 0;

	for (const char *from = text; *from;) {
		bool is_valid;
		size_t n = utf8_next(from, &is_valid);

		if (!is_valid) {
			text[len++] = '?';
		} else if (is_control(from)) {
			text[len++] = ' ';
		} else {
			memmove(text + len, from, n);
			len += n;
		}
		from += n;
	}
	while (len > 0 && text[len - 1] == ' ')
		len--;
	text[len] = '\0';
	return len;
}

size_t utf8_cut(const char *text, size_t max)
{
	size_t len = strnlen(text, max);

	if (len < max || text[len] == '\0')
		return len;
	for (size_t back = 0; back < 4 && back <= len; back++) {
		if ((text[len - back] & 0xc0) != 0x80)
			return len - back;
	}
	return len;
}
