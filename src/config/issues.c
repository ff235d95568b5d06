/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted list with a maximum: later entries in file order are dropped first. */
#include "config/issues.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

#define LINE_MAX_BYTES UINT32_C(65536)

static int compare_places(const struct issue_place *a, const struct issue_place *b)
{
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return 0;
}

static bool is_known(const struct issues *issues, const struct issue *issue)
{
	for (size_t i = 0; i < issues->kept_count; i++) {
		const struct issue *kept = &issues->kept[i];

		if (compare_places(&kept->place, &issue->place) == 0 &&
			strcmp(kept->place.origin, issue->place.origin) == 0 &&
			strcmp(kept->text, issue->text) == 0)
			return true;
	}
	return false;
}

static void issue_done(struct issue *issue)
{
	free(issue->text);
	free(issue->mark);
}

/* Takes ownership of the texts. */
static void insert(struct issues *issues, struct issue issue)
{
	size_t at = issues->kept_count;

	if (is_known(issues, &issue)) {
		issue_done(&issue);
		return;
	}
	issues->count++;
	while (at > 0 && compare_places(&issues->kept[at - 1].place, &issue.place) > 0)
		at--;
	if (at == CONFIG_ERRORS_MAX) {
		issue_done(&issue);
		return;
	}
	if (issues->kept_count == CONFIG_ERRORS_MAX)
		issue_done(&issues->kept[--issues->kept_count]);
	memmove(&issues->kept[at + 1], &issues->kept[at],
		(issues->kept_count - at) * sizeof(issues->kept[0]));
	issues->kept[at] = issue;
	issues->kept_count++;
}

void issues_add(struct issues *issues, const struct issue_place *place, const char *format, ...)
{
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	struct issue issue = { .place = *place };
	va_list ap;

	va_start(ap, format);
	buf_vprintf(&b, format, ap);
	va_end(ap);
	if (buf_take(&b, &issue.text, NULL) < 0)
		issues->error = -ENOMEM;
	else
		insert(issues, issue);
}

/* " when = write p98 > 50ms" with a ^ below; NULL without a column or memory. */
static char *mark_value(const char *name, const char *value, const char *text)
{
	size_t before = strlen(name) + strlen(": ");
	size_t column = strlen(text) > before ? error_column(text + before) : 0;
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	char *line = NULL;

	if (column == 0 || column > strlen(value) + 1)
		return NULL;
	buf_printf(&b, "  %s = %s", name, value);
	if (buf_take(&b, &line, NULL) < 0)
		return NULL;
	utf8_clean_line(line);
	struct buf marked = BUF_INIT((size_t)LINE_MAX_BYTES * 2);
	buf_printf(&marked, "%s\n  %*s", line, (int)(strlen(name) + strlen(" = ") + column), "^");
	free(line);
	return buf_take(&marked, &line, NULL) < 0 ? NULL : line;
}

void issues_add_value(struct issues *issues, const struct issue_place *place, const char *name,
	const char *value, const char *text)
{
	struct issue issue = { .place = *place, .text = strdup(text) };

	if (!issue.text) {
		issues->error = -ENOMEM;
		return;
	}
	issue.mark = mark_value(name, value, text);
	insert(issues, issue);
}

void issues_add_failure(
	struct issues *issues, const struct issue_place *place, int r, const char *text)
{
	if (errno_is_shortage(-r))
		issues->error = r;
	else
		issues_add(issues, place, "%s", text);
}

/* A file's name and a shortened value can contain any bytes. */
static char *print_issue(const struct issue *issue)
{
	struct buf b = BUF_INIT((size_t)LINE_MAX_BYTES * 2);
	char *line = NULL;

	buf_add_text(&b, issue->place.origin);
	if (issue->place.line > 0)
		buf_printf(&b, ":%u", issue->place.line);
	buf_printf(&b, ": %s", issue->text);
	if (buf_take(&b, &line, NULL) < 0)
		return NULL;
	utf8_clean_line(line);
	return line;
}

int issues_finish(struct issues *issues, struct config_errors *ret)
{
	size_t count = issues->kept_count;

	*ret = (struct config_errors){ .count = issues->count };
	for (size_t i = 0; i < count; i++) {
		ret->lines[i] = print_issue(&issues->kept[i]);
		if (!ret->lines[i])
			issues->error = -ENOMEM;
		ret->marks[i] = issues->kept[i].mark;
		issues->kept[i].mark = NULL;
		issue_done(&issues->kept[i]);
	}
	issues->kept_count = 0;
	issues->count = 0;
	if (issues->error < 0) {
		config_errors_done(ret);
		return issues->error;
	}
	return count > 0 ? -EINVAL : 0;
}
