/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of the samples about probes and their operations. For metrics.c, whose table names the
 * families. */
#ifndef REPOPROBE_REPORT_METRICS_PROBE_H
#define REPOPROBE_REPORT_METRICS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/snapshot.h"

struct exposition;

#define METRICS_NSEC_DIGITS 9 /* values in nanoseconds are exposed in seconds */
#define METRICS_USEC_DIGITS 6

/* The subject of a sample; the members below the family's scope are not set. */
struct metrics_item {
	const struct snapshot *snapshot;
	const struct snapshot_repository *repository;
	const struct snapshot_probe *probe;
	enum run_operation operation;
};

enum metrics_scope {
	METRICS_DAEMON,
	METRICS_REPOSITORY,
	METRICS_PROBE,
	METRICS_OPERATION, /* those of the probe's workload */
};

/* Writes the name and the labels of the scope; further labels and the value follow. */
void metrics_begin_sample(const struct metrics_item *item, enum metrics_scope scope,
	const char *suffix, struct exposition *x);

const struct snapshot_operation *metrics_counters(const struct metrics_item *item);

/* Emitters write all samples of an item; the others return one value, or false when it is
 * unknown. */
void metrics_emit_probe_info(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
void metrics_emit_probe_failures(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
void metrics_emit_probe_skips(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
void metrics_emit_probe_status(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
bool metrics_probe_success(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_running(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_duration(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_setup(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_last_run(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_last_success(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_next_run(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_start_delay(const struct metrics_item *item, uint64_t *ret);
bool metrics_probe_stuck(const struct metrics_item *item, uint64_t *ret);
void metrics_emit_io_latency(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
void metrics_emit_probe_latency(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
bool metrics_probe_throughput(const struct metrics_item *item, uint64_t *ret);
void metrics_emit_alarm_firing(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);

#endif
