/* SPDX-License-Identifier: Apache-2.0 */
/* Two small list parsers for untrusted header text. */
#include "http/negotiate.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"

/* "q=0", "q=0.0", "q=0.000": not acceptable. Any other weight, even a malformed one, is. */
static bool is_refused(const char *parameters, size_t len)
{
	const char *end = parameters + len;

	for (const char *p = parameters; p < end;) {
		p += strspn(p, ";" BLANKS);
		size_t part = strcspn(p, ";,");
		if (part >= 3 && strncasecmp(p, "q=", 2) == 0)
			return strspn(p + 2, "0." BLANKS) >= part - 2;
		p += part > 0 ? part : 1;
	}
	return false;
}

static bool is_coding(const char *text, size_t len, const char *name)
{
	return len == strlen(name) && strncasecmp(text, name, len) == 0;
}

bool negotiate_takes_gzip(const char *header)
{
	bool takes_any = false;

	for (const char *p = header ? header : ""; *p != '\0'; p += *p == ',') {
		p += strspn(p, BLANKS);
		size_t item = strcspn(p, ",");
		size_t name = strcspn(p, ",;" BLANKS);
		bool is_ok = !is_refused(p + name, item - name);
		if (is_coding(p, name, "gzip") || is_coding(p, name, "x-gzip"))
			return is_ok;
		if (is_coding(p, name, "*"))
			takes_any = is_ok;
		p += item;
	}
	return takes_any;
}

bool negotiate_has_etag(const char *header, const char *etag)
{
	size_t len = strlen(etag);

	for (const char *p = header ? header : ""; *p != '\0';) {
		p += strspn(p, "," BLANKS);
		if (*p == '*')
			return true;
		if (strncmp(p, "W/", 2) == 0)
			p += 2;
		if (*p != '"') {
			p += strcspn(p, ",");
			continue;
		}
		size_t tag = strcspn(p + 1, "\"");
		if (tag == len && strncmp(p + 1, etag, len) == 0 && p[1 + tag] == '"')
			return true;
		p += 1 + tag + (p[1 + tag] == '"');
	}
	return false;
}
