/* SPDX-License-Identifier: Apache-2.0 */
/* All errors of a configuration, in the order of the files. */
#ifndef REPOPROBE_CONFIG_ISSUES_H
#define REPOPROBE_CONFIG_ISSUES_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

#define ISSUE_ORDER_LAST SIZE_MAX /* the command line, after all files */

struct issue_place {
	const char *origin; /* a file's name, or "--repository"; lent */
	size_t order; /* position among the files */
	unsigned line; /* 0: not a line */
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

/* One clear line: what was wrong, what was expected, what was probably meant. An identical line for
 * the same place is kept once. */
void issues_add(struct issues *issues, const struct issue_place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for "NAME: column N: …": the value is kept with it, marked at that column. */
void issues_add_value(struct issues *issues, const struct issue_place *place, const char *name,
	const char *value, const char *text);

/* Adds a failure of a reader: a message for -EINVAL and similar, the sticky error for -ENOMEM. */
void issues_add_failure(
	struct issues *issues, const struct issue_place *place, int r, const char *text);

/* Returns the lines with their places and clears the list. Returns 0 when there are none, else
 * -EINVAL, or -ENOMEM with no lines at all. */
int issues_finish(struct issues *issues, struct config_errors *ret);

#endif
