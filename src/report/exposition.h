/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats):
 * families in sequence, each with HELP and TYPE before its first sample; a family without samples
 * is not written. Knows nothing about what is measured. */
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
	bool has_label; /* the current sample has a label */
};

/* Starts the next family. help is one line without backslashes. */
void exposition_family(struct exposition *x, const char *name, const char *type, const char *help);

/* Starts a sample named after the family plus suffix ("" except for histograms). Labels follow,
 * then the value, which ends the line. */
void exposition_sample(struct exposition *x, const char *suffix);
/* value may be any bytes: they are escaped, and invalid UTF-8 is replaced, because one bad label
 * makes the whole scrape fail. */
void exposition_label(struct exposition *x, const char *name, const char *value);
void exposition_label_integer(struct exposition *x, const char *name, uint64_t value);
/* value × 10^-digits, exactly: nanoseconds are seconds with 9 digits. */
void exposition_value(struct exposition *x, uint64_t value, unsigned digits);
/* The same with a timestamp in milliseconds since 1970, written in seconds for OpenMetrics. */
void exposition_value_at(struct exposition *x, uint64_t value, unsigned digits, uint64_t msec);

#endif
