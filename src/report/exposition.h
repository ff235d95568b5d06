/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats):
 * families one after the other, each with HELP and TYPE before its first sample and not at all
 * without one. Knows nothing of what is measured. */
#ifndef REPOPROBE_REPORT_EXPOSITION_H
#define REPOPROBE_REPORT_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

struct exposition {
	struct buf *b;
	const char *name; /* of the family; lent, like type and help */
	const char *type;
	const char *help;
	bool is_begun; /* the family has a sample */
	bool has_label; /* the sample has one */
};

/* The next family. Help is one line without backslash. */
void exposition_family(struct exposition *x, const char *name, const char *type, const char *help);

/* A sample: its name is the family's and suffix ("" but for histograms); then any labels, then its
 * value, which ends the line. */
void exposition_sample(struct exposition *x, const char *suffix);
/* Any bytes: escaped, and what is not UTF-8 replaced, for one bad label makes a whole scrape fail.
 */
void exposition_label(struct exposition *x, const char *name, const char *value);
void exposition_label_integer(struct exposition *x, const char *name, uint64_t value);
/* value × 10^-digits, exactly: nanoseconds are seconds with 9 digits. */
void exposition_value(struct exposition *x, uint64_t value, unsigned digits);
/* Likewise with a time, in milliseconds since 1970: for OpenMetrics, which writes seconds. */
void exposition_value_at(struct exposition *x, uint64_t value, unsigned digits, uint64_t msec);

#endif
