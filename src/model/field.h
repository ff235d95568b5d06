/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and fields of the texts under /proc: lent parts of the text, not NUL-terminated. */
#ifndef REPOPROBE_MODEL_FIELD_H
#define REPOPROBE_MODEL_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field {
	const char *text; /* NULL: nothing is left */
	size_t len;
};

/* Takes the next line, without its line break, from the text. False at the end. */
bool field_next_line(const char **text, struct field *ret);

/* Takes the next word from a line: words are separated by any number of blanks and tabs. */
bool field_next_word(struct field *line, struct field *ret);

/* Takes the next column from a line: columns are separated by exactly one blank, so that one may be
 * empty (mountinfo). */
bool field_next_column(struct field *line, struct field *ret);

bool field_is(struct field field, const char *text);

/* Removes a known prefix from a field; false if it is absent, the field is then unchanged. */
bool field_skip(struct field *field, const char *beginning);

/* The whole field as a decimal number. Returns 0, -EINVAL or -ERANGE. */
int field_read_uint(struct field field, uint64_t *ret);

/* Copies with the kernel's octal escapes ("\040") decoded, cut to fit. */
void field_copy_unescaped(struct field field, char *dst, size_t size);

/* Whether this field is the kernel's encoding of this text. */
bool field_is_unescaped(struct field field, const char *text);

#endif
