/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's options as rows of tables: one parser for all commands, and help written from
 * the same rows. */
#ifndef REPOPROBE_CLI_OPTIONS_H
#define REPOPROBE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

#define OPTIONS_MAX 64 /* per command, all groups together */

struct cli_option {
	const char *name; /* "keep-file" for --keep-file */
	const char *value_name; /* "SIZE"; NULL: a flag, whose value is NULL */
	const char *help; /* what it does, and its default; help breaks the lines */
	/* Returns 0, or -errno with a sentence, which the parser prefixes with "--NAME: ". */
	int (*set)(const struct cli_option *option, const char *value, void *target,
		struct error *reterr);
	size_t offset; /* in the target, where option_set_flag and option_set_text write */
	bool is_planned; /* refused as "not in this version" and not in help */
};

/* Rows that write to one target. */
struct option_group {
	const char *title; /* above its rows in the help */
	const struct cli_option *options;
	size_t count;
	void *target;
};

/* The words of a command line, in an array that may be reordered. */
struct arguments {
	char **words;
	size_t count;
};

/* Common setters: write true to a bool or the value (lent) to a const char *, at option->offset. */
int option_set_flag(
	const struct cli_option *option, const char *value, void *target, struct error *reterr);
int option_set_text(
	const struct cli_option *option, const char *value, void *target, struct error *reterr);

/* Applies every option ("--x=V", "--x V", "--flag", "-h" for --help; "--" ends them) in order and
 * leaves the operands in *args. Returns 0, or -errno with a sentence. */
int options_parse(const struct option_group *groups, size_t group_count, struct arguments *args,
	struct error *reterr);

/* The same, but stops before the first operand and leaves it and the rest in *args. */
int options_parse_leading(const struct option_group *groups, size_t group_count,
	struct arguments *args, struct error *reterr);

/* Appends the groups with their titles, each after an empty line. */
void options_help(const struct option_group *groups, size_t group_count, struct buf *b);

#endif
