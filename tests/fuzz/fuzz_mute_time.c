/* SPDX-License-Identifier: Apache-2.0 */
/* When a mute holds, from any text: refused with a sentence, or asked at a few instants, around
 * each of which the stretch it tells of must lie. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/mute_time.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check(const struct mute_time *m)
{
	for (int64_t now_usec = 1; now_usec < INT64_C(8000000000000000);
		now_usec += INT64_C(777777777777777)) {
		int64_t from_usec = INT64_MAX;
		int64_t until_usec = INT64_MIN;
		if (mute_time_holds(m, now_usec, &from_usec, &until_usec))
			require(from_usec <= now_usec && now_usec < until_usec);
		else
			require(from_usec == INT64_MAX && until_usec == INT64_MIN);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct zone_places places = { .directory = "/nonexistent", .local = "CET-1CEST" };
	char *text = malloc(size + 1);
	struct mute_time *m = NULL;
	struct error e = { "" };

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (mute_time_parse(text, &places, &m, &e) < 0)
		require(e.text[0] != '\0' && parse_is_utf8(e.text));
	else
		check(m);
	mute_time_free(m);
	free(text);
	return 0;
}
