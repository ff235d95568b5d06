/* SPDX-License-Identifier: Apache-2.0 */
/* Renders the present into the bodies that the HTTP threads hand out: shortly after a change, and
 * the metrics every few seconds. The overview is rendered only when something changed, so its ETag
 * holds. */
#include "config/mutes.h"
#include "core/plan.h"
#include "daemon/daemon.h"
#include "daemon/process.h"

#include "base/buf.h"
#include "base/calendar.h"
#include "base/log.h"
#include "http/http.h"
#include "report/report.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#define RENDER_DELAY_USEC (20 * USEC_PER_MSEC)
#define RENDER_SHARE 20 /* at most so much of the time, one part in 20, goes into it */
#define RENDER_INTERVAL_USEC (5 * USEC_PER_SEC)
#define BODY_MAX (UINT64_C(64) << 20)
#define REASON_MAX 512

static const char waits_for_history[] =
	"probing waits for the history, which alone knows what may be written where, and which is "
	"not open yet";

static void fill_probe(struct snapshot_probe *to, const struct present_probe *from)
{
	to->name = from->config->name;
	to->workload = &from->config->workload;
	to->interval_usec = plan_spacing_usec(from);
	to->schedule = from->config->schedule ? calendar_text(from->config->schedule) : NULL;
	to->limit = from->limit;
	to->limit_reason = from->limit_reason ? from->limit_reason : from->config->limit_reason;
	to->last_run = from->last_run;
	to->last_measured = from->last_measured;
	to->last_success_usec = from->last_success_usec;
	to->is_running = from->is_running;
	to->runs = from->runs;
	to->skips_in_row = from->skips_in_row;
	to->last_skip = from->last_skip;
	to->own_trouble = from->own_trouble[0] != '\0' ? from->own_trouble : NULL;
	to->late_starts = from->late_starts;
	to->stuck_since_usec = from->stuck_since_usec;
	for (size_t i = 0; i < RUN_STATUSES; i++)
		to->failures[i] = from->failures[i];
	for (size_t i = 0; i < RUN_SKIPS; i++)
		to->skips[i] = from->skips[i];
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		to->operations[i] = from->operations[i];
}

/* Everything a snapshot of repositories needs, in three arrays of one allocation each. */
struct frame {
	struct snapshot_repository *repositories;
	struct snapshot_probe *probes;
	char (*reasons)[REASON_MAX];
};

static void frame_done(struct frame *f)
{
	free(f->repositories);
	free(f->probes);
	free(f->reasons);
}

static int frame_init(struct frame *f, const struct present *present)
{
	size_t probe_count = 0;

	for (size_t i = 0; i < present->repository_count; i++)
		probe_count += present->repositories[i].probe_count;
	f->repositories = calloc(present->repository_count + 1, sizeof(*f->repositories));
	f->probes = calloc(probe_count + 1, sizeof(*f->probes));
	f->reasons = calloc(present->repository_count + 1, sizeof(*f->reasons));
	return f->repositories && f->probes && f->reasons ? 0 : -ENOMEM;
}

static void fill_mute(
	struct snapshot_mute *to, const struct daemon *d, const struct present_repository *from)
{
	const struct mute_verdict mute = mutes_find(
		d->core.mutes, d->core.config, from->config->name, clock_realtime_usec(&d->clock));

	to->mode = mute.mode;
	to->until_usec = mute.until_usec;
	to->reason = mute.reason;
}

static void frame_fill(struct frame *f, const struct daemon *d)
{
	const struct present *present = d->core.present;
	struct snapshot_probe *probe = f->probes;

	for (size_t i = 0; i < present->repository_count; i++) {
		const struct present_repository *from = &present->repositories[i];
		struct snapshot_repository *to = &f->repositories[i];
		to->name = from->config->name;
		to->path = from->config->path;
		to->alarm = from->alarm;
		fill_mute(&to->mute, d, from);
		to->identity = from->place.has_identity ? &from->place.identity : NULL;
		to->facts = from->place.has_identity ? &from->place.facts : NULL;
		to->probe_count = from->probe_count;
		to->probes = probe;
		for (size_t k = 0; k < from->probe_count; k++) {
			fill_probe(probe, &from->probes[k]);
			if (!d->record.is_safe)
				probe->own_trouble = waits_for_history;
			probe++->next_run_usec = plan_start_usec(from, &from->probes[k]);
		}
		to->state = snapshot_judge(to, f->reasons[i], sizeof(f->reasons[i]));
		to->reason = f->reasons[i];
	}
}

