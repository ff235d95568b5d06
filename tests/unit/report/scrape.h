/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Prometheus' text format 0.0.4 as strictly as a scraper, for tests. */
#ifndef REPOPROBE_TESTS_UNIT_REPORT_SCRAPE_H
#define REPOPROBE_TESTS_UNIT_REPORT_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>

struct scrape {
	size_t families;
	size_t samples;
	char error[256]; /* what is wrong and in which line; "" when nothing is */
};

/* Checks the whole text: UTF-8, HELP and TYPE before the samples of each family, no family twice or
 * empty, names, escapes, plain numbers without timestamp, no series twice, buckets that only grow
 * and end in the count. Returns false when something is wrong. */
bool scrape_check(const char *text, size_t len, struct scrape *ret);

/* True when the text has this whole line. */
bool scrape_has_line(const char *text, const char *line);
/* How many lines begin with this. */
size_t scrape_count(const char *text, const char *prefix);

#endif
