/* SPDX-License-Identifier: Apache-2.0 */
/* zlib streams and gzip members. */
#define ZLIB_CONST
#include "base/compress.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/buf.h"

#define CHUNK_BYTES 8192
#define ZLIB_WINDOW_BITS 15
#define GZIP_WINDOW_BITS (15 + 16)
#define MEMORY_LEVEL 8

/* Input not yet passed to zlib, whose lengths are 32 bits wide. */
struct input {
	const unsigned char *data;
	size_t left;
};

static void refill(z_stream *z, struct input *input)
{
	size_t n = input->left < INT_MAX ? input->left : INT_MAX;

	if (z->avail_in > 0)
		return;
	z->next_in = input->data;
	z->avail_in = (uInt)n;
	input->data += n;
	input->left -= n;
}

static int errno_from_zlib(int code)
{
	return code == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int deflate_into(z_stream *z, struct input input, struct buf *b)
{
	unsigned char chunk[CHUNK_BYTES];
	int code;

	do {
		if (input.left > 0)
			refill(z, &input);
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		code = deflate(z, input.left > 0 ? Z_NO_FLUSH : Z_FINISH);
		buf_add(b, chunk, sizeof(chunk) - z->avail_out);
		if (b->error < 0)
			return b->error;
	} while (code == Z_OK);
	return code == Z_STREAM_END ? 0 : errno_from_zlib(code);
}

static int compress_with(const void *data, size_t len, int level, int window_bits, struct buf *b)
{
	z_stream z = { 0 };

	int code =
		deflateInit2(&z, level, Z_DEFLATED, window_bits, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	if (code != Z_OK)
		return code == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
	int r = deflate_into(&z, (struct input){ .data = data, .left = len }, b);
	(void)deflateEnd(&z); /* an unfinished stream is expected */
	return r;
}

int compress_zlib(const void *data, size_t len, int level, struct buf *b)
{
	return compress_with(data, len, level, ZLIB_WINDOW_BITS, b);
}

int compress_gzip(const void *data, size_t len, int level, struct buf *b)
{
	return compress_with(data, len, level, GZIP_WINDOW_BITS, b);
}

static int inflate_into(z_stream *z, struct input input, struct buf *b)
{
	unsigned char chunk[CHUNK_BYTES];
	int code;

	do {
		refill(z, &input);
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		code = inflate(z, Z_NO_FLUSH);
		buf_add(b, chunk, sizeof(chunk) - z->avail_out);
		if (b->error < 0)
			return b->error;
	} while (code == Z_OK);
	if (code != Z_STREAM_END)
		return errno_from_zlib(code);
	return z->avail_in > 0 || input.left > 0 ? -EBADMSG : 0;
}

int compress_unzlib(const void *data, size_t len, struct buf *b)
{
	z_stream z = { 0 };
	size_t start = b->len;

	int code = inflateInit2(&z, ZLIB_WINDOW_BITS);
	if (code != Z_OK)
		return code == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
	int r = inflate_into(&z, (struct input){ .data = data, .left = len }, b);
	(void)inflateEnd(&z); /* an unfinished stream is expected */
	if (r < 0 && b->data) {
		b->len = start;
		b->data[start] = '\0';
	}
	return r;
}
