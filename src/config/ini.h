/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of our INI dialect: text in, sections and keys out, each with its line. It knows no
 * keys. A line that starts with '#' or ';' is a comment, nothing else is; values are not quoted and
 * not continued; CRLF and a byte order mark are accepted. */
#ifndef REPOPROBE_CONFIG_INI_H
#define REPOPROBE_CONFIG_INI_H

#include <stdbool.h>
#include <stddef.h>

#define INI_LINE_MAX 8192 /* bytes, without the line break */

enum ini_kind {
	INI_SECTION, /* [NAME] or [NAME VALUE] */
	INI_KEY, /* NAME = VALUE */
	INI_FAULT, /* a malformed line: VALUE says what is wrong */
	INI_SECTION_FAULT, /* the same, but apparently meant as a section */
};

struct ini_event {
	enum ini_kind kind;
	unsigned line; /* from 1 */
	const char *name; /* without blanks around; "" for a fault; lent until the next call */
	const char *value; /* likewise; "" where there is none */
};

struct ini_reader {
	const char *text; /* lent */
	size_t len;
	size_t pos;
	unsigned line;
	char current[INI_LINE_MAX + 1];
};

void ini_init(struct ini_reader *r, const char *text, size_t len);

/* The next event; false at the end of the text. */
bool ini_next(struct ini_reader *r, struct ini_event *ret);

#endif
