/* SPDX-License-Identifier: Apache-2.0 */
/* What limit = auto comes to: by what the repository is, and what the workload cannot be faster
 * than there. */
#ifndef REPOPROBE_ALARM_LIMIT_H
#define REPOPROBE_ALARM_LIMIT_H

#include "model/identity.h"
#include "model/rule.h"
#include "model/workload.h"

struct buf;

#define LIMIT_FLOOR_RUNS 36 /* no floor before so many runs */
#define LIMIT_RAISE_MAX 4 /* times the preset's pair, at most */

/* The key storage_class. */
enum limit_storage {
	LIMIT_AUTO, /* by the identity */
	LIMIT_FLASH,
	LIMIT_ARRAY,
	LIMIT_NETWORK,
	LIMIT_DISK, /* a single one that rotates */
};
#define LIMIT_STORAGES 5

const char *limit_storage_name(enum limit_storage storage); /* "network" */
int limit_storage_parse(const char *text, enum limit_storage *ret); /* 0 or -EINVAL */

/* What a repository is taken for; flash when nothing is known of it. identity may be NULL. */
enum limit_storage limit_storage_of(const struct identity *identity);

struct limit_question {
	struct rule_limit preset; /* its pair, for flash and arrays */
	enum limit_storage storage;
	const struct identity *identity; /* NULL: not seen yet */
	const struct workload *workload;
	uint64_t best_bytes_per_sec; /* the highest hourly median throughput of the series in 28
					days; 0: not known */
	size_t runs; /* that it is made from */
};

/* Answers the pair, and appends the reason: "60 ms: …". */
struct rule_limit limit_choose(const struct limit_question *q, struct buf *reason);

#endif
