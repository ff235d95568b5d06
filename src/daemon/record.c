/* SPDX-License-Identifier: Apache-2.0 */
/* Opening that takes its time, runs that wait for it, and warnings about the place. The loop waits
 * for nothing here but at the start. */
#include "daemon/record.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/parse.h"
#include "core/normal.h"
#include "daemon/daemon.h"
#include "daemon/normal_query.h"
#include "daemon/pipeline.h"
#include "daemon/question.h"
#include "daemon/restore.h"
#include "http/http.h"
#include "model/examination.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define STORE_QUEUE_MAX 1024 /* some 50 MB when full */
/* Before the log says so: a backup or a person may hold a lock for a moment. */
#define FAILURE_NSEC (5 * NSEC_PER_SEC)
#define HANG_NSEC (30 * NSEC_PER_SEC)
#define MOUNTINFO_MAX (4 << 20)

struct record_run {
	struct record_run *next;
	struct run *run;
};

/* --- Opening ------------------------------------------------------------ */

static void tell_notice(struct daemon *d)
{
	struct store_writer_status status;

	store_writer_status(d->writer, &status);
	if (status.notices == d->record.notices)
		return;
	d->record.notices = status.notices;
	log_error("%s", status.notice);
	/* The database that was begun does not know them. */
	for (size_t i = 0; i < d->core.present->repository_count; i++)
		d->core.present->repositories[i].place.is_seen_stored = false;
	if (status.begun_anew != d->record.begun_anew && d->record.is_open)
		pipeline_keep_present(d);
	d->record.begun_anew = status.begun_anew;
	daemon_changed(d);
}

static void tell_recovery(struct daemon *d, uint64_t now_nsec)
{
	struct buf duration = BUF_INIT(64);

	format_duration(
		&duration, (now_nsec - d->record.trouble.since_nsec) / NSEC_PER_SEC * USEC_PER_SEC);
	log_notice("the history is written again, after %s", buf_text(&duration));
	buf_done(&duration);
}

static void tell_writes(struct daemon *d, const struct store_writer_status *status)
{
	struct record_trouble *t = &d->record.trouble;
	const uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	const bool has_failed = status->error[0] != '\0';
	const bool is_written =
		!has_failed && (status->queue_length == 0 || status->committed != t->committed);

	t->committed = status->committed;
	if (is_written) {
		if (t->is_told)
			tell_recovery(d, now_nsec);
		t->is_told = false;
		t->since_nsec = 0;
		return;
	}
	if (t->since_nsec == 0)
		t->since_nsec = now_nsec;
	if (t->is_told || now_nsec - t->since_nsec < (has_failed ? FAILURE_NSEC : HANG_NSEC))
		return;
	t->is_told = true;
	log_warning("the history cannot be written: %s; results wait in memory",
		has_failed ? status->error : "its disk does not answer");
}

void record_tell_trouble(struct daemon *d)
{
	struct store_writer_status status;

	if (!d->record.is_open)
		return; /* which has words of its own */
	store_writer_status(d->writer, &status);
	tell_writes(d, &status);
	bool are_gone = status.files_error[0] != '\0';
	if (are_gone && !d->record.trouble.are_files_told)
		log_error("%s; it is tried again every minute", status.files_error);
	d->record.trouble.are_files_told = are_gone;
}

static void set_open(struct daemon *d)
{
	d->record.is_open = true;
	pipeline_note_watched(d);
}

/* What cannot be read any more must not keep the daemon from its work: it is kept aside, as when a
 * write finds it, and a new one opens late. */
static int restore(struct daemon *d, struct error *reterr)
{
	int r = store_writer_opened(d->writer, reterr);

	if (r == 0)
		r = restore_history(d, reterr);
	if (r == -EUCLEAN) {
		store_writer_replace(d->writer, reterr->text);
		return -EINPROGRESS;
	}
	if (r == 0)
		set_open(d);
	d->record.is_judging = r == 0; /* nothing is held yet */
	return r;
}

/* On the thread that found it. */
static void tell_bad_row(void *data, const char *line)
{
	(void)data;
	log_error("history: %s; `repoprobe database check` names all such rows", line);
}

