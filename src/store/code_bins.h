/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram in as few bits as we know how: about 4 a bucket in use, where deflate takes 9. What a
 * bucket holds is told by how far it is from a moving average of those before it, in a Rice code
 * whose parameter follows the sizes seen (as JPEG-LS does for pixels); where the average is small,
 * by the number of empty buckets skipped. Sums are told by how far they are from those of the
 * buckets' middles, and Prometheus' buckets by how they cut the buckets of ours that they cut.
 * Nothing is lost. Private to the store. */
#ifndef REPOPROBE_STORE_CODE_BINS_H
#define REPOPROBE_STORE_CODE_BINS_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;
struct histogram;

/* -ERANGE, with b unchanged: this code cannot tell it (it is empty, too large, or its buckets
 * contradict each other). Else b's sticky error. */
int code_bins(const struct histogram *h, struct buf *b);
/* -EBADMSG with *ret empty: every field is held against every other, as histogram_decode does. This
 * is what reading years of history waits for. */
int code_read_bins(const uint8_t *data, size_t len, struct histogram *ret, struct error *reterr);

#endif
