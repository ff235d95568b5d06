/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files into one configuration: the main file, then conf.d beside it, then the command
 * line. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "config/config.h"
#include "config/issues.h"
#include "config/resolve.h"
#include "config/source.h"

#define FILE_BYTES_MAX (4U << 20)
#define FILES_MAX 1000 /* in conf.d */
#define PATH_BYTES_MAX 4095

struct loader {
	struct source *source;
	struct issues issues;
};

const char *config_default_path(void)
{
	return SYSCONFDIR "/repoprobe/repoprobe.conf";
}

/* It counts as a file, so that the following ones are ordered after it. */
static void refuse_file(struct loader *l, const char *path, const char *reason)
{
	struct issue_place place = { .order = l->source->file_count };

	place.origin = source_add_file(l->source, path);
	if (place.origin)
		issues_add(&l->issues, &place, "the file cannot be read: %s", reason);
	else
		l->issues.error = -ENOMEM;
}

static void read_file(struct loader *l, const char *path, bool is_required)
{
	struct buf b = BUF_INIT(FILE_BYTES_MAX);
	struct error error = { 0 };
	int r = fd_read_file_or_say(path, &b, &error);

	if (r == 0)
		source_read(l->source, path, buf_text(&b), b.len, &l->issues);
	else if (r == -ENOBUFS)
		refuse_file(l, path, "it is larger than 4M");
	else if (errno_is_shortage(-r))
		l->issues.error = r; /* not the fault of the file */
	else if (is_required || r != -ENOENT)
		refuse_file(l, path, error.text);
	buf_done(&b);
}

static int is_fragment(const struct dirent *entry)
{
	static const char suffix[] = ".conf";
	size_t len = strlen(entry->d_name);
	size_t suffix_len = sizeof(suffix) - 1;

	return entry->d_name[0] != '.' && len > suffix_len &&
		strcmp(entry->d_name + len - suffix_len, suffix) == 0;
}

/* By bytes, independent of the locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_fragment(struct loader *l, const char *directory, const char *name)
{
	struct buf path = BUF_INIT(PATH_BYTES_MAX);

	buf_printf(&path, "%s/%s", directory, name);
	if (path.error == 0)
		read_file(l, buf_text(&path), true);
	else if (path.error == -ENOMEM)
		l->issues.error = path.error;
	else
		refuse_file(l, directory, "a path in it is too long");
	buf_done(&path);
}

static void read_fragments(struct loader *l, const char *directory)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_fragment, compare_names);

	if (count < 0 && errno_is_shortage(errno))
		l->issues.error = -errno;
	else if (count < 0 && errno != ENOENT && errno != ENOTDIR)
		refuse_file(l, directory, errno_text(errno));
	if (count > FILES_MAX)
		refuse_file(l, directory, "it holds more than 1000 files");
	for (int i = 0; i < count; i++) {
		if (count <= FILES_MAX)
			read_fragment(l, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static void read_directory_beside(struct loader *l, const char *path)
{
	struct buf directory = BUF_INIT(PATH_BYTES_MAX);
	const char *slash = strrchr(path, '/');

	if (slash)
		buf_add(&directory, path, (size_t)(slash - path) + 1);
	buf_add_text(&directory, "conf.d");
	if (directory.error == 0)
		read_fragments(l, buf_text(&directory));
	else
		l->issues.error = directory.error == -ENOMEM ? -ENOMEM : l->issues.error;
	buf_done(&directory);
}

static struct loader *loader_new(void)
{
	struct loader *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->source = source_new();
	if (!l->source) {
		free(l);
		return NULL;
	}
	return l;
}

/* Turns the source into the result; frees the loader. */
static int finish(struct loader *l, const struct config_overrides *overrides, struct config **ret,
	struct config_errors *errors)
{
	struct source *source = l->source;
	struct config *config = NULL;

	if (overrides && l->issues.error == 0)
		source_override(source, overrides, &l->issues);
	if (l->issues.error == 0)
		l->issues.error = resolve_config(source, &l->issues, &config);
	int r = issues_finish(&l->issues, errors);
	free(l);
	if (r == 0) {
		*ret = config;
		return 0;
	}
	if (config)
		config_free(config); /* and its source */
	else
		source_free(source);
	return r;
}

int config_load(const char *path, bool is_file_required, const struct config_overrides *overrides,
	struct config **ret, struct config_errors *errors)
{
	struct loader *l = loader_new();

	*errors = (struct config_errors){ 0 };
	if (!l)
		return -ENOMEM;
	read_file(l, path, is_file_required);
	read_directory_beside(l, path);
	return finish(l, overrides, ret, errors);
}

int config_load_places(const char *path, const struct config_overrides *overrides,
	const char *default_state, struct config_places *ret)
{
	struct loader *l = loader_new();
	struct config_errors errors = { 0 };

	if (!l)
		return -ENOMEM;
	read_file(l, path, false);
	read_directory_beside(l, path);
	if (overrides)
		source_override(l->source, overrides, &l->issues);
	int r = issues_finish(&l->issues, &errors);
	if (r != -ENOMEM)
		r = resolve_places(&l->source->daemon, default_state, ret);
	config_errors_done(&errors);
	source_free(l->source);
	free(l);
	return r;
}

int config_load_text(const char *name, const char *text, size_t len,
	const struct config_overrides *overrides, struct config **ret, struct config_errors *errors)
{
	struct loader *l = loader_new();

	*errors = (struct config_errors){ 0 };
	if (!l)
		return -ENOMEM;
	source_read(l->source, name, text, len, &l->issues);
	return finish(l, overrides, ret, errors);
}
