/* SPDX-License-Identifier: Apache-2.0 */
/* Finds embedded files. The table itself is generated (web/embed.sh). */
#include "http/assets.h"

#include <stddef.h>
#include <string.h>

const struct asset *assets_find(const char *name)
{
	for (const struct asset *a = assets; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

const struct asset *assets_find_hashed(const char *path)
{
	size_t len = strlen(assets_hash);

	if (strncmp(path, assets_hash, len) != 0 || path[len] != '/')
		return NULL;
	return assets_find(path + len + 1);
}

const char *assets_type(const char *name)
{
	static const struct {
		const char *end;
		const char *type;
	} types[] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".mjs", "text/javascript; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(dot, types[i].end) == 0)
			return types[i].type;
	return "application/octet-stream";
}
