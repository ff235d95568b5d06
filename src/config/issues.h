/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is wrong with a configuration, kept in the order of the files. */
#ifndef REPOPROBE_CONFIG_ISSUES_H
#define REPOPROBE_CONFIG_ISSUES_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

#define ISSUE_ORDER_LAST SIZE_MAX /* the command line comes after all files */

struct issue_place {
	const char *origin; /* a file's name, or "--repository"; lent */
	size_t order; /* of the files */
	unsigned line; /* 0: no line of its own */
};

struct issue {
	struct issue_place place;
	char *text;
	char *mark; /* NULL: none */
};

struct issues {
	size_t count; /* found; the first CONFIG_ERRORS_MAX of them are kept */
	size_t kept_count;
	struct issue kept[CONFIG_ERRORS_MAX];
	int error; /* -ENOMEM once memory was short, sticky */
};

/* One clear line: what was wrong; what was expected; what was probably meant. The same line for the
 * same place is kept once. */
void issues_add(struct issues *issues, const struct issue_place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same of "NAME: column N: …": what stood there is kept with it, marked at that column. */
void issues_add_value(struct issues *issues, const struct issue_place *place, const char *name,
	const char *value, const char *text);

/* Adds what was learnt while reading: a message for -EINVAL and its like, the sticky error for
 * -ENOMEM. */
void issues_add_failure(
	struct issues *issues, const struct issue_place *place, int r, const char *text);

/* Writes the lines with their places and forgets them. Returns 0 when there are none, else -EINVAL,
 * or -ENOMEM with no lines at all. */
int issues_finish(struct issues *issues, struct config_errors *ret);

#endif
