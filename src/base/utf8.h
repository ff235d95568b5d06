/* SPDX-License-Identifier: Apache-2.0 */
/* Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates. */
#ifndef REPOPROBE_BASE_UTF8_H
#define REPOPROBE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Examines the first character of a non-empty text. Returns its length in bytes (1 to 4) with
 * *ret_is_valid true; or, with false, how many bytes one U+FFFD should replace (1 to 3). */
size_t utf8_next(const char *text, bool *ret_is_valid);

/* Makes text printable on one line, in place: control characters become blanks, bytes that are not
 * UTF-8 become '?', trailing blanks are removed. Returns the new length. */
size_t utf8_clean_line(char *text);

/* The length of text, at most max bytes, reduced so that no character is cut in two. */
size_t utf8_cut(const char *text, size_t max);

#endif
