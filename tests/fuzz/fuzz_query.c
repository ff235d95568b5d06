/* SPDX-License-Identifier: Apache-2.0 */
/* Targets, parameters and the three headers that the server looks at: the first line of the input
 * is a target, the second stands for Host, Accept-Encoding and If-None-Match. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"
#include "http/access.h"
#include "http/negotiate.h"
#include "http/query.h"

#define NOW INT64_C(1796061600000000)
#define DAY_USEC (UINT64_C(86400) * 1000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_query(const char *text, uint64_t span_usec)
{
	const struct query_rules rules = {
		.allowed = (1U << QUERY_PARAMETERS) - 1,
		.default_span_usec = span_usec,
	};
	struct error e = { .text = "" };
	struct query q;

	if (query_parse(text, &rules, NOW, &q, &e) < 0) {
		assert(e.text[0] != '\0');
		return;
	}
	assert(q.points >= 1 && q.points <= QUERY_POINTS_MAX);
	assert(q.limit >= 1 && q.limit <= QUERY_LIMIT_MAX);
	assert(!(q.given & QUERY_BIT(QUERY_PROBE)) || parse_name(q.probe, NULL) == 0);
	assert(span_usec == 0 || q.from_usec < q.to_usec);
}

static void check_headers(const char *text)
{
	struct access *access = access_new();

	if (!access)
		return;
	/* A host that was added is known from then on. */
	if (access_add(access, text) == 0 && text[strspn(text, "0123456789abcdefABCDEF:.")] != '\0')
		assert(access_allows(access, text));
	(void)access_free(access);
	(void)negotiate_takes_gzip(text);
	(void)negotiate_has_etag(text, "0123456789abcdef");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char path[256];
	const char *query = NULL;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	char *line = strchr(text, '\n');
	if (line)
		*line++ = '\0';
	if (query_split_target(text, path, sizeof(path), &query) == 0) {
		assert(query >= text && query <= text + strlen(text));
		check_query(query, 0);
		check_query(query, DAY_USEC);
	}
	if (line)
		check_headers(line);
	free(text);
	return 0;
}
