/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a calendar time: what is taken has a normal form that means the same, and its slots
 * rise; what is refused is refused with a sentence. The first line is the local zone, as in TZ. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

#define SLOTS 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void compare(const struct calendar *a, const struct calendar *b, int64_t usec)
{
	for (int i = 0; i < SLOTS; i++) {
		int64_t next_a = 0;
		int64_t next_b = 0;
		int r = calendar_next(a, usec, &next_a);

		require(r == 0 || r == -ENOENT);
		require(calendar_next(b, usec, &next_b) == r && next_a == next_b);
		if (r < 0)
			return;
		require(next_a > usec && next_a % (int64_t)USEC_PER_SEC == 0);
		usec = next_a;
	}
}

static void check(const char *text, const struct zone_places *places)
{
	struct calendar *calendar = NULL;
	struct calendar *again = NULL;
	struct error error = { 0 };
	int r = calendar_parse(text, places, &calendar, &error);

	require((r < 0) == (error.text[0] != '\0') && parse_is_utf8(error.text));
	if (r < 0)
		return;
	require(calendar_parse(calendar_text(calendar), places, &again, NULL) == 0);
	require(strcmp(calendar_text(calendar), calendar_text(again)) == 0);
	require(calendar_count(calendar) == calendar_count(again));
	compare(calendar, again, INT64_MIN);
	compare(calendar, again, INT64_C(1796065200000000));
	compare(calendar, again, INT64_C(7000000000000000));
	compare(calendar, again, INT64_MAX);
	calendar_free(again);
	calendar_free(calendar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	char *line = strchr(text, '\n');
	if (line)
		*line = '\0';
	struct zone_places places = { .directory = "/nonexistent", .local = line ? text : "" };
	struct zone *zone = NULL;
	/* A path would be read. */
	if (strchr(places.local, '/') || zone_open_local(&places, &zone, NULL) < 0)
		places.local = "CET-1CEST,M3.5.0,M10.5.0/3";
	zone_free(zone);
	check(line ? line + 1 : text, &places);
	free(text);
	return 0;
}
