/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a run's JSON that lists and overviews share. */
#ifndef REPOPROBE_REPORT_RUN_JSON_H
#define REPOPROBE_REPORT_RUN_JSON_H

#include <stdint.h>

struct json_t;
struct run;

/* Adds "id": null for a run that was not committed by a daemon. */
void run_json_add_id(struct json_t *object, const struct run *run);
/* Adds started, status, reason, trust and engine; skip and error if set. */
void run_json_add_outcome(struct json_t *object, const struct run *run);
/* Adds "operations": those that happened, and their total. */
void run_json_add_operations(struct json_t *object, const struct run *run);

/* Adds setup_seconds and its longest step; null when unknown. */
void run_json_add_setup(struct json_t *object, const struct run *run);

/* Adds a count, clamped to 2^63 - 1, the largest that JSON output can hold. */
void run_json_add_count(struct json_t *object, const char *key, uint64_t value);

#endif