int record_open(struct daemon *d, struct error *reterr)
{
	d->bad_rows = store_bad_rows_new(tell_bad_row, NULL);
	if (!d->bad_rows)
		return error_set(reterr, -ENOMEM, "no memory");
	int r = store_writer_open(d->database_path, STORE_QUEUE_MAX, &d->writer, reterr);
	if (r < 0)
		return r;
	store_writer_report(d->writer, d->bad_rows);
	tell_notice(d);
	r = restore(d, reterr);
	if (r != -EINPROGRESS)
		return r;
	if (restore_limits(d, NULL) == 0)
		log_warning("the history is not open yet%s%s; probing begins, and results wait in "
			    "memory",
			reterr->text[0] != '\0' ? ": " : "", reterr->text);
	else
		log_warning("the history is not open yet%s%s; probing waits for it: it alone knows "
			    "what may be written where",
			reterr->text[0] != '\0' ? ": " : "", reterr->text);
	return 0;
}

static void release_held(struct daemon *d)
{
	struct record_run *held = d->record.first;

	d->record.first = NULL;
	d->record.last = NULL;
	d->record.held = 0;
	while (held) {
		struct record_run *next = held->next;
		pipeline_keep(d, held->run);
		free(held);
		held = next;
	}
}

/* --- Opened late: read on a reader thread --------------------------------- */

struct past_of_all {
	struct question question;
	int64_t now_usec;
	uint64_t notices; /* when it was asked for */
	struct restored restored;
};

static int read_history(struct store_reader *reader, struct question *q, struct error *reterr)
{
	struct past_of_all *past = (struct past_of_all *)q;

	return restore_read(reader, past->now_usec, &past->restored, reterr);
}

static void free_history(struct question *q)
{
	struct past_of_all *past = (struct past_of_all *)q;

	restore_done(&past->restored);
	free(past);
}

static void begin_record(struct daemon *d)
{
	set_open(d);
	log_notice("the history is open; %zu %s waited for it", d->record.held,
		d->record.held == 1 ? "result" : "results");
	if (d->http)
		http_server_set_ready(d->http, true, "ready");
	normal_query_ask(d);
	record_release(d);
	daemon_dispatch(d);
	daemon_changed(d);
}

static void look_again(struct daemon *d, const char *why)
{
	if (d->record.failures++ == 0)
		log_warning("the history cannot be read yet (%s); results wait in memory, and it "
			    "is tried again",
			why);
	question_look_later(d, question_pause_nsec(d->record.failures));
}

static void take_history(struct daemon *d, struct question *q)
{
	struct past_of_all *past = (struct past_of_all *)q;

	d->record.is_asked = false;
	tell_notice(d);
	if (q->error == -EUCLEAN && past->notices != d->record.notices) {
		record_follow(d); /* the writer found it as well and has another by now */
	} else if (q->error == -EUCLEAN) {
		store_writer_replace(d->writer, q->sentence.text);
	} else if (q->error < 0) {
		look_again(d, q->sentence.text);
	} else if (restore_take(d, &past->restored) < 0) {
		log_error("the history cannot be taken over: no memory");
		(void)sd_event_exit(d->event, -ENOMEM);
	} else {
		begin_record(d);
	}
}

static int ask_for_history(struct daemon *d)
{
	struct past_of_all *past = calloc(1, sizeof(*past));

	if (!past)
		return -ENOMEM;
	*past = (struct past_of_all){
		.question = { .read = read_history, .take = take_history, .free = free_history },
		.now_usec = clock_realtime_usec(&d->clock),
		.notices = d->record.notices,
		.restored = { .has_limits = !d->record.is_safe },
	};
	int r = question_ask(d, &past->question);
	if (r < 0)
		free_history(&past->question);
	return r;
}

void record_follow(struct daemon *d)
{
	struct error error = { "" };

	tell_notice(d);
	record_tell_trouble(d);
	if (d->record.is_open || d->record.is_asked)
		return;
	int r = store_writer_opened(d->writer, &error);
	if (r == -EINPROGRESS)
		return;
	if (r < 0) {
		log_error("%s", error.text);
		(void)sd_event_exit(d->event, r);
		return;
	}
	r = ask_for_history(d);
	d->record.is_asked = r == 0;
	if (r < 0)
		look_again(d, errno_text(-r));
}

