/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a message: a header, then sections of a 16-bit tag, a 32-bit length and content.
 * Only for src/wire. */
#ifndef REPOPROBE_WIRE_SECTION_H
#define REPOPROBE_WIRE_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/wire.h"

/* The decoder of one tag. `read` consumes exactly the section's content from the reader (the caller
 * detects missing or excess bytes) and returns 0 or -EBADMSG. */
struct section_kind {
	uint16_t tag;
	const char *name; /* for error messages */
	bool is_required;
	int (*read)(struct buf_reader *r, void *into, struct error *reterr);
};

#define SECTION_KINDS_MAX 32

/* Starts a message; starts a section and returns its position for section_end. */
void section_add_header(struct buf *b, enum wire_type type);
size_t section_begin(struct buf *b, uint16_t tag);
void section_end(struct buf *b, size_t begin);

/* Decodes all sections of a message into `into`. Unknown tags are skipped; a duplicate known tag, a
 * missing required one and a message of another type are -EBADMSG. */
int section_decode(const uint8_t *data, size_t len, enum wire_type type,
	const struct section_kind *kinds, size_t count, void *into, struct error *reterr);

/* Text of a known maximum length, preceded by its length. Reading refuses NUL bytes and over-long
 * text; the bytes need not be UTF-8 (paths). On failure the reader's error is set. */
void section_add_text(struct buf *b, const char *text);
void section_read_text(struct buf_reader *r, char *dst, size_t size);

/* A number below `count` (an enum, or a flag of 0 or 1); else the reader's error is set and 0 is
 * returned. */
unsigned section_read_below(struct buf_reader *r, unsigned count);
bool section_read_boolean(struct buf_reader *r);

/* A 64-bit number with its bound. Beyond it the reader's error is set; if is_cut, the number is
 * capped instead, because it comes from a file system, which may report anything. */
struct section_number {
	size_t offset; /* in the struct being read */
	uint64_t max;
	bool is_cut;
};
void section_add_numbers(
	struct buf *b, const void *from, const struct section_number *numbers, size_t count);
void section_read_numbers(
	struct buf_reader *r, void *into, const struct section_number *numbers, size_t count);

/* The workload has the same encoding in a job and in a result. */
void section_add_workload(struct buf *b, const struct workload *w);
void section_read_workload(struct buf_reader *r, struct workload *w);

/* section_device.c: a device; reads into a zeroed one. */
void section_add_device(struct buf *b, const struct device_info *d);
void section_read_device(struct buf_reader *r, struct device_info *d);
/* Likewise a repository's identity, in a result and in an examination (wire_result.c). */
void section_add_identity(struct buf *b, const struct identity *identity);
int section_read_identity(struct buf_reader *r, struct identity *identity, struct error *reterr);

#endif
