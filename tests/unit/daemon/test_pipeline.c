/* SPDX-License-Identifier: Apache-2.0 */
/* Runs enter pipeline.c by a clock that is given: days and weeks in moments, with a real store
 * behind it, which is what messages are counted by. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../probe/temporary.h"
#include "base/zone.h"
#include "config/config.h"
#include "config/mutes.h"
#include "core/incidents.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "daemon/restore.h"
#include "model/message.h"
#include "store/store.h"

#define MINUTE_USEC INT64_C(60000000)
#define HOUR_USEC (60 * MINUTE_USEC)
#define DAY_USEC (24 * HOUR_USEC)
#define TOLD_MAX 16
#define QUEUE_MAX 65536 /* nothing is given up */
#define IOS 50

/* d is the first member: the clock's functions find the rest by it. */
struct bench {
	struct daemon d;
	int64_t now_usec;
	struct daemon_options options;
	struct temporary directory;
	int64_t slot_usec;
	uint64_t noise; /* of the generator */
	unsigned percent; /* noise around each latency, either way */
	uint64_t taken; /* batches */
	size_t told_count;
	struct message told[TOLD_MAX];
	int64_t told_usec[TOLD_MAX]; /* when it was handed to the store */
};

static const struct bench *bench_of(const struct clock *c)
{
	return (const struct bench *)((const char *)c - offsetof(struct bench, d.clock));
}

static int64_t given_usec(const struct clock *c)
{
	return bench_of(c)->now_usec;
}

static uint64_t given_nsec(const struct clock *c)
{
	return (uint64_t)bench_of(c)->now_usec * NSEC_PER_USEC;
}

static int64_t utc(int year, int month, int day, int hour, int minute)
{
	struct tm tm = {
		.tm_year = year - 1900,
		.tm_mon = month - 1,
		.tm_mday = day,
		.tm_hour = hour,
		.tm_min = minute,
	};

	return (int64_t)timegm(&tm) * (int64_t)USEC_PER_SEC;
}

/* --- A daemon without workers, sockets and threads but the store's ---------- */

static void open_daemon(struct bench *b)
{
	const struct zone_places places = zone_places_system();
	struct config_errors errors = { 0 };
	struct error error = { "" };
	struct daemon *d = &b->d;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	d->options = &b->options;
	d->clock = (struct clock){ .monotonic_nsec = given_nsec, .realtime_usec = given_usec };
	d->record.is_open = true;
	d->record.is_judging = true;
	d->core.next_run_id = 1;
	d->core.next_incident_id = 1;
	d->core.listening_usec = b->now_usec;
	(void)snprintf(d->database_path, sizeof(d->database_path), "%s",
		temporary_name(&b->directory, "history.db", &path));
	temporary_name(&b->directory, "a.conf", &path);
	assert_int_equal(config_load(buf_text(&path), true, NULL, &d->core.config, &errors), 0);
	buf_done(&path);
	d->core.present = present_new(d->core.config, NULL, given_nsec(&d->clock), b->now_usec);
	d->core.mutes = calloc(1, sizeof(*d->core.mutes));
	assert_true(d->core.present && d->core.mutes);
	assert_int_equal(zone_open(&places, "Europe/Berlin", &d->core.zone, &error), 0);
	assert_int_equal(sd_event_new(&d->event), 0);
	assert_int_equal(pipeline_start(d), 0);
	int r = store_writer_open(d->database_path, QUEUE_MAX, &d->writer, &error);
	while (r == 0 && (r = store_writer_opened(d->writer, &error)) == -EINPROGRESS)
		(void)usleep(1000);
	if (r < 0)
		fail_msg("%s", error.text);
	assert_int_equal(restore_history(d, &error), 0);
	b->taken = 0;
}

static void close_daemon(struct bench *b)
{
	struct daemon *d = &b->d;

	assert_int_equal(store_writer_close(d->writer, 20 * NSEC_PER_SEC), 0);
	present_free(d->core.present);
	ledger_done(&d->core.ledger);
	config_free(d->core.config);
	free(d->core.mutes);
	zone_free(d->core.zone);
	sd_event_source_disable_unref(d->overdue_timer);
	sd_event_unref(d->event);
	memset(d, 0, sizeof(*d));
}

