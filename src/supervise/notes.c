/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the notes file and /proc. A process is our worker if pid, start time and program match. */
#include "supervise/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "supervise/supervise.h"

#define WORKER_COMM "repoprobe-worke" /* the kernel truncates the name */
#define STAT_BYTES_MAX 4096

int notes_boot_id(char ret[WORKER_NOTE_BOOT_ID_LEN + 1])
{
	struct buf text = BUF_INIT(64);
	int r = fd_read_file("/proc/sys/kernel/random/boot_id", &text);

	if (r == 0 && text.len < WORKER_NOTE_BOOT_ID_LEN)
		r = -EBADMSG;
	if (r == 0) {
		memcpy(ret, text.data, WORKER_NOTE_BOOT_ID_LEN);
		ret[WORKER_NOTE_BOOT_ID_LEN] = '\0';
	}
	buf_done(&text);
	return r;
}

static int read_stat(uint64_t pid, char ret_comm[WORKER_NOTE_COMM_SIZE], uint64_t *ret_ticks)
{
	struct buf path = BUF_INIT(64);
	struct buf text = BUF_INIT(STAT_BYTES_MAX);

	buf_printf(&path, "/proc/%llu/stat", (unsigned long long)pid);
	int r = fd_read_file(buf_text(&path), &text);
	if (r == 0)
		r = worker_note_read_stat(buf_text(&text), ret_comm, ret_ticks);
	buf_done(&text);
	buf_done(&path);
	return r == 0 ? 0 : -ESRCH;
}

/* The program is not checked: a child that was just spawned may not have its name yet. */
int notes_start_ticks(uint64_t pid, uint64_t *ret)
{
	char comm[WORKER_NOTE_COMM_SIZE];

	return read_stat(pid, comm, ret);
}

int notes_adopt(const struct worker_note *note, struct supervise_worker *ret)
{
	struct supervise_worker worker = SUPERVISE_WORKER_INIT;
	char comm[WORKER_NOTE_COMM_SIZE];
	uint64_t ticks;
	int status;

	worker.pidfd = (int)syscall(SYS_pidfd_open, (pid_t)note->pid, 0);
	if (worker.pidfd < 0)
		return -errno;
	/* Checked after the pidfd is open, which excludes a reused pid. */
	int r = read_stat(note->pid, comm, &ticks);
	if (r == 0 &&
		(ticks != note->start_ticks || strcmp(comm, WORKER_COMM) != 0 ||
			supervise_reap(&worker, &status) == 0))
		r = -ESRCH;
	if (r < 0) {
		supervise_close(&worker);
		return r;
	}
	worker.pid = (pid_t)note->pid;
	*ret = worker;
	return 0;
}

static bool is_alive(const struct worker_note *note)
{
	struct supervise_worker worker;

	if (notes_adopt(note, &worker) < 0)
		return false;
	supervise_close(&worker);
	return true;
}

static size_t keep_living(struct worker_note *notes, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (is_alive(&notes[i]))
			notes[kept++] = notes[i];
	return kept;
}

static int read_text(const char *path, struct buf *text, struct error *reterr)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return error_set(reterr, -errno, "%s: %s", path, errno_text(errno));
	if (S_ISLNK(st.st_mode))
		return error_set(
			reterr, -EBADMSG, "%s: it is a symbolic link, not a regular file", path);
	int r = fd_read_file_or_say(path, text, reterr);
	if (r < 0)
		return error_prefix(reterr, r, "%s", path);
	if (text->len != strlen(buf_text(text)))
		return error_set(reterr, -EBADMSG, "%s has a zero byte", path);
	return 0;
}

int notes_read(const char *path, struct worker_note **ret, size_t *ret_count, struct error *reterr)
{
	struct buf text = BUF_INIT(WORKER_NOTES_BYTES_MAX);
	char boot_id[WORKER_NOTE_BOOT_ID_LEN + 1];
	struct worker_note *notes = NULL;
	struct error error = { "" };
	size_t count = 0;
	int r = read_text(path, &text, &error);

	if (r == 0 && text.len > 0) {
		r = notes_boot_id(boot_id);
		if (r < 0)
			(void)error_set(&error, r, "no boot id: %s", errno_text(-r));
		else
			r = worker_notes_parse(buf_text(&text), boot_id, &notes, &count, &error);
	}
	buf_done(&text);
	if (r == -ENOENT)
		r = 0;
	if (r < 0)
		return error_set(reterr, r, "%s", error.text);
	*ret_count = keep_living(notes, count);
	*ret = notes;
	return 0;
}
