/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves limit = auto: from the kind of storage, and from the latency the workload cannot stay
 * below there. */
#ifndef REPOPROBE_ALARM_LIMIT_H
#define REPOPROBE_ALARM_LIMIT_H

#include "model/identity.h"
#include "model/rule.h"
#include "model/workload.h"

struct buf;

#define LIMIT_FLOOR_RUNS 36 /* no floor before this many runs */
#define LIMIT_RAISE_MAX 4 /* at most this multiple of the preset's pair */

/* The key storage_class. */
enum limit_storage {
	LIMIT_AUTO, /* from the identity */
	LIMIT_FLASH,
	LIMIT_ARRAY,
	LIMIT_NETWORK,
	LIMIT_DISK, /* a single rotating disk */
};
#define LIMIT_STORAGES 5

const char *limit_storage_name(enum limit_storage storage); /* "network" */
int limit_storage_parse(const char *text, enum limit_storage *ret); /* 0 or -EINVAL */

/* The assumed storage of a repository; flash when nothing is known. identity may be NULL. */
enum limit_storage limit_storage_of(const struct identity *identity);

struct limit_question {
	struct rule_limit preset; /* its pair, for flash and arrays */
	enum limit_storage storage;
	const struct identity *identity; /* NULL: not seen yet */
	const struct workload *workload;
	uint64_t best_bytes_per_sec; /* the highest hourly median throughput of the series in 28
					days; 0: not known */
	size_t runs; /* number of runs it is computed from */
};

/* Returns the pair, and appends the reason: "60 ms: …". */
struct rule_limit limit_choose(const struct limit_question *q, struct buf *reason);

#endif