static struct bench *start(const char *keys, int64_t now_usec, int64_t slot_usec)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct buf text = BUF_INIT(4096);

	assert_non_null(b);
	b->now_usec = now_usec;
	b->slot_usec = slot_usec;
	b->noise = 88172645463325252;
	temporary_open(&b->directory);
	buf_printf(&text,
		"[repository nas]\npath = /nas\nprobes = heartbeat\nlimit = 15ms\ninterval = %dmin\n%s",
		(int)(slot_usec / MINUTE_USEC), keys);
	temporary_write(&b->directory, "a.conf", buf_text(&text));
	buf_done(&text);
	open_daemon(b);
	return b;
}

static void end(struct bench *b)
{
	close_daemon(b);
	temporary_close(&b->directory);
	free(b);
}

/* Waits for the commits; each message counts as delivered, which goes into the history too. */
static void drain(struct bench *b)
{
	struct store_writer_status status;
	struct batch *batch;
	int error;

	do {
		while ((batch = store_writer_take(b->d.writer, &error)) != NULL) {
			const struct message *m;

			assert_int_equal(error, 0);
			b->taken++;
			for (size_t i = 0; (m = batch_message(batch, i)) != NULL; i++) {
				struct batch *mark = batch_new();

				assert_true(b->told_count < TOLD_MAX);
				b->told_usec[b->told_count] =
					(int64_t)(batch_tag(batch) / NSEC_PER_USEC);
				b->told[b->told_count++] = *m;
				assert_int_equal(batch_add_delivery(mark, m->key, b->now_usec), 0);
				pipeline_submit(&b->d, mark);
			}
			batch_free(batch);
		}
		(void)usleep(100);
		store_writer_status(b->d.writer, &status);
	} while (status.queue_length > 0 || status.committed > b->taken);
}

/* --- Runs -------------------------------------------------------------------- */

static struct present_probe *the_probe(struct bench *b)
{
	return &b->d.core.present->repositories[0].probes[0];
}

static const struct alarm_state *the_alarm(const struct bench *b)
{
	return b->d.core.present->repositories[0].alarm;
}

static uint64_t next_noise(struct bench *b)
{
	b->noise ^= b->noise << 13;
	b->noise ^= b->noise >> 7;
	b->noise ^= b->noise << 17;
	return b->noise;
}

static uint64_t with_noise(struct bench *b, uint64_t nsec)
{
	uint64_t range = nsec / 100 * b->percent;

	return range == 0 ? nsec : nsec - range + next_noise(b) % (2 * range);
}

static void run_once(struct bench *b, uint64_t read_usec, uint64_t write_usec, bool is_confirmation)
{
	const uint64_t usec[RUN_OPERATIONS] = { [RUN_READ] = read_usec, [RUN_WRITE] = write_usec };
	struct run *run = run_new("nas", "heartbeat");

	assert_non_null(run);
	run->status = RUN_OK;
	run->workload = the_probe(b)->config->workload;
	run->started_usec = b->now_usec;
	run->measured_nsec = NSEC_PER_SEC;
	run->is_confirmation = is_confirmation;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct run_operation_result *o = &run->operations[i];
		uint64_t nsec = with_noise(b, usec[i] * NSEC_PER_USEC);

		for (int k = 0; k < IOS; k++)
			histogram_add(&o->latency, nsec);
		o->ios = IOS;
		o->bytes = IOS * UINT64_C(4096);
	}
	pipeline_keep(&b->d, run);
}

static void tick(struct bench *b)
{
	struct core_actions actions = { .first = NULL };

	daemon_set_time(&b->d);
	incidents_tick(&b->d.core, &actions);
	pipeline_act(&b->d, &actions);
}

