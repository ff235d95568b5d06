/* SPDX-License-Identifier: Apache-2.0 */
/* Known runs and a known present, for the tests of every report. */
#ifndef REPOPROBE_TESTS_UNIT_REPORT_SAMPLE_H
#define REPOPROBE_TESTS_UNIT_REPORT_SAMPLE_H

#include "model/snapshot.h"

#define SAMPLE_STARTED_USEC INT64_C(1796061600000000) /* 2026-11-30T18:00:00Z */

/* Run 4711 of reverse-incremental on nas1: 40 reads of 3.97, 4.07, … 7.87 ms and 80 writes of 7.8,
 * 8.0, … 23.6 ms in 1.5 s. Freed with free(). */
struct run *sample_run(void);
/* Run 4712 of active-full on nas1: 120 writes of 20 ms, 1.2 s. */
struct run *sample_write_run(void);
/* A run that failed as the worker would report it. */
struct run *sample_failed_run(enum run_status status, int error_number, const char *reason);

/* One repository "nas1" with the probes reverse-incremental (run 4711) and active-full (run 4712,
 * whose writes fire a warning in incident 12), another "tape" without any result. Lent parts point
 * into it. */
struct sample {
	struct snapshot snapshot;
	struct snapshot_repository repositories[2];
	struct snapshot_probe probes[3];
	struct alarm_state alarm;
	struct identity identity;
	struct facts facts;
	struct run *runs[2];
};
struct sample *sample_new(void);
void sample_free(struct sample *sample);

#endif