static void fill_daemon(
	struct snapshot *s, const struct daemon *d, const struct store_writer_status *store)
{
	s->version = PACKAGE_VERSION;
	s->now_usec = clock_realtime_usec(&d->clock);
	s->started_usec = d->started_usec;
	s->revision = d->revision;
	s->is_reload_ok = d->is_reload_ok;
	s->reload_usec = d->reload_usec;
	s->reload_error = d->is_reload_ok ? NULL : d->reload_error.text;
	s->database_bytes = store->database_bytes;
	s->database_write_failures = store->failures;
	s->database_queue_length = store->queue_length + d->record.held;
	s->database_lost = store->lost + d->record.lost;
	s->database_bad_rows = store_bad_rows_count(d->bad_rows);
	s->database_error = store->error[0] != '\0' ? store->error : NULL;
	if (!s->database_error && !d->record.is_open)
		s->database_error = "it is being opened";
	s->database_rescues = store->rescues;
	s->database_notice = store->notice[0] != '\0' ? store->notice : NULL;
	if (store->files_error[0] != '\0')
		s->database_notice = store->files_error;
	s->notifications = d->notifications;
	s->notification_failures = d->notification_failures;
	s->notification_queue_length = d->notifications_pending;
	s->log_lost_lines = log_lost_lines();
	process_read(&s->process);
}

static int publish(struct daemon *d, enum http_body which, const struct snapshot *snapshot,
	void (*render)(const struct snapshot *snapshot, struct buf *b))
{
	struct buf body = BUF_INIT(BODY_MAX);
	int r;

	render(snapshot, &body);
	r = body.error;
	if (r >= 0)
		r = http_server_publish(d->http, which, body.data, body.len);
	if (r < 0)
		log_error("a page could not be rendered: %s", errno_text(-r));
	buf_done(&body);
	return r;
}

static void tell_systemd(const struct snapshot *s)
{
	size_t slow = 0;

	for (size_t i = 0; i < s->repository_count; i++)
		slow += s->repositories[i].state != REPOSITORY_OK;
	if (s->reload_error)
		(void)sd_notifyf(0, "STATUS=Configuration not reloaded: %s", s->reload_error);
	else
		(void)sd_notifyf(0, "STATUS=%zu of %zu repositories ok", s->repository_count - slow,
			s->repository_count);
}

static void render(struct daemon *d)
{
	struct store_writer_status store = { 0 };
	struct frame frame = { 0 };
	struct snapshot snapshot = { 0 };
	int r = 0;

	if (d->writer)
		store_writer_status(d->writer, &store);
	if (frame_init(&frame, d->core.present) < 0) {
		log_error("no memory to render the overview");
		frame_done(&frame);
		return;
	}
	frame_fill(&frame, d);
	snapshot.repository_count = d->core.present->repository_count;
	snapshot.repositories = frame.repositories;
	fill_daemon(&snapshot, d, &store);
	if (d->http) {
		http_server_turn(d->http);
		/* In this order, so that the overview knows each run that the metrics count. */
		if (d->revision != d->rendered_revision)
			r = publish(d, HTTP_BODY_OVERVIEW, &snapshot, report_overview);
		(void)publish(d, HTTP_BODY_METRICS, &snapshot, report_metrics); /* each time anew */
	}
	if (d->revision != d->rendered_revision)
		tell_systemd(&snapshot);
	if (r >= 0) /* else the next time */
		d->rendered_revision = d->revision;
	frame_done(&frame);
}

static int on_render(sd_event_source *source, uint64_t usec, void *data)
{
	struct daemon *d = data;

	(void)usec;
	uint64_t begin_nsec = clock_monotonic_nsec(&d->clock);
	render(d);
	d->render_usec = (clock_monotonic_nsec(&d->clock) - begin_nsec) / NSEC_PER_USEC;
	(void)sd_event_source_set_time_relative(source, RENDER_INTERVAL_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

/* A few repositories are rendered at once; hundreds, in which something changes all the time, would
 * keep a processor busy. */
static uint64_t choose_delay_usec(uint64_t render_usec)
{
	if (render_usec > RENDER_INTERVAL_USEC / RENDER_SHARE)
		return RENDER_INTERVAL_USEC;
	return render_usec * RENDER_SHARE > RENDER_DELAY_USEC ? render_usec * RENDER_SHARE
							      : RENDER_DELAY_USEC;
}

void daemon_changed(struct daemon *d)
{
	if (d->revision == d->rendered_revision)
		(void)sd_event_source_set_time_relative(
			d->render_timer, choose_delay_usec(d->render_usec));
	d->revision++;
}

int daemon_publish_init(struct daemon *d)
{
	d->revision = 1;
	render(d);
	return sd_event_add_time_relative(
		d->event, &d->render_timer, CLOCK_MONOTONIC, RENDER_INTERVAL_USEC, 0, on_render, d);
}