/* A slot: its run, the confirming runs that are asked for, and what time alone does. */
static void slot(struct bench *b, uint64_t usec)
{
	int64_t begin_usec = b->now_usec;
	struct present_probe *probe = the_probe(b);

	run_once(b, usec, usec, false);
	while (probe->confirm_nsec != 0) {
		b->now_usec = (int64_t)(probe->confirm_nsec / NSEC_PER_USEC);
		assert_true(b->now_usec < begin_usec + 5 * MINUTE_USEC);
		run_once(b, usec, usec, true);
	}
	tick(b);
	b->now_usec = begin_usec + b->slot_usec;
	tick(b);
}

static void slots_until(struct bench *b, int64_t end_usec, uint64_t usec)
{
	while (b->now_usec < end_usec)
		slot(b, usec);
	drain(b);
}

static void slots(struct bench *b, int count, uint64_t usec)
{
	slots_until(b, b->now_usec + count * b->slot_usec, usec);
}

static int incidents(const struct bench *b)
{
	return (int)b->d.core.next_incident_id - 1;
}

static bool is_open(const struct bench *b)
{
	return the_alarm(b)->incident_id != 0;
}

static void assert_told(const struct bench *b, size_t i, enum incident_change change,
	int64_t after_usec, int64_t before_usec)
{
	assert_true(i < b->told_count);
	assert_int_equal(b->told[i].event.change, change);
	assert_in_range(b->told_usec[i], after_usec, before_usec);
}

/* --- What must hold ------------------------------------------------------------ */

static void around_the_limit_for_a_day_is_at_most_one_incident(void **unused)
{
	struct bench *b = start("", utc(2026, 3, 2, 0, 0), 5 * MINUTE_USEC);

	(void)unused;
	for (int i = 0; i < 288; i++)
		slot(b, i % 2 == 0 ? 14900 : 15100);
	drain(b);
	assert_true(incidents(b) <= 1);
	assert_true(b->told_count <= 1);
	end(b);
	b = start("", utc(2026, 3, 2, 0, 0), 5 * MINUTE_USEC);
	slots(b, 288, 14000);
	for (int i = 0; i < 288; i++)
		slot(b, i % 2 == 0 ? 14900 : 15100);
	drain(b);
	assert_true(incidents(b) <= 1);
	assert_true(b->told_count <= 1);
	end(b);
}

static void what_rises_and_falls_near_its_limit_clears_whenever_it_came(void **unused)
{
	static const int before[] = { 2, 20, 36, 100 };

	(void)unused;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct bench *b = start("", utc(2026, 3, 2, 0, 0), 5 * MINUTE_USEC);

		slots(b, before[i], 14000);
		slots(b, 4, 40000);
		assert_int_equal(incidents(b), 1);
		assert_true(is_open(b));
		slots(b, 60, 14000);
		assert_false(is_open(b));
		assert_int_equal(incidents(b), 1);
		assert_int_equal(b->told_count, 2);
		end(b);
	}
}

/* In the short night and in the long one: at Berlin, 22:00 to 06:00. */
static void a_nightly_mute_holds_through_the_nights_in_which_clocks_change(void **unused)
{
	static const struct {
		int month, day; /* of the Saturday */
		int begin_hour; /* of the mute, UTC */
		int end_hour; /* on Sunday, UTC */
	} nights[] = { { 3, 28, 21, 4 }, { 10, 24, 20, 5 } };

	(void)unused;
	for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++) {
		int month = nights[i].month;
		int day = nights[i].day;
		int64_t mute_usec = utc(2026, month, day, nights[i].begin_hour, 0);
		int64_t end_usec = utc(2026, month, day + 1, nights[i].end_hour, 0);
		struct bench *b = start("[mute nightly]\nwhen = 22:00-06:00 Europe/Berlin\n",
			mute_usec - DAY_USEC, 5 * MINUTE_USEC);

		slots_until(b, mute_usec, 4000);
		assert_int_equal(incidents(b), 0);
		slots_until(b, end_usec, 40000); /* all night, and still at its end */
		assert_int_equal(incidents(b), 1);
		assert_int_equal(b->told_count, 1);
		assert_told(b, 0, INCIDENT_OPENED, end_usec, end_usec);
		slots_until(b, end_usec + HOUR_USEC, 40000);
		assert_int_equal(b->told_count, 1);
		slots_until(b, end_usec + 3 * HOUR_USEC, 4000);
		assert_int_equal(b->told_count, 2);
		assert_told(b, 1, INCIDENT_CLEARED, end_usec + HOUR_USEC, end_usec + 3 * HOUR_USEC);
		/* The night after: over before it ends, so nobody hears of it. */
		int64_t next_usec = end_usec + 16 * HOUR_USEC;
		slots_until(b, next_usec, 4000);
		slots_until(b, next_usec + 2 * HOUR_USEC, 40000);
		slots_until(b, next_usec + 20 * HOUR_USEC, 4000);
		assert_int_equal(incidents(b), 2);
		assert_false(is_open(b));
		assert_int_equal(b->told_count, 2);
		/* And by day it is told at once. */
		int64_t noon_usec = b->now_usec;
		slots_until(b, noon_usec + HOUR_USEC, 40000);
		assert_told(b, 2, INCIDENT_OPENED, noon_usec, noon_usec + 20 * MINUTE_USEC);
		end(b);
	}
}

