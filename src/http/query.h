/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the target of a request ("/api/v1/series?repository=nas1&points=200"). Pure: independent
 * of connections. All input here is untrusted. */
#ifndef REPOPROBE_HTTP_QUERY_H
#define REPOPROBE_HTTP_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

struct error;

enum query_parameter {
	QUERY_REPOSITORY,
	QUERY_PROBE,
	QUERY_OPERATION,
	QUERY_FROM,
	QUERY_TO,
	QUERY_POINTS,
	QUERY_LIMIT,
	QUERY_FORMAT,
	QUERY_STATE,
	QUERY_COLUMNS,
};
#define QUERY_PARAMETERS 10
#define QUERY_BIT(parameter) (UINT32_C(1) << (parameter))

enum query_format {
	QUERY_JSON,
	QUERY_CSV,
};

/* Of incidents. */
enum query_state {
	QUERY_ALL,
	QUERY_OPEN,
	QUERY_CLOSED,
};

#define QUERY_POINTS_MAX 5000
#define QUERY_POINTS_DEFAULT 500
#define QUERY_COLUMNS_MAX 1000
#define QUERY_COLUMNS_DEFAULT 240
#define QUERY_LIMIT_MAX 1000
#define QUERY_LIMIT_DEFAULT 100

struct query {
	uint32_t given; /* bits of the parameters present */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	int64_t from_usec; /* inclusive; 0: no bound */
	int64_t to_usec; /* exclusive; 0: no bound */
	size_t points;
	size_t columns;
	size_t limit;
	enum query_format format;
	enum query_state state;
};

/* The parameters that an endpoint accepts. */
struct query_rules {
	uint32_t allowed;
	uint32_t required;
	/* With a span the time range is always closed: unless given, `to` is now and `from` one
	 * span before `to`. */
	uint64_t default_span_usec;
};

/* Parses "key=value&key=value". now_usec is the meaning of "now". Returns 0, or -EINVAL with a
 * sentence: unknown (with a suggestion), duplicate or missing parameters, bad values, bad
 * %-escapes. */
int query_parse(const char *text, const struct query_rules *rules, int64_t now_usec,
	struct query *ret, struct error *reterr);

/* Splits a target at '?': the decoded path goes to ret_path (size bytes); *ret_query points into
 * target, or at "" if there is none. Returns 0, -EINVAL (bad escape, NUL, not UTF-8) or
 * -ENAMETOOLONG. */
int query_split_target(const char *target, char *ret_path, size_t size, const char **ret_query);

#endif