void record_done(struct daemon *d)
{
	if (d->record.is_open)
		release_held(d); /* judged without what is normal, but kept */
	if (d->record.held > 0)
		log_error("%zu results are lost: the history was not open before the stop",
			d->record.held);
	while (d->record.first) {
		struct record_run *held = d->record.first;
		d->record.first = held->next;
		free(held->run);
		free(held);
	}
	d->record.held = 0;
}

static void give_up_oldest(struct daemon *d)
{
	struct record_run *oldest = d->record.first;

	log_error("the history is not open and too much waits for it: the oldest result is lost");
	d->record.first = oldest->next;
	if (!d->record.first)
		d->record.last = NULL;
	d->record.held--;
	d->record.lost++;
	free(oldest->run);
	free(oldest);
}

void record_release(struct daemon *d)
{
	if (!d->record.is_open || d->record.is_judging || !normal_query_is_done(d))
		return;
	d->record.is_judging = true;
	release_held(d);
}

bool record_hold(struct daemon *d, struct run *run)
{
	if (d->record.is_judging)
		return false;
	struct record_run *held = malloc(sizeof(*held));
	if (!held) {
		log_error("a run's result could not be kept: no memory");
		d->record.lost++;
		free(run);
		return true;
	}
	if (d->record.held == RECORD_HELD_MAX)
		give_up_oldest(d);
	*held = (struct record_run){ .run = run };
	if (d->record.last)
		d->record.last->next = held;
	else
		d->record.first = held;
	d->record.last = held;
	d->record.held++;
	return true;
}

/* --- The place ---------------------------------------------------------- */

static int identify(const char *directory, struct identity *ret)
{
	struct buf mounts = BUF_INIT(MOUNTINFO_MAX);
	struct statx st;

	int r = statx(AT_FDCWD, directory, 0, STATX_MNT_ID, &st) < 0 ? -errno : 0;
	if (r == 0)
		r = fd_read_file("/proc/self/mountinfo", &mounts);
	if (r == 0)
		r = identity_from_mountinfo(buf_text(&mounts), st.stx_mnt_id, ret);
	if (r == 0) {
		ret->device.major = st.stx_dev_major;
		ret->device.minor = st.stx_dev_minor;
		ret->has_device = st.stx_dev_major != 0;
	}
	buf_done(&mounts);
	return r;
}

void record_look_at_place(struct daemon *d)
{
	struct identity *place = &d->record.place;

	if (identify(d->core.config->state_directory, place) < 0)
		return; /* a kernel that does not tell: doctor may know more */
	if (examination_kind_of(place->fs_type, place->has_device) == EXAMINATION_KIND_NETWORK)
		log_warning(
			"the history in %s is on a network file system (%s), which is unsuitable "
			"for SQLite's locks and shared memory; move state_directory to a local "
			"disk",
			d->core.config->state_directory, place->fs_type);
}

/* Subvolumes of btrfs have numbers of their own, but one source. */
static bool is_same_file_system(const struct identity *a, const struct identity *b)
{
	if (a->fs_type[0] == '\0' || strcmp(a->fs_type, b->fs_type) != 0)
		return false;
	if (a->has_device && b->has_device)
		return a->device.major == b->device.major && a->device.minor == b->device.minor;
	return strcmp(a->source, b->source) == 0 &&
		(a->source[0] == '/' || strcmp(a->mount_point, b->mount_point) == 0);
}

void record_compare_place(const struct daemon *d, struct present_repository *repository)
{
	if (!repository || !repository->place.has_identity || repository->place.has_told_place)
		return;
	repository->place.has_told_place = true;
	if (is_same_file_system(&d->record.place, &repository->place.identity))
		log_warning("%s: the history in %s is on the file system that is probed: when it "
			    "hangs or fills up, so does the history; move state_directory "
			    "elsewhere",
			repository->config->name, d->core.config->state_directory);
}
