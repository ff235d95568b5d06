/* SPDX-License-Identifier: Apache-2.0 */
/* The pause, and the way of the notes from one daemon to the next. */
#include "daemon/stuck.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/launch.h"
#include "daemon/saver.h"
#include "supervise/notes.h"

#define PAUSE_MIN_USEC (60 * USEC_PER_SEC)
#define PAUSE_MAX_USEC (3600 * USEC_PER_SEC)

uint64_t stuck_pause_usec(unsigned count)
{
	uint64_t usec = PAUSE_MIN_USEC;

	for (unsigned i = 1; i < count && usec < PAUSE_MAX_USEC; i++)
		usec *= 2;
	return usec < PAUSE_MAX_USEC ? usec : PAUSE_MAX_USEC;
}

void stuck_begin_pause(struct present_repository *repository, uint64_t now_nsec, int64_t now_usec)
{
	uint64_t usec = stuck_pause_usec(repository->place.stuck_count);

	if (repository->place.is_asked) {
		repository->place.is_asked = false;
		return;
	}
	repository->place.pause_nsec = now_nsec + usec * NSEC_PER_USEC;
	repository->place.pause_usec = now_usec + (int64_t)usec;
}

/* Each once in a row: the file matters only after a stop, and its disk may be ill for long. */
static void tell_trouble(struct daemon *d, int error)
{
	if (error < 0 && error != d->saver_error)
		log_warning("the workers at work cannot be noted for the next start: %s",
			errno_text(-error));
	d->saver_error = error;
}

void stuck_save(struct daemon *d)
{
	struct buf text = BUF_INIT(WORKER_NOTES_BYTES_MAX);

	if (!d->saver)
		return;
	if (d->launches) {
		worker_notes_begin(&text, d->boot_id);
		launch_note_all(d, &text);
	}
	int r = text.error < 0 ? text.error : saver_submit(d->saver, text.data, text.len);
	tell_trouble(d, r < 0 ? r : saver_error(d->saver));
	buf_done(&text);
}

static void adopt_all(struct daemon *d, const char *path)
{
	struct worker_note *notes = NULL;
	struct error error = { "" };
	size_t count = 0;

	if (notes_read(path, &notes, &count, &error) < 0)
		log_warning("the workers of an earlier daemon are not known: %s", error.text);
	for (size_t i = 0; i < count; i++)
		launch_adopt(d, &notes[i]);
	free(notes);
}

int stuck_open(struct daemon *d, struct error *reterr)
{
	struct buf path = BUF_INIT(DAEMON_PATH_MAX);
	int r = notes_boot_id(d->boot_id);

	buf_printf(&path, "%s/%s", d->core.config->state_directory, NOTES_FILE_NAME);
	if (r < 0)
		(void)error_set(reterr, r, "no boot id: %s", errno_text(-r)); /* r goes up */
	else if (path.error < 0)
		r = error_set(reterr, -ENAMETOOLONG, "state_directory %s is too long",
			d->core.config->state_directory);
	if (r == 0) {
		adopt_all(d, buf_text(&path));
		r = saver_start(buf_text(&path), &d->saver);
		if (r < 0)
			(void)error_set(reterr, r, "%s: %s", buf_text(&path), errno_text(-r));
		else
			stuck_save(d);
	}
	buf_done(&path);
	return r;
}

void stuck_close(struct daemon *d, uint64_t limit_nsec)
{
	stuck_save(d);
	if (!saver_stop(d->saver, limit_nsec))
		log_warning("the workers left behind could not be noted for the next start");
	d->saver = NULL;
}
