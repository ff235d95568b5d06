/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and fields of the texts under /proc. */
#include "model/field.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

#define NUMBER_MAX_BYTES 20 /* 2^64 - 1 */

bool field_next_line(const char **text, struct field *ret)
{
	if (**text == '\0')
		return false;
	const char *end = strchrnul(*text, '\n');
	*ret = (struct field){ .text = *text, .len = (size_t)(end - *text) };
	*text = *end == '\n' ? end + 1 : end;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool field_next_word(struct field *line, struct field *ret)
{
	size_t start = 0;

	while (start < line->len && is_blank(line->text[start]))
		start++;
	size_t end = start;
	while (end < line->len && !is_blank(line->text[end]))
		end++;
	if (end == start)
		return false;
	*ret = (struct field){ .text = line->text + start, .len = end - start };
	line->text += end;
	line->len -= end;
	return true;
}

bool field_next_column(struct field *line, struct field *ret)
{
	if (!line->text)
		return false;
	const char *blank = memchr(line->text, ' ', line->len);
	if (!blank) {
		*ret = *line;
		*line = (struct field){ 0 };
		return true;
	}
	size_t len = (size_t)(blank - line->text);
	*ret = (struct field){ .text = line->text, .len = len };
	line->text += len + 1;
	line->len -= len + 1;
	return true;
}

bool field_is(struct field field, const char *text)
{
	return field_skip(&field, text) && field.len == 0;
}

bool field_skip(struct field *field, const char *beginning)
{
	size_t len = strlen(beginning);

	if (field->len < len || memcmp(field->text, beginning, len) != 0)
		return false;
	field->text += len;
	field->len -= len;
	return true;
}

int field_read_uint(struct field field, uint64_t *ret)
{
	char digits[NUMBER_MAX_BYTES + 1];

	if (field.len > NUMBER_MAX_BYTES)
		return -ERANGE;
	memcpy(digits, field.text, field.len);
	digits[field.len] = '\0';
	return parse_uint(digits, 0, UINT64_MAX, ret, NULL);
}

static bool is_octal(const char *digits)
{
	return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
		digits[2] >= '0' && digits[2] <= '7';
}

/* Takes one byte off a field that is not empty. */
static char next_byte(struct field *field)
{
	const char *at = field->text;

	if (*at == '\\' && field->len > 3 && is_octal(at + 1)) {
		field->text += 4;
		field->len -= 4;
		return (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
	}
	field->text++;
	field->len--;
	return *at;
}

void field_copy_unescaped(struct field field, char *dst, size_t size)
{
	size_t n = 0;

	while (field.len > 0 && n + 1 < size)
		dst[n++] = next_byte(&field);
	dst[n] = '\0';
}

bool field_is_unescaped(struct field field, const char *text)
{
	while (field.len > 0 && *text != '\0') {
		if (next_byte(&field) != *text++)
			return false;
	}
	return field.len == 0 && *text == '\0';
}
