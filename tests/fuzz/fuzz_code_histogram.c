/* SPDX-License-Identifier: Apache-2.0 */
/* code_read_histogram on any bytes: what it accepts must come back from its own code. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/histogram.h"
#include "store/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct histogram *first = malloc(sizeof(*first));
	struct histogram *second = malloc(sizeof(*second));
	struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct error error = { 0 };

	if (first && second && code_read_histogram(data, size, first, &error) == 0) {
		if (code_histogram(first, &b) < 0)
			abort();
		if (code_read_histogram(b.data, b.len, second, NULL) < 0)
			abort();
		if (memcmp(first, second, sizeof(*first)) != 0)
			abort();
	}
	buf_done(&b);
	free(second);
	free(first);
	return 0;
}
