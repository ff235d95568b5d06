/* SPDX-License-Identifier: Apache-2.0 */
/* Lines to sections and keys. */
#include "config/ini.h"

#include <string.h>

#include "base/parse.h"

#define BLANKS " \t"

static const char byte_order_mark[] = "\xef\xbb\xbf";

void ini_init(struct ini_reader *r, const char *text, size_t len)
{
	const size_t mark_len = sizeof(byte_order_mark) - 1;

	*r = (struct ini_reader){ .text = text, .len = len };
	if (len >= mark_len && memcmp(text, byte_order_mark, mark_len) == 0)
		r->pos = mark_len;
}

/* Removes blanks from both ends, in place. */
static char *trim(char *text)
{
	text += strspn(text, BLANKS);
	size_t len = strlen(text);
	while (len > 0 && strchr(BLANKS, text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

static bool has_control_character(const char *line)
{
	for (const char *at = line; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
			return true;
	return false;
}

/* Copies the next line into current, without its end. Returns NULL, or why it is unreadable. */
static const char *take_line(struct ini_reader *r)
{
	const char *start = r->text + r->pos;
	const char *end = memchr(start, '\n', r->len - r->pos);
	size_t len = end ? (size_t)(end - start) : r->len - r->pos;

	r->pos += len + (end ? 1 : 0);
	r->line++;
	r->current[0] = '\0';
	if (len > 0 && start[len - 1] == '\r')
		len--;
	if (len > INI_LINE_MAX)
		return "this line is too long; expected at most 8192 bytes";
	if (memchr(start, '\0', len))
		return "a NUL byte; expected UTF-8 text";
	memcpy(r->current, start, len);
	r->current[len] = '\0';
	if (!parse_is_utf8(r->current))
		return "bytes that are not UTF-8; expected UTF-8 text";
	if (has_control_character(r->current))
		return "a control character; expected plain text";
	return NULL;
}

static void read_section(char *line, struct ini_event *ret)
{
	size_t len = strlen(line);

	*ret = (struct ini_event){ .kind = INI_SECTION_FAULT, .line = ret->line, .name = "" };
	if (line[len - 1] != ']') {
		ret->value = strchr(line, ']')
			? "text after the ]; expected [SECTION] or [SECTION NAME] alone on its line"
			: "the ] is missing; expected [SECTION] or [SECTION NAME]";
		return;
	}
	line[len - 1] = '\0';
	char *name = trim(line + 1);
	char *value = name + strcspn(name, BLANKS);
	if (*name == '\0') {
		ret->value = "an empty section name; expected [SECTION] or [SECTION NAME]";
		return;
	}
	if (*value != '\0')
		*value++ = '\0';
	ret->kind = INI_SECTION;
	ret->name = name;
	ret->value = trim(value);
}

static void read_key(char *line, struct ini_event *ret)
{
	char *equals = strchr(line, '=');

	*ret = (struct ini_event){ .kind = INI_FAULT, .line = ret->line, .name = "" };
	if (line[0] == '#' || line[0] == ';') {
		ret->value =
			"blanks before a comment; expected # or ; as the first character of the line";
		return;
	}
	if (!equals || equals == line) {
		ret->value = equals
			? "a key is missing; expected KEY = VALUE"
			: "neither a section nor a key; expected [SECTION] or KEY = VALUE";
		return;
	}
	*equals = '\0';
	ret->kind = INI_KEY;
	ret->name = trim(line);
	ret->value = trim(equals + 1);
}

bool ini_next(struct ini_reader *r, struct ini_event *ret)
{
	while (r->pos < r->len) {
		const char *fault = take_line(r);

		*ret = (struct ini_event){
			.kind = INI_FAULT, .line = r->line, .name = "", .value = fault
		};
		if (fault)
			return true;
		bool is_comment = r->current[0] == '#' || r->current[0] == ';';
		char *line = trim(r->current);
		if (is_comment || *line == '\0')
			continue;
		if (*line == '[')
			read_section(line, ret);
		else
			read_key(line, ret);
		return true;
	}
	return false;
}
