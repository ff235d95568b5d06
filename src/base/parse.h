/* SPDX-License-Identifier: Apache-2.0 */
/* The only conversions from text to numbers, and back. Grammar: interfaces "Values". Each reader
 * takes the whole text (surrounding blanks are not allowed), writes its result only on success, and
 * returns 0, -EINVAL (not of this form) or -ERANGE (does not fit). The sentence in reterr says what
 * was expected and, if one can be guessed, suggests a correction. reterr may be NULL. */
#ifndef REPOPROBE_BASE_PARSE_H
#define REPOPROBE_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

/* Decimal digits only, min to max inclusive. */
int parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret, struct error *reterr);
/* An optional '-' and decimal digits. */
int parse_int(const char *text, int64_t min, int64_t max, int64_t *ret, struct error *reterr);
/* Bytes: digits, optionally K M G T P (or Ki, KiB …, k m g t p: 1024-based), or kB KB MB GB TB PB
 * (1000-based); a fraction is allowed before a unit ("1.5G"), to the nearest byte. */
int parse_size(const char *text, uint64_t *ret_bytes, struct error *reterr);
/* "250us", "15ms", "1.5s", "5min", "1h30min", "7d" (also w, and y of 365.25 days as in systemd);
 * parts are added up and may be separated by one blank; "0" alone needs no unit. "m" is refused
 * (minutes or months?) with "did you mean 5min?". */
int parse_duration(const char *text, uint64_t *ret_usec, struct error *reterr);
/* 0 to 100, with or without %. */
int parse_percent(const char *text, uint8_t *ret, struct error *reterr);
/* yes/no, true/false, on/off, 1/0. */
int parse_boolean(const char *text, bool *ret, struct error *reterr);
/* Unix seconds (also with a fraction), RFC 3339 ("2026-11-30T18:00:00Z", "+01:00"), "now", or
 * "now-24h"; now_usec is the instant that "now" means. */
int parse_instant(const char *text, int64_t now_usec, int64_t *ret_usec, struct error *reterr);
/* 1 to 200 bytes of UTF-8 without '/', ',', ']' and control characters. */
int parse_name(const char *text, struct error *reterr);
/* True when text is well-formed UTF-8. */
bool parse_is_utf8(const char *text);

/* The candidate closest to a mistyped word (smallest edit distance, at most a third of the length,
 * at least 1), or NULL. Candidates are lent. */
const char *parse_suggest(const char *word, const char *const *candidates, size_t count);

/* Short exact text that the readers above accept: "64K", "1536M", "64000"; "1.5s", "1h30min". */
void format_size(struct buf *b, uint64_t bytes);
void format_duration(struct buf *b, uint64_t usec);
/* RFC 3339 UTC with microseconds: "2026-11-30T18:00:00.000000Z". */
void format_instant(struct buf *b, int64_t usec);
/* Rounded for display: "1.4 GiB", "845 MiB"; "23.9 ms", "1.2 s", "840 us". */
void format_size_rounded(struct buf *b, uint64_t bytes);
void format_latency(struct buf *b, uint64_t nsec);
/* Bytes moved so far, and how fast: "12 MiB in 3.8 s, 3.2 MiB/s". */
void format_work(struct buf *b, uint64_t bytes, uint64_t nsec);

#endif
