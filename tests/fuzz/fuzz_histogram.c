/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_decode on any bytes: what it accepts must encode to what decodes to the same again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reading must not trap on anything that was accepted. */
static void read_all(const struct histogram *h)
{
	uint64_t median = histogram_percentile_nsec(h, 500000000);
	uint64_t mean = histogram_mean_nsec(h);

	(void)histogram_stddev_nsec(h); /* has no bound that is simple to say */
	if (median < h->min_nsec || median > h->max_nsec)
		abort();
	if (mean < h->min_nsec || mean > h->max_nsec)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct histogram *first = malloc(sizeof(*first));
	struct histogram *second = malloc(sizeof(*second));
	struct buf b = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct error error = { 0 };

	if (first && second && histogram_decode(data, size, first, &error) == 0) {
		read_all(first);
		histogram_encode(first, &b);
		if (b.error < 0 || b.len > size)
			abort();
		if (histogram_decode((const uint8_t *)b.data, b.len, second, NULL) < 0)
			abort();
		if (memcmp(first, second, sizeof(*first)) != 0)
			abort();
	}
	buf_done(&b);
	free(second);
	free(first);
	return 0;
}