static void four_weeks_of_runs_each_minute_keep_a_bounded_past_and_find_one_step(void **unused)
{
	int64_t begin_usec = utc(2026, 3, 2, 0, 0);
	struct bench *b = start("", begin_usec, MINUTE_USEC);
	const struct normal *normal = &the_probe(b)->normal;

	(void)unused;
	b->percent = 15;
	for (int day = 1; day <= 27; day++)
		slots_until(b, begin_usec + day * DAY_USEC, 4000);
	assert_int_equal(incidents(b), 0);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct samples *samples = normal->samples[i];

		assert_in_range(samples->count, 6000, SAMPLES_KEPT);
		assert_in_range(samples->baseline.oldest_usec, begin_usec - MINUTE_USEC,
			begin_usec + DAY_USEC);
	}
	slots_until(b, begin_usec + 27 * DAY_USEC + 12 * HOUR_USEC, 12000);
	assert_int_equal(incidents(b), 1);
	assert_told(b, 0, INCIDENT_OPENED, begin_usec + 27 * DAY_USEC,
		begin_usec + 27 * DAY_USEC + 10 * MINUTE_USEC);
	slots_until(b, begin_usec + 28 * DAY_USEC, 4000);
	assert_false(is_open(b));
	assert_int_equal(incidents(b), 1);
	assert_int_equal(b->told_count, 2);
	end(b);
}

static void a_restart_neither_repeats_nor_forgets(void **unused)
{
	struct bench *b = start("", utc(2026, 3, 2, 0, 0), 5 * MINUTE_USEC);

	(void)unused;
	slots(b, 60, 4000);
	slots(b, 1, 40000); /* one bad slot of the two that it takes */
	assert_int_equal(incidents(b), 0);
	close_daemon(b);
	open_daemon(b);
	slots(b, 1, 40000);
	assert_int_equal(incidents(b), 1);
	assert_int_equal(b->told_count, 1);
	for (int i = 0; i < 3; i++) {
		close_daemon(b);
		open_daemon(b);
		slots(b, 1, 40000);
	}
	assert_true(is_open(b));
	assert_int_equal(incidents(b), 1);
	assert_int_equal(b->told_count, 1);
	close_daemon(b);
	b->now_usec += 8 * HOUR_USEC; /* meanwhile it recovered */
	open_daemon(b);
	assert_true(is_open(b));
	slots(b, 60, 4000);
	assert_false(is_open(b));
	assert_int_equal(incidents(b), 1);
	assert_int_equal(b->told_count, 2);
	assert_int_equal(b->told[1].event.change, INCIDENT_CLEARED);
	end(b);
}

TEST_MAIN(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(around_the_limit_for_a_day_is_at_most_one_incident),
		cmocka_unit_test(what_rises_and_falls_near_its_limit_clears_whenever_it_came),
		cmocka_unit_test(a_nightly_mute_holds_through_the_nights_in_which_clocks_change),
		cmocka_unit_test(
			four_weeks_of_runs_each_minute_keep_a_bounded_past_and_find_one_step),
		cmocka_unit_test(a_restart_neither_repeats_nor_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
