/* SPDX-License-Identifier: Apache-2.0 */
/* Once a minute. The store does it in its own thread, while no run waits to be written. */
#include "daemon/tend.h"

#include <string.h>

#include "base/log.h"
#include "core/normal.h"
#include "daemon/daemon.h"
#include "daemon/normal_query.h"
#include "daemon/record.h"
#include "store/store.h"

#define FIRST_USEC (2 * USEC_PER_SEC) /* there may be work left from before */
#define INTERVAL_USEC (60 * USEC_PER_SEC)
#define TOLERANCE_USEC INT64_C(300000000)
#define START_NSEC (600 * NSEC_PER_SEC)
#define HELD_NSEC (86400 * NSEC_PER_SEC)
#define ACCURACY_USEC (USEC_PER_SEC / 2)

/* A failure is told when it begins, not every minute. */
static void tell_failure(struct daemon *d)
{
	struct store_writer_status status = { 0 };

	store_writer_status(d->writer, &status);
	bool has_failed = status.tend_error[0] != '\0';
	if (has_failed && !d->is_tend_failing)
		log_warning(
			"old runs cannot be merged and dropped at present: %s", status.tend_error);
	d->is_tend_failing = has_failed;
}

static bool is_near(int64_t a, int64_t b)
{
	return a - b <= TOLERANCE_USEC && b - a <= TOLERANCE_USEC;
}

bool tend_trust_clock(struct tend_trust *trust, uint64_t now_nsec, int64_t now_usec)
{
	int64_t difference_usec = now_usec - (int64_t)(now_nsec / NSEC_PER_USEC);

	if (!trust->is_begun)
		*trust = (struct tend_trust){
			.is_begun = true,
			.begun_nsec = now_nsec,
			.difference_usec = difference_usec,
			.other_usec = difference_usec,
			.other_nsec = now_nsec,
		};
	if (!is_near(difference_usec, trust->other_usec)) {
		trust->other_usec = difference_usec;
		trust->other_nsec = now_nsec;
	}
	if (now_nsec - trust->other_nsec >= HELD_NSEC)
		trust->difference_usec = trust->other_usec;
	return now_nsec - trust->begun_nsec >= START_NSEC &&
		is_near(difference_usec, trust->difference_usec);
}

/* What is too old stays while the clock is in doubt; what is too much does not depend on it. */
static void doubt(struct daemon *d, struct store_retention *retention)
{
	struct tend_trust *trust = &d->tend_trust;
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	bool is_trusted = tend_trust_clock(trust, now_nsec, clock_realtime_usec(&d->clock));

	if (!is_trusted) {
		retention->keep_runs_usec = 0;
		retention->keep_hours_usec = 0;
		retention->keep_days_usec = 0;
	}
	bool is_set = !is_trusted && now_nsec - trust->begun_nsec >= START_NSEC;
	if (is_set && !trust->is_told)
		log_warning("the system clock was set by more than 5 minutes since the start; "
			    "nothing of the history is dropped for its age until it is set back, "
			    "or has held for a day");
	trust->is_told = is_set;
}

void tend_now(struct daemon *d)
{
	const struct config_store *store = &d->core.config->store;
	struct store_retention retention = {
		.keep_runs_usec = store->keep_runs_usec,
		.keep_hours_usec = store->keep_hours_usec,
		.keep_days_usec = store->keep_days_usec,
		.max_bytes = store->max_bytes,
	};

	tell_failure(d);
	record_tell_trouble(d);
	doubt(d, &retention);
	store_writer_tend(d->writer, &retention, clock_realtime_usec(&d->clock));
	normal_query_ask(d);
}

static int on_tend(sd_event_source *source, uint64_t usec, void *data)
{
	(void)usec;
	tend_now(data);
	(void)sd_event_source_set_time_relative(source, INTERVAL_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int tend_start(struct daemon *d)
{
	(void)tend_trust_clock(&d->tend_trust, clock_monotonic_nsec(&d->clock),
		clock_realtime_usec(&d->clock)); /* what the clocks say at the start */
	return sd_event_add_time_relative(
		d->event, &d->tend_timer, CLOCK_MONOTONIC, FIRST_USEC, ACCURACY_USEC, on_tend, d);
}
