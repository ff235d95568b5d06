/* SPDX-License-Identifier: Apache-2.0 */
/* The file of notes about workers, and /proc/PID/stat, on any text: what is taken can be written
 * and reads the same again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/worker_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char boot_id[] = "0123abcd-0123-4567-89ab-0123456789ab";

static void check(const struct worker_note *notes, size_t count)
{
	struct buf b = BUF_INIT(WORKER_NOTES_BYTES_MAX);
	struct worker_note *again = NULL;
	size_t again_count = 0;

	worker_notes_begin(&b, boot_id);
	for (size_t i = 0; i < count; i++)
		worker_note_add(&b, &notes[i]);
	if (b.error < 0 ||
		worker_notes_parse(buf_text(&b), boot_id, &again, &again_count, NULL) < 0 ||
		again_count != count)
		abort();
	for (size_t i = 0; i < count; i++)
		if (again[i].pid != notes[i].pid ||
			strcmp(again[i].repository, notes[i].repository) != 0 ||
			strcmp(again[i].probe, notes[i].probe) != 0)
			abort();
	free(again);
	buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct worker_note *notes = NULL;
	struct error error = { "" };
	char comm[WORKER_NOTE_COMM_SIZE];
	uint64_t ticks;
	size_t count = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (worker_notes_parse(text, boot_id, &notes, &count, &error) == 0)
		check(notes, count);
	else if (error.text[0] == '\0')
		abort();
	free(notes);
	if (worker_note_read_stat(text, comm, &ticks) == 0 && strlen(comm) >= sizeof(comm))
		abort();
	free(text);
	return 0;
}
