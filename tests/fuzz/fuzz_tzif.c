/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a TZif file, and as a zone's rule: what is taken answers everywhere, and its two
 * ways between local time and instants fit together. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_instant(const struct zone *zone, int64_t utc_sec)
{
	struct zone_span span = zone_at(zone, utc_sec);
	int64_t local_sec = utc_sec + span.offset_sec;

	require(span.until_sec > utc_sec);
	require(span.offset_sec >= -ZONE_OFFSET_MAX && span.offset_sec <= ZONE_OFFSET_MAX);
	int64_t first_sec = zone_first_instant(zone, local_sec);
	require(first_sec <= utc_sec && zone_first_instant(zone, local_sec + 1) >= first_sec);
	require(zone_latest_shown(zone, first_sec) >= local_sec);
	require(zone_latest_shown(zone, first_sec - 1) < local_sec);
}

static void check(struct zone *zone)
{
	static const int64_t instants[] = { 0, -1, INT64_C(1796065200), INT64_C(-2422054408),
		INT64_C(7258118400), -ZONE_SECONDS_MAX / 2, ZONE_SECONDS_MAX / 2, 2147483647 };

	for (size_t i = 0; i < sizeof(instants) / sizeof(instants[0]); i++) {
		check_instant(zone, instants[i]);
		struct zone_span span = zone_at(zone, instants[i]);
		if (span.until_sec < ZONE_SECONDS_MAX / 2 && span.until_sec > instants[i]) {
			check_instant(zone, span.until_sec);
			check_instant(zone, span.until_sec - 1);
		}
	}
	zone_free(zone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zone *zone = NULL;
	struct error error = { 0 };
	char *text = malloc(size + 1);

	if (zone_from_tzif(data, size, &zone, &error) == 0)
		check(zone);
	else
		require(error.text[0] != '\0');
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (zone_from_rule(text, &zone, NULL) == 0)
		check(zone);
	free(text);
	return 0;
}
