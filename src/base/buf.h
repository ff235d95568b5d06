/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer with a maximum set by its creator and a sticky error: append freely, check
 * once. All text of the program is built here. */
#ifndef REPOPROBE_BASE_BUF_H
#define REPOPROBE_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* always followed by one NUL byte that len does not count; NULL while empty */
	size_t len;
	size_t capacity;
	size_t max;
	int error; /* 0, -ENOMEM, or -ENOBUFS when an append would have passed max */
};

/* Initialiser: struct buf b = BUF_INIT(65536); */
#define BUF_INIT(max_bytes)                                                                        \
	{                                                                                          \
		.max = (max_bytes)                                                                 \
	}

/* Append; no-op after an error. */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_text(struct buf *b, const char *text);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Appends text with every byte sequence that is not UTF-8 replaced by U+FFFD. */
void buf_add_utf8(struct buf *b, const char *text);

/* Little-endian integers and LEB128 varints, for the wire and for histograms. */
void buf_add_u8(struct buf *b, uint8_t v);
void buf_add_u16(struct buf *b, uint16_t v);
void buf_add_u32(struct buf *b, uint32_t v);
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_varint(struct buf *b, uint64_t v);

/* The text so far ("" while empty or failed); lent until the next change. */
const char *buf_text(const struct buf *b);

/* Moves the bytes out (NUL-terminated; the caller frees them) and leaves the buffer empty. Returns
 * 0 or the sticky error, in which case the bytes are freed. ret_len may be NULL. */
int buf_take(struct buf *b, char **ret_data, size_t *ret_len);

void buf_clear(struct buf *b); /* drops content and error, keeps the memory */
void buf_done(struct buf *b);

/* Reads what the buf_add_* integers wrote. A short or malformed input sets error to -EBADMSG, after
 * which every read returns 0: read freely, check once. */
struct buf_reader {
	const uint8_t *data;
	size_t len;
	size_t pos;
	int error;
};

#define BUF_READER(bytes, length)                                                                  \
	{                                                                                          \
		.data = (bytes), .len = (length)                                                   \
	}

uint8_t buf_read_u8(struct buf_reader *r);
uint16_t buf_read_u16(struct buf_reader *r);
uint32_t buf_read_u32(struct buf_reader *r);
uint64_t buf_read_u64(struct buf_reader *r);
uint64_t buf_read_varint(struct buf_reader *r);
/* Lends the next len bytes, or returns NULL and sets the error. */
const uint8_t *buf_read_bytes(struct buf_reader *r, size_t len);

#endif
