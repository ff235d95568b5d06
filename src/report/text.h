/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of text for people that several reports share. */
#ifndef REPOPROBE_REPORT_TEXT_H
#define REPOPROBE_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* One line fit for a terminal: control characters become blanks, each byte that is not UTF-8 a '?'.
 * Never longer than what it was given. */
void text_add_clean(struct buf *b, const char *text);
/* Likewise, then blanks up to width characters. */
void text_add_padded(struct buf *b, const char *text, size_t width);

/* "2026-11-30 18:00:05 UTC" without " UTC". */
void text_add_time(struct buf *b, int64_t usec);
/* Rounded to what matters: "45s", "1h20min", "3d4h". */
void text_add_duration(struct buf *b, uint64_t usec);
/* "3.2 times": so much is value of another; at most 999.9. */
void text_add_factor(struct buf *b, uint64_t value, uint64_t of);

#endif
