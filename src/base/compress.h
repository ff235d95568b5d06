/* SPDX-License-Identifier: Apache-2.0 */
/* The one home of zlib: raw bytes to zlib streams (database) and gzip members (HTTP), and back. */
#ifndef REPOPROBE_BASE_COMPRESS_H
#define REPOPROBE_BASE_COMPRESS_H

#include <stddef.h>

struct buf;

/* Appends the compressed form. level 1 to 9. Return 0, -ENOMEM or the buffer's error. */
int compress_zlib(const void *data, size_t len, int level, struct buf *b);
int compress_gzip(const void *data, size_t len, int level, struct buf *b);

/* Appends the original of one whole zlib stream. -EBADMSG when damaged or trailed by other bytes,
 * -ENOBUFS when it would pass the buffer's maximum, -ENOMEM. */
int compress_unzlib(const void *data, size_t len, struct buf *b);

#endif
