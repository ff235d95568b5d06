/* SPDX-License-Identifier: Apache-2.0 */
/* "worker PID START RUN STARTED-NSEC STARTED-USEC STUCK-USEC COUNT REPOSITORY/PROBE": names have no
 * slash and no control character, so the rest of a line is unambiguous. */
#include "model/worker_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/field.h"

#define HEADER "repoprobe workers 1"
#define PID_MAX (UINT64_C(1) << 22) /* the kernel's limit */
#define TIME_MAX_USEC (UINT64_C(1) << 53) /* the year 2255 */
#define NUMBERS 7
#define STAT_START_FIELD 22
#define STAT_FIELD_AFTER_COMM 3

void worker_notes_begin(struct buf *b, const char *boot_id)
{
	buf_printf(b, "%s\nboot %s\n", HEADER, boot_id);
}

void worker_note_add(struct buf *b, const struct worker_note *note)
{
	buf_printf(b, "worker %llu %llu %lld %llu %lld %lld %u %s/%s\n",
		(unsigned long long)note->pid, (unsigned long long)note->start_ticks,
		(long long)note->run_id, (unsigned long long)note->started_nsec,
		(long long)note->started_usec, (long long)note->stuck_since_usec, note->stuck_count,
		note->repository, note->probe);
}

static int read_name(const char *text, size_t len, char ret[RUN_NAME_MAX + 1])
{
	if (len > RUN_NAME_MAX)
		return -EBADMSG;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return parse_name(ret, NULL) < 0 ? -EBADMSG : 0;
}

static int read_names(struct field rest, struct worker_note *ret)
{
	const char *slash = rest.text ? memchr(rest.text, '/', rest.len) : NULL;

	if (!slash)
		return -EBADMSG;
	size_t len = (size_t)(slash - rest.text);
	int r = read_name(rest.text, len, ret->repository);
	return r < 0 ? r : read_name(slash + 1, rest.len - len - 1, ret->probe);
}

static int read_note(struct field line, struct worker_note *ret)
{
	static const uint64_t limits[NUMBERS] = { PID_MAX, UINT64_MAX, INT64_MAX, UINT64_MAX,
		TIME_MAX_USEC, TIME_MAX_USEC, UINT32_MAX };
	uint64_t numbers[NUMBERS];
	struct field column;

	if (!field_skip(&line, "worker "))
		return -EBADMSG;
	for (size_t i = 0; i < NUMBERS; i++)
		if (!field_next_column(&line, &column) ||
			field_read_uint(column, &numbers[i]) < 0 || numbers[i] > limits[i])
			return -EBADMSG;
	if (numbers[0] < 2)
		return -EBADMSG; /* none of our workers is process 1 */
	*ret = (struct worker_note){
		.pid = numbers[0],
		.start_ticks = numbers[1],
		.run_id = (int64_t)numbers[2],
		.started_nsec = numbers[3],
		.started_usec = (int64_t)numbers[4],
		.stuck_since_usec = (int64_t)numbers[5],
		.stuck_count = (unsigned)numbers[6],
	};
	return read_names(line, ret);
}

/* A repository has one worker, and a worker one repository. */
static bool is_doubled(const struct worker_note *notes, size_t count)
{
	const struct worker_note *last = &notes[count];

	for (size_t i = 0; i < count; i++)
		if (notes[i].pid == last->pid || strcmp(notes[i].repository, last->repository) == 0)
			return true;
	return false;
}

static int read_lines(const char *text, struct worker_note *notes, size_t *ret_count)
{
	struct field line;
	size_t count = 0;

	while (field_next_line(&text, &line)) {
		if (count == WORKER_NOTES_MAX || read_note(line, &notes[count]) < 0 ||
			is_doubled(notes, count))
			return -EBADMSG;
		count++;
	}
	*ret_count = count;
	return 0;
}

static bool is_uuid(struct field field)
{
	static const char hex[] = "0123456789abcdef";

	if (field.len != WORKER_NOTE_BOOT_ID_LEN)
		return false;
	for (size_t i = 0; i < field.len; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (is_dash ? field.text[i] != '-'
			    : field.text[i] == '\0' || !strchr(hex, field.text[i]))
			return false;
	}
	return true;
}

int worker_notes_parse(const char *text, const char *boot_id, struct worker_note **ret,
	size_t *ret_count, struct error *reterr)
{
	struct field line;
	size_t count = 0;

	if (!field_next_line(&text, &line) || !field_is(line, HEADER) ||
		!field_next_line(&text, &line) || !field_skip(&line, "boot ") || !is_uuid(line))
		return error_set(
			reterr, -EBADMSG, "it does not begin with \"%s\" and a boot id", HEADER);
	bool is_of_this_boot = field_is(line, boot_id);
	struct worker_note *notes = calloc(WORKER_NOTES_MAX, sizeof(*notes));
	if (!notes)
		return error_set(reterr, -ENOMEM, "%s", errno_text(ENOMEM));
	int r = read_lines(text, notes, &count);
	if (r < 0)
		(void)error_set(reterr, r, "not every line is one of a worker"); /* returned */
	if (r < 0 || !is_of_this_boot || count == 0) {
		free(notes);
		notes = NULL;
		count = 0;
	}
	if (r < 0)
		return r;
	*ret = notes;
	*ret_count = count;
	return 0;
}

/* "PID (COMM) STATE PPID …": the name may contain parentheses and blanks, so it ends at the last
 * parenthesis. */
int worker_note_read_stat(
	const char *text, char ret_comm[WORKER_NOTE_COMM_SIZE], uint64_t *ret_start_ticks)
{
	const char *begin = strchr(text, '(');
	const char *end = strrchr(text, ')');
	struct field word;
	uint64_t ticks;

	if (!begin || !end || end < begin || (size_t)(end - begin) > WORKER_NOTE_COMM_SIZE)
		return -EBADMSG;
	struct field rest = { .text = end + 1, .len = strlen(end + 1) };
	for (unsigned i = STAT_FIELD_AFTER_COMM; i <= STAT_START_FIELD; i++)
		if (!field_next_word(&rest, &word))
			return -EBADMSG;
	if (field_read_uint(word, &ticks) < 0)
		return -EBADMSG;
	size_t len = (size_t)(end - begin) - 1;
	memcpy(ret_comm, begin + 1, len);
	ret_comm[len] = '\0';
	*ret_start_ticks = ticks;
	return 0;
}
