/* SPDX-License-Identifier: Apache-2.0 */
/* Any text through the configuration's reader and resolver. What is taken must, as it is shown, be
 * taken again and be shown the same; what is refused must be refused with at least one line. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "config/config.h"

#define SHOWN_MAX (UINT32_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct config *load(const char *text, size_t len)
{
	struct config_errors errors;
	struct config *config = NULL;
	int r = config_load_text("fuzz.conf", text, len, NULL, &config, &errors);

	if (r == 0 ? errors.count > 0 || !config : config != NULL)
		abort();
	if (r == -EINVAL && (errors.count == 0 || !errors.lines[0]))
		abort();
	if (r < 0 && r != -EINVAL)
		abort();
	config_errors_done(&errors);
	return config;
}

static void show(const struct config *config, struct buf *b)
{
	config_show(config, b);
	if (b->error < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first = BUF_INIT(SHOWN_MAX);
	struct buf second = BUF_INIT(SHOWN_MAX);
	struct config *config = load((const char *)data, size);

	if (config) {
		show(config, &first);
		struct config *again = load(buf_text(&first), first.len);
		if (!again)
			abort();
		show(again, &second);
		if (first.len != second.len ||
			memcmp(buf_text(&first), buf_text(&second), first.len) != 0)
			abort();
		config_free(again);
		buf_done(&first);
		buf_done(&second);
	}
	config_free(config);
	return 0;
}
