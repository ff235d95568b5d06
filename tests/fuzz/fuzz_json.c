/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever json_parse takes, json_dump writes as a document that is taken again and stays alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"

#define DOCUMENT_MAX (16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct buf *first)
{
	struct buf second = BUF_INIT(DOCUMENT_MAX);
	struct json_t *value = NULL;

	if (json_parse(first->data, first->len, &value, NULL) < 0 ||
		json_dump(value, false, &second) < 0 || second.len != first->len ||
		memcmp(second.data, first->data, first->len) != 0)
		abort();
	buf_done(&second);
}

static void read_members(const struct json_t *value)
{
	(void)json_get_text(value, "a"); /* any answer will do, here and below */
	(void)json_get_integer(value, "a", 0);
	(void)json_get_boolean(value, "a", false);
	for (size_t i = 0; i < json_array_length(value); i++) {
		if (!json_array_at(value, i))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf b = BUF_INIT(DOCUMENT_MAX);
	struct json_t *value = NULL;
	struct error e = { 0 };
	int r = json_parse((const char *)data, size, &value, &e);

	if ((r < 0) != (e.text[0] != '\0') || !parse_is_utf8(e.text))
		abort();
	if (r == 0) {
		read_members(value);
		if (json_dump(value, false, &b) < 0)
			abort();
		check_again(&b);
	}
	buf_done(&b);
	return 0;
}
