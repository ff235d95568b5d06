/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's values, put over those of the files: by the same readers, so that only values
 * a file could hold are accepted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "config/issues.h"
#include "config/schema.h"
#include "config/source.h"
#include "config/value.h"
#include "model/job.h"

#define SHOWN 80 /* bytes of a bad value in a message */
#define TEXT_MAX 65536

static const struct issue_place state_directory_place = {
	.origin = "--state-directory",
	.order = ISSUE_ORDER_LAST,
};

static const struct issue_place listen_place = {
	.origin = "--listen",
	.order = ISSUE_ORDER_LAST,
};

static const struct issue_place repository_place = {
	.origin = "--repository",
	.order = ISSUE_ORDER_LAST,
};

static void override_value(const struct schema_key *key, struct source_value *value,
	const struct issue_place *place, const char *text, struct issues *issues)
{
	struct source_value read_value = { 0 };
	struct error error = { 0 };
	int r = value_read(key, text, &read_value, &error);

	if (r < 0)
		issues_add_failure(issues, place, r, error.text);
	value_done(value);
	*value = read_value;
	value->is_given = true;
	value->place = *place;
}

/* A file could not hold such a text, but the effective configuration is shown as a file. */
static bool is_writable_text(const char *text)
{
	size_t len = strlen(text);

	if (!parse_is_utf8(text) || text[0] == ' ' || (len > 0 && text[len - 1] == ' '))
		return false;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return false;
	return true;
}

/* Relative paths start at the working directory. */
static int make_absolute(const char *path, char **ret, struct error *reterr)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (path[0] != '\0' && path[0] != '/') {
		char *directory = getcwd(NULL, 0);

		if (!directory)
			return error_set(reterr, -errno,
				"%.*s: the working directory is unknown (%s); expected an absolute path",
				SHOWN, path, errno_text(errno));
		buf_printf(&b, "%s/", directory);
		free(directory);
	}
	buf_add_text(&b, path);
	if (b.error == -ENOMEM)
		return b.error;
	if (!is_writable_text(buf_text(&b))) {
		buf_done(&b);
		return error_set(reterr, -EINVAL,
			"%.*s: expected a path in UTF-8 without control characters or a blank at its end",
			SHOWN, path);
	}
	return b.len > 0 ? buf_take(&b, ret, NULL)
			 : error_set(reterr, -EINVAL, "the path is empty; expected a directory");
}

static void override_path(const struct schema_key *key, struct source_value *value,
	const struct issue_place *place, const char *path, struct issues *issues)
{
	struct error error = { 0 };
	char *absolute = NULL;
	int r = make_absolute(path, &absolute, &error);

	if (r < 0) {
		issues_add_failure(issues, place, r, error.text);
		value->is_given = true; /* reported once, not also as missing */
		return;
	}
	override_value(key, value, place, absolute, issues);
	free(absolute);
}

static void override_listen(
	struct source *source, const struct config_overrides *overrides, struct issues *issues)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; i < overrides->listen_count; i++) {
		const char *address = overrides->listen[i];

		if (*address != '\0')
			buf_printf(&b, "%s%s", b.len > 0 ? ", " : "", address);
	}
	if (b.error < 0)
		issues_add_failure(issues, &listen_place, b.error, "too many addresses");
	else
		override_value(schema_find(SCHEMA_HTTP, "listen"), &source->http.listen,
			&listen_place, buf_text(&b), issues);
	buf_done(&b);
}

/* "/mnt/backup" probably means backup=/mnt/backup. */
static void refuse_form(const char *text, struct issues *issues)
{
	const char *slash = strrchr(text, '/');
	bool is_path = slash && slash[1] != '\0';

	issues_add(issues, &repository_place,
		"%.*s: expected NAME=PATH, such as nas1=/mnt/backup%s%.*s%s%.*s%s", SHOWN, text,
		is_path ? "; did you mean " : "", SHOWN, is_path ? slash + 1 : "",
		is_path ? "=" : "", SHOWN, is_path ? text : "", is_path ? "?" : "");
}

static int check_name(const char *name, struct error *reterr)
{
	int r = parse_name(name, reterr);

	if (r < 0)
		return error_prefix(reterr, r, "expected NAME=PATH");
	if (!is_writable_text(name))
		return error_set(reterr, -EINVAL,
			"\"%.*s\": a name must not begin or end with a blank", SHOWN, name);
	return 0;
}

/* The repository with that name, from the files or new; NULL on failure. */
static struct source_repository *open_repository(
	struct source *source, const char *name, struct issues *issues)
{
	struct source_section *section = NULL;
	int r = source_open_section(source, SCHEMA_REPOSITORY, name, &repository_place, &section);

	if (r == 0)
		return (struct source_repository *)section;
	if (r == -ENOMEM)
		issues->error = r;
	else
		issues_add(issues, &repository_place, "too many repositories; expected at most %d",
			SOURCE_SECTIONS_MAX);
	return NULL;
}

static void override_repository(struct source *source, const char *text, struct issues *issues)
{
	const char *equals = strchr(text, '=');
	struct error error = { 0 };

	if (!equals || equals[1] == '\0') {
		refuse_form(text, issues);
		return;
	}
	char *name = strndup(text, (size_t)(equals - text));
	if (!name) {
		issues->error = -ENOMEM;
		return;
	}
	if (check_name(name, &error) < 0) {
		issues_add(issues, &repository_place, "%s", error.text);
		free(name);
		return;
	}
	struct source_repository *repository = open_repository(source, name, issues);
	if (repository && repository->path.place.order == ISSUE_ORDER_LAST)
		issues_add(issues, &repository_place, "the name %s is given twice", name);
	else if (repository)
		override_path(schema_find(SCHEMA_REPOSITORY, "path"), &repository->path,
			&repository_place, equals + 1, issues);
	free(name);
}

void source_override(
	struct source *source, const struct config_overrides *overrides, struct issues *issues)
{
	if (overrides->state_directory)
		override_path(schema_find(SCHEMA_DAEMON, "state_directory"),
			&source->daemon.state_directory, &state_directory_place,
			overrides->state_directory, issues);
	if (overrides->listen)
		override_listen(source, overrides, issues);
	for (size_t i = 0; i < overrides->repository_count; i++)
		override_repository(source, overrides->repositories[i], issues);
}
