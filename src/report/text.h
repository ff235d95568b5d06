/* SPDX-License-Identifier: Apache-2.0 */
/* Text helpers that several reports share. */
#ifndef REPOPROBE_REPORT_TEXT_H
#define REPOPROBE_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* Appends one line that is safe for a terminal: control characters become blanks, each byte that is
 * not UTF-8 a '?'. Never longer than the input. */
void text_add_clean(struct buf *b, const char *text);
/* The same, then blanks up to width characters. */
void text_add_padded(struct buf *b, const char *text, size_t width);

/* "2026-11-30 18:00:05 UTC" without " UTC". */
void text_add_time(struct buf *b, int64_t usec);
/* Rounded down to seconds, from 1 h to minutes, from 1 d to hours: "45s", "1h20min", "3d4h". */
void text_add_duration(struct buf *b, uint64_t usec);
/* "3.2 times": the ratio of value to another; at most 999.9. */
void text_add_factor(struct buf *b, uint64_t value, uint64_t of);

#endif
