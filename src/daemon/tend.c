/* SPDX-License-Identifier: Apache-2.0 */
/* Once a minute. The store does it in its own thread, while no run waits to be written. */
#include "daemon/tend.h"

#include <string.h>

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/normal.h"
#include "daemon/record.h"
#include "store/store.h"

#define FIRST_USEC (2 * USEC_PER_SEC) /* there may be work left from before */
#define INTERVAL_USEC (60 * USEC_PER_SEC)
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

static int on_tend(sd_event_source *source, uint64_t usec, void *data)
{
	struct daemon *d = data;
	const struct config_store *store = &d->config->store;
	const struct store_retention retention = {
		.keep_runs_usec = store->keep_runs_usec,
		.keep_hours_usec = store->keep_hours_usec,
		.keep_days_usec = store->keep_days_usec,
		.max_bytes = store->max_bytes,
	};

	(void)usec;
	tell_failure(d);
	record_tell_trouble(d);
	store_writer_tend(d->writer, &retention, clock_realtime_usec(&d->clock));
	normal_ask(d);
	(void)sd_event_source_set_time_relative(source, INTERVAL_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int tend_start(struct daemon *d)
{
	return sd_event_add_time_relative(
		d->event, &d->tend_timer, CLOCK_MONOTONIC, FIRST_USEC, ACCURACY_USEC, on_tend, d);
}
