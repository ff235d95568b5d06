/* SPDX-License-Identifier: Apache-2.0 */
/* One row per endpoint. No endpoint changes anything: TCP is read-only. */
#include "http/routes.h"

#include <stddef.h>
#include <string.h>

#include "http/api.h"
#include "http/pages.h"
#include "http/query.h"

#define READ "GET, HEAD"
#define DAY_USEC (UINT64_C(86400) * 1000000)

static const struct query_rules no_parameters = { .allowed = 0 };

static const struct query_rules runs_parameters = {
	.allowed = QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_PROBE) | QUERY_BIT(QUERY_FROM) |
		QUERY_BIT(QUERY_TO) | QUERY_BIT(QUERY_LIMIT) | QUERY_BIT(QUERY_FORMAT),
};

static const struct query_rules series_parameters = {
	.allowed = QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_PROBE) |
		QUERY_BIT(QUERY_OPERATION) | QUERY_BIT(QUERY_FROM) | QUERY_BIT(QUERY_TO) |
		QUERY_BIT(QUERY_POINTS) | QUERY_BIT(QUERY_FORMAT),
	.required =
		QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_PROBE) | QUERY_BIT(QUERY_OPERATION),
	.default_span_usec = DAY_USEC,
};

static const struct query_rules incidents_parameters = {
	.allowed = QUERY_BIT(QUERY_STATE) | QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_FROM) |
		QUERY_BIT(QUERY_TO) | QUERY_BIT(QUERY_LIMIT) | QUERY_BIT(QUERY_FORMAT),
};

static const struct query_rules heatmap_parameters = {
	.allowed = QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_PROBE) |
		QUERY_BIT(QUERY_OPERATION) | QUERY_BIT(QUERY_FROM) | QUERY_BIT(QUERY_TO) |
		QUERY_BIT(QUERY_COLUMNS) | QUERY_BIT(QUERY_FORMAT),
	.required =
		QUERY_BIT(QUERY_REPOSITORY) | QUERY_BIT(QUERY_PROBE) | QUERY_BIT(QUERY_OPERATION),
	.default_span_usec = DAY_USEC,
};

static const struct route routes[] = {
	{ "/", ROUTE_EXACT, READ, pages_index, NULL },
	{ "/a/", ROUTE_BELOW, READ, pages_asset, NULL },
	{ "/metrics", ROUTE_EXACT, READ, pages_metrics, NULL },
	{ "/-/healthy", ROUTE_EXACT, READ, pages_healthy, NULL },
	{ "/-/ready", ROUTE_EXACT, READ, pages_ready, NULL },
	{ "/api/v1/overview", ROUTE_EXACT, READ, api_overview, &no_parameters },
	{ "/api/v1/runs", ROUTE_EXACT, READ, api_runs, &runs_parameters },
	{ "/api/v1/runs/", ROUTE_BELOW, READ, api_run, &no_parameters },
	{ "/api/v1/series", ROUTE_EXACT, READ, api_series, &series_parameters },
	{ "/api/v1/repositories", ROUTE_EXACT, READ, NULL, NULL },
	{ "/api/v1/repositories/", ROUTE_BELOW, READ, NULL, NULL },
	{ "/api/v1/heatmap", ROUTE_EXACT, READ, api_heatmap, &heatmap_parameters },
	{ "/api/v1/incidents", ROUTE_EXACT, READ, api_incidents, &incidents_parameters },
	{ "/api/v1/incidents/", ROUTE_BELOW, READ, api_incident, &no_parameters },
	{ "/api/v1/status", ROUTE_EXACT, READ, NULL, NULL },
};

static bool matches(const struct route *route, const char *path)
{
	size_t len = strlen(route->path);

	if (strncmp(path, route->path, len) != 0)
		return false;
	return (path[len] == '\0') == (route->match == ROUTE_EXACT);
}

const struct route *routes_find(const char *path, const char **ret_rest)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (matches(&routes[i], path)) {
			*ret_rest = path + strlen(routes[i].path);
			return &routes[i];
		}
	return NULL;
}

bool routes_allow(const struct route *route, const char *method)
{
	size_t len = strlen(method);

	for (const char *p = route->methods; *p != '\0'; p += strspn(p, ", ")) {
		size_t word = strcspn(p, ",");
		if (word == len && strncmp(p, method, len) == 0)
			return true;
		p += word;
	}
	return false;
}

bool routes_is_read(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}
