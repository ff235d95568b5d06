/* SPDX-License-Identifier: Apache-2.0 */
/* Opens zones by name: files below one directory. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/parse.h"
#include "base/zone.h"

#define PATH_BYTES_MAX 4096
#define ENTRIES_MAX 256 /* per directory, for a suggestion: America has 170 */

struct zone_places zone_places_system(void)
{
	return (struct zone_places){
		.directory = "/usr/share/zoneinfo",
		.local = secure_getenv("TZ"),
		.local_file = "/etc/localtime",
	};
}

static int open_utc(struct zone **ret, struct error *reterr)
{
	return zone_from_rule("UTC0", ret, reterr);
}

/* Returns -ENOENT without a sentence when there is no such file. */
static int open_file(const char *path, struct zone **ret, struct error *reterr)
{
	struct buf file = BUF_INIT(ZONE_FILE_MAX);
	struct error error = { 0 };
	int r = fd_read_file_or_say(path, &file, &error);

	if (r == -ENOTDIR || r == -EISDIR)
		r = -ENOENT;
	if (r == -ENOBUFS)
		r = error_set(reterr, -EINVAL, "not a time zone file: it is too large");
	else if (r < 0 && r != -ENOENT)
		r = error_set(reterr, r, "%s", error.text);
	if (r == 0)
		r = zone_from_tzif(file.data, file.len, ret, reterr);
	buf_done(&file);
	return r < 0 && r != -ENOENT ? error_prefix(reterr, r, "%.200s", path) : r;
}

/* Non-empty components of letters, digits, '_', '+' and '-': cannot leave the directory. */
static bool is_zone_name(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
	size_t len = strlen(name);

	return len > 0 && len <= ZONE_NAME_MAX && name[strspn(name, allowed)] == '\0' &&
		name[0] != '/' && name[len - 1] != '/' && !strstr(name, "//");
}

/* A similar name in the same directory, which the caller frees, or NULL. */
static char *suggest(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	char *directory = strndup(path, (size_t)(base - path));
	DIR *d = directory ? opendir(directory) : NULL;
	char *names[ENTRIES_MAX];
	struct buf meant = BUF_INIT(PATH_BYTES_MAX);
	char *text = NULL;
	size_t count = 0;

	free(directory);
	if (!d)
		return NULL;
	for (const struct dirent *e = readdir(d); e && count < ENTRIES_MAX; e = readdir(d)) {
		names[count] = is_zone_name(e->d_name) ? strdup(e->d_name) : NULL;
		count += names[count] != NULL;
	}
	(void)closedir(d);
	const char *found = parse_suggest(base + 1, (const char *const *)names, count);
	if (found) {
		size_t kept = strlen(name) - strlen(base + 1);
		buf_add(&meant, name, kept);
		buf_add_text(&meant, found);
		(void)buf_take(&meant, &text, NULL); /* no memory, no suggestion */
	}
	while (count > 0)
		free(names[--count]);
	return text;
}

static int refuse_unknown(const char *path, const char *name, struct error *reterr)
{
	char *meant = suggest(path, name);
	int r = meant
		? error_set(reterr, -ENOENT,
			  "%.60s is not a time zone of this system; did you mean %s?", name, meant)
		: error_set(reterr, -ENOENT,
			  "%.60s is not a time zone of this system; expected a name such as "
			  "Europe/Berlin, or UTC",
			  name);

	free(meant);
	return r;
}

int zone_open(
	const struct zone_places *places, const char *name, struct zone **ret, struct error *reterr)
{
	struct buf path = BUF_INIT(PATH_BYTES_MAX);
	int r;

	if (strcasecmp(name, "UTC") == 0)
		return open_utc(ret, reterr);
	if (!is_zone_name(name))
		return error_set(reterr, -EINVAL,
			"%.60s is not a time zone; expected a name such as Europe/Berlin, or UTC",
			name);
	buf_printf(&path, "%s/%s", places->directory, name);
	r = path.error;
	if (r == 0)
		r = open_file(path.data, ret, reterr);
	if (r == -ENOENT)
		r = refuse_unknown(path.data, name, reterr);
	buf_done(&path);
	return r;
}

/* TZ in the syntax of the C library, except that an invalid value is refused instead of treated as
 * UTC. */
static int open_setting(
	const struct zone_places *places, const char *text, struct zone **ret, struct error *reterr)
{
	const char *setting = text + (text[0] == ':');

	if (setting[0] == '\0')
		return open_utc(ret, reterr);
	if (setting[0] == '/') {
		int r = open_file(setting, ret, reterr);
		return r == -ENOENT ? error_set(reterr, r, "there is no %.200s", setting) : r;
	}
	if (zone_from_rule(setting, ret, NULL) == 0)
		return 0;
	return zone_open(places, setting, ret, reterr);
}

int zone_open_local(const struct zone_places *places, struct zone **ret, struct error *reterr)
{
	int r;

	if (places->local) {
		r = open_setting(places, places->local, ret, reterr);
		return r < 0 && r != -ENOMEM ? error_prefix(reterr, r, "the local time zone, TZ")
					     : r;
	}
	r = open_file(places->local_file, ret, reterr);
	if (r == -ENOENT)
		return open_utc(ret, reterr);
	return r < 0 && r != -ENOMEM ? error_prefix(reterr, r, "the local time zone") : r;
}
