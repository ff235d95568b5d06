/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a command line by tables of options and calls their setters. Knows no option itself. */
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "cli/help.h"

#define NAME_WIDTH_MAX 30
#define NAME_TEXT_MAX 128

/* One option as given on the command line. */
struct spelling {
	const char *name;
	size_t name_len;
	const char *value; /* after '=', else NULL */
};

int option_set_flag(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	(void)value; /* a flag has none */
	(void)reterr;
	*(bool *)((char *)target + option->offset) = true;
	return 0;
}

int option_set_text(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	(void)reterr;
	memcpy((char *)target + option->offset, &value, sizeof(value));
	return 0;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

static const struct cli_option *find_option(const struct option_group *groups, size_t group_count,
	const struct spelling *spelling, void **ret_target)
{
	for (size_t i = 0; i < group_count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			const char *name = groups[i].options[k].name;

			if (strlen(name) != spelling->name_len ||
				memcmp(name, spelling->name, spelling->name_len) != 0)
				continue;
			*ret_target = groups[i].target;
			return &groups[i].options[k];
		}
	}
	return NULL;
}

/* The only name that starts with the word, or a similar one, or NULL. */
static const char *suggest(const struct option_group *groups, size_t group_count, const char *word)
{
	const char *names[OPTIONS_MAX];
	const char *longer = NULL;
	size_t count = 0;
	size_t longer_count = 0;

	for (size_t i = 0; i < group_count; i++) {
		for (size_t k = 0; k < groups[i].count && count < OPTIONS_MAX; k++) {
			if (groups[i].options[k].is_planned)
				continue;
			names[count] = groups[i].options[k].name;
			if (strncmp(names[count], word, strlen(word)) == 0) {
				longer = names[count];
				longer_count++;
			}
			count++;
		}
	}
	return longer_count == 1 ? longer : parse_suggest(word, names, count);
}

static int refuse_unknown(const struct option_group *groups, size_t group_count, const char *word,
	const struct spelling *spelling, struct error *reterr)
{
	char name[NAME_TEXT_MAX];
	const char *meant = NULL;

	if (spelling->name_len > 0 && spelling->name_len < sizeof(name)) {
		memcpy(name, spelling->name, spelling->name_len);
		name[spelling->name_len] = '\0';
		meant = suggest(groups, group_count, name);
	}
	int shown_len = (int)(spelling->name + spelling->name_len - word);
	if (meant)
		return error_set(reterr, -EINVAL, "unknown option %.*s; did you mean --%s?",
			shown_len, word, meant);
	return error_set(reterr, -EINVAL, "unknown option %.*s", shown_len, word);
}

static struct spelling spell(const char *word)
{
	if (strcmp(word, "-h") == 0)
		return (struct spelling){ .name = "help", .name_len = strlen("help") };

	const char *name = word + (word[1] == '-' ? 2 : 1);
	const char *equals = strchr(name, '=');
	struct spelling spelling = {
		.name = name,
		.name_len = equals ? (size_t)(equals - name) : strlen(name),
		.value = equals ? equals + 1 : NULL,
	};
	return spelling;
}

/* Applies the option at args->words[*index] and moves *index past it and its value. */
static int take_option(const struct option_group *groups, size_t group_count,
	const struct arguments *args, size_t *index, struct error *reterr)
{
	const char *word = args->words[(*index)++];
	struct spelling spelling = spell(word);
	void *target = NULL;
	const struct cli_option *option = find_option(groups, group_count, &spelling, &target);

	if (!option || (word[1] != '-' && strcmp(word, "-h") != 0))
		return refuse_unknown(groups, group_count, word, &spelling, reterr);
	if (option->is_planned)
		return error_set(reterr, -EOPNOTSUPP, "--%s is not in this version", option->name);
	if (!option->value_name && spelling.value)
		return error_set(reterr, -EINVAL, "--%s takes no value", option->name);
	if (option->value_name && !spelling.value) {
		if (*index == args->count)
			return error_set(reterr, -EINVAL, "--%s needs a value: --%s=%s",
				option->name, option->name, option->value_name);
		spelling.value = args->words[(*index)++];
	}
	int r = option->set(option, spelling.value, target, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "--%s", option->name);
	return 0;
}

int options_parse(const struct option_group *groups, size_t group_count, struct arguments *args,
	struct error *reterr)
{
	size_t operands = 0;
	bool is_ended = false;

	for (size_t i = 0; i < args->count;) {
		if (is_ended || !is_option(args->words[i])) {
			args->words[operands++] = args->words[i++];
			continue;
		}
		if (strcmp(args->words[i], "--") == 0) {
			is_ended = true;
			i++;
			continue;
		}
		int r = take_option(groups, group_count, args, &i, reterr);
		if (r < 0)
			return r;
	}
	args->count = operands;
	return 0;
}

int options_parse_leading(const struct option_group *groups, size_t group_count,
	struct arguments *args, struct error *reterr)
{
	size_t i = 0;

	while (i < args->count && is_option(args->words[i])) {
		if (strcmp(args->words[i], "--") == 0) {
			i++;
			break;
		}
		int r = take_option(groups, group_count, args, &i, reterr);
		if (r < 0)
			return r;
	}
	args->words += i;
	args->count -= i;
	return 0;
}

static void spell_option(const struct cli_option *option, struct buf *b)
{
	buf_printf(b, "--%s", option->name);
	if (option->value_name)
		buf_printf(b, "=%s", option->value_name);
}

static size_t name_width(const struct option_group *groups, size_t group_count)
{
	struct buf b = BUF_INIT(NAME_TEXT_MAX);
	size_t width = 0;

	for (size_t i = 0; i < group_count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			if (groups[i].options[k].is_planned)
				continue;
			buf_clear(&b);
			spell_option(&groups[i].options[k], &b);
			if (b.len > width && b.len <= NAME_WIDTH_MAX)
				width = b.len;
		}
	}
	buf_done(&b);
	return width;
}

void options_help(const struct option_group *groups, size_t group_count, struct buf *b)
{
	size_t width = name_width(groups, group_count);
	struct buf name = BUF_INIT(NAME_TEXT_MAX);

	for (size_t i = 0; i < group_count; i++) {
		buf_printf(b, "\n%s:\n", groups[i].title);
		for (size_t k = 0; k < groups[i].count; k++) {
			if (groups[i].options[k].is_planned)
				continue;
			buf_clear(&name);
			spell_option(&groups[i].options[k], &name);
			help_add_entry(buf_text(&name), width, groups[i].options[k].help, b);
		}
	}
	buf_done(&name);
}
