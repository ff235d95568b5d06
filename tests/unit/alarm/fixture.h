/* SPDX-License-Identifier: Apache-2.0 */
/* A repository with a known normal, and runs on it: shared by the tests of the rules. */
#ifndef REPOPROBE_TEST_ALARM_FIXTURE_H
#define REPOPROBE_TEST_ALARM_FIXTURE_H

#include "alarm/alarm.h"
#include "base/buf.h"
#include "base/clock.h"

#define MINUTE_USEC INT64_C(60000000)
#define SLOT_USEC (5 * MINUTE_USEC)
#define HOUR_USEC (60 * MINUTE_USEC)
#define BEGIN_USEC INT64_C(1767571200000000)
#define NORMAL_NSEC UINT64_C(4000000)
#define IOS 1000

struct fixture {
	struct alarm_state state;
	struct alarm_outcome outcome;
	struct baseline baseline;
	struct rule_limit limit;
	struct rule_sense sense;
	bool has_baseline;
	const struct alarm_user_rule *user_rules;
	size_t user_rule_count;
	enum load_class load;
	uint64_t interval_usec;
	bool is_muted;
	int64_t now_usec;
	int64_t next_id;
	struct buf events; /* "opened limit warning; …" of all steps */
};

void set_normal(
	struct fixture *f, enum baseline_metric metric, enum load_class load, int32_t median);
/* A repository that takes 4 ms when idle, 10 ms under others' load, and delivers 200 MB/s. */
struct fixture *new_fixture(void);
void free_fixture(struct fixture *f);
void note_events(struct fixture *f);
struct run *new_run(const struct fixture *f);
void take(struct fixture *f, struct run *run, bool is_confirmation);
struct run *new_read(const struct fixture *f, uint64_t nsec, uint64_t bytes_per_sec);
/* A slot of reads with this latency; the confirming runs it requests have the same. */
void slot_with(struct fixture *f, uint64_t nsec, uint64_t bytes_per_sec);
void slots(struct fixture *f, int count, uint64_t msec);
void failed(struct fixture *f, enum run_status status, bool is_confirmation);
/* The events since the last call: "opened relative warning; …". */
void assert_events(struct fixture *f, const char *expected);
void tick(struct fixture *f, int64_t started_usec);

#endif
