/* SPDX-License-Identifier: Apache-2.0 */
/* For test_calendar.py: reads lines "SECONDS COUNT CALENDAR-TIME" and answers each with the normal
 * form and the next COUNT instants after that one, or with "refused" and the sentence. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

static int print_slots(const char *text, int64_t after_usec, uint64_t count)
{
	const struct zone_places places = zone_places_system();
	struct calendar *calendar = NULL;
	struct error error = { 0 };
	int r = calendar_parse(text, &places, &calendar, &error);

	if (r < 0)
		return printf("refused\t%s\n", error.text);
	(void)printf("%s", calendar_text(calendar));
	for (uint64_t i = 0; i < count; i++) {
		if (calendar_next(calendar, after_usec, &after_usec) < 0)
			break;
		(void)printf("\t%" PRId64, after_usec / (int64_t)USEC_PER_SEC);
	}
	calendar_free(calendar);
	return printf("\n");
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len = getline(&line, &size, stdin);

	for (; len > 0; len = getline(&line, &size, stdin)) {
		char *seconds = line;
		char *count = strchr(seconds, ' ');
		char *text = count ? strchr(count + 1, ' ') : NULL;
		int64_t after_usec;
		uint64_t n;

		line[len - 1] = '\0';
		if (!text)
			return EXIT_FAILURE;
		*count++ = '\0';
		*text++ = '\0';
		if (parse_instant(seconds, 0, &after_usec, NULL) < 0 ||
			parse_uint(count, 0, 10000, &n, NULL) < 0)
			return EXIT_FAILURE;
		if (print_slots(text, after_usec, n) < 0)
			return EXIT_FAILURE;
	}
	free(line);
	return EXIT_SUCCESS;
}
