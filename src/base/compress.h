/* SPDX-License-Identifier: Apache-2.0 */
/* The only user of zlib: raw bytes to zlib streams (database) and gzip members (HTTP), and back. */
#ifndef REPOPROBE_BASE_COMPRESS_H
#define REPOPROBE_BASE_COMPRESS_H

#include <stddef.h>

struct buf;

/* Appends the compressed form. level 1 to 9. Return 0, -ENOMEM or the buffer's error. */
int compress_zlib(const void *data, size_t len, int level, struct buf *b);
int compress_gzip(const void *data, size_t len, int level, struct buf *b);

/* Appends the data of one whole zlib stream. -EBADMSG if it is damaged or followed by other bytes,
 * -ENOBUFS if the data would exceed the buffer's maximum, -ENOMEM. */
int compress_unzlib(const void *data, size_t len, struct buf *b);

#endif
