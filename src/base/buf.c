/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer with a maximum and a sticky error, and the reader of its integers. */
#include "base/buf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define FIRST_CAPACITY 128
/* Keeps sizes far from overflow, whatever max is. */
#define MAX_MAX (SIZE_MAX / 4)

/* Makes room for extra more bytes and the NUL. False on an error, new or earlier. */
static bool reserve(struct buf *b, size_t extra)
{
	size_t max = b->max < MAX_MAX ? b->max : MAX_MAX;

	if (b->error < 0)
		return false;
	if (extra > max - b->len) {
		b->error = -ENOBUFS;
		return false;
	}
	size_t needed = b->len + extra + 1;
	if (needed <= b->capacity)
		return true;
	size_t capacity = b->capacity > 0 ? b->capacity * 2 : FIRST_CAPACITY;
	if (capacity > max + 1)
		capacity = max + 1;
	if (capacity < needed)
		capacity = needed;
	char *data = realloc(b->data, capacity);
	if (!data) {
		b->error = -ENOMEM;
		return false;
	}
	b->data = data;
	b->capacity = capacity;
	return true;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (len == 0 || !reserve(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(b, format, ap);
	va_end(ap);
}

void buf_vprintf(struct buf *b, const char *format, va_list ap)
{
	va_list again;

	if (b->error < 0)
		return;
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0) {
		b->error = errno == ENOMEM ? -ENOMEM : -ENOBUFS;
		return;
	}
	if (len == 0 || !reserve(b, (size_t)len))
		return;
	(void)vsnprintf(b->data + b->len, (size_t)len + 1, format, ap);
	b->len += (size_t)len;
}

void buf_add_utf8(struct buf *b, const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const char *start = text;

	while (*text) {
		bool is_valid;
		size_t len = utf8_next(text, &is_valid);

		if (!is_valid) {
			buf_add(b, start, (size_t)(text - start));
			buf_add_text(b, replacement);
			start = text + len;
		}
		text += len;
	}
	buf_add(b, start, (size_t)(text - start));
}

static void add_little_endian(struct buf *b, uint64_t v, size_t len)
{
	uint8_t bytes[sizeof(v)];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(v >> (8 * i));
	buf_add(b, bytes, len);
}

void buf_add_u8(struct buf *b, uint8_t v)
{
	add_little_endian(b, v, sizeof(v));
}

void buf_add_u16(struct buf *b, uint16_t v)
{
	add_little_endian(b, v, sizeof(v));
}

void buf_add_u32(struct buf *b, uint32_t v)
{
	add_little_endian(b, v, sizeof(v));
}

void buf_add_u64(struct buf *b, uint64_t v)
{
	add_little_endian(b, v, sizeof(v));
}

void buf_add_varint(struct buf *b, uint64_t v)
{
	uint8_t bytes[10];
	size_t len = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[len++] = (uint8_t)(v | 0x80);
	bytes[len++] = (uint8_t)v;
	buf_add(b, bytes, len);
}

const char *buf_text(const struct buf *b)
{
	return b->error < 0 || !b->data ? "" : b->data;
}

int buf_take(struct buf *b, char **ret_data, size_t *ret_len)
{
	int r = 0;

	if (b->error == 0 && b->len == 0 && reserve(b, 0))
		b->data[0] = '\0';
	r = b->error;
	if (r == 0) {
		*ret_data = b->data;
		if (ret_len)
			*ret_len = b->len;
		b->data = NULL;
	}
	buf_done(b);
	return r;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->error = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_done(struct buf *b)
{
	free(b->data);
	b->data = NULL;
	b->len = 0;
	b->capacity = 0;
	b->error = 0;
}

const uint8_t *buf_read_bytes(struct buf_reader *r, size_t len)
{
	if (r->error < 0)
		return NULL;
	if (len > r->len - r->pos) {
		r->error = -EBADMSG;
		return NULL;
	}
	const uint8_t *bytes = r->data + r->pos;
	r->pos += len;
	return bytes;
}

static uint64_t read_little_endian(struct buf_reader *r, size_t len)
{
	const uint8_t *bytes = buf_read_bytes(r, len);
	uint64_t v = 0;

	for (size_t i = 0; bytes && i < len; i++)
		v |= (uint64_t)bytes[i] << (8 * i);
	return v;
}

uint8_t buf_read_u8(struct buf_reader *r)
{
	return (uint8_t)read_little_endian(r, sizeof(uint8_t));
}

uint16_t buf_read_u16(struct buf_reader *r)
{
	return (uint16_t)read_little_endian(r, sizeof(uint16_t));
}

uint32_t buf_read_u32(struct buf_reader *r)
{
	return (uint32_t)read_little_endian(r, sizeof(uint32_t));
}

uint64_t buf_read_u64(struct buf_reader *r)
{
	return read_little_endian(r, sizeof(uint64_t));
}

uint64_t buf_read_varint(struct buf_reader *r)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = buf_read_u8(r);
		uint64_t bits = byte & 0x7f;

		if (r->error < 0)
			return 0;
		if (shift == 63 && bits > 1)
			break;
		v |= bits << shift;
		if (byte < 0x80)
			return v;
	}
	r->error = -EBADMSG;
	return 0;
}
