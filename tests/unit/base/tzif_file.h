/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TZif files for tests: version 2 with an empty first block, like tzdata's slim format. */
#ifndef REPOPROBE_TESTS_UNIT_BASE_TZIF_FILE_H
#define REPOPROBE_TESTS_UNIT_BASE_TZIF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct tzif_entry {
	int64_t at_sec;
	uint8_t type;
};

struct tzif_file {
	uint32_t leaps;
	size_t entry_count;
	const struct tzif_entry *entries;
	size_t type_count;
	const int32_t *offsets;
	const char *rule;
};

static inline void tzif_add_big(struct buf *b, uint64_t v, int len)
{
	while (len-- > 0)
		buf_add_u8(b, (uint8_t)(v >> (8 * len)));
}

static inline void tzif_add_header(struct buf *b, char version, const uint32_t counts[6])
{
	static const char reserved[15];

	buf_add_text(b, "TZif");
	buf_add_char(b, version);
	buf_add(b, reserved, sizeof(reserved));
	for (int i = 0; i < 6; i++)
		tzif_add_big(b, counts[i], 4);
}

static inline void tzif_add_block(struct buf *b, const struct tzif_file *f, int time_bytes)
{
	for (size_t i = 0; i < f->entry_count; i++)
		tzif_add_big(b, (uint64_t)f->entries[i].at_sec, time_bytes);
	for (size_t i = 0; i < f->entry_count; i++)
		buf_add_u8(b, f->entries[i].type);
	for (size_t i = 0; i < f->type_count; i++) {
		tzif_add_big(b, (uint32_t)f->offsets[i], 4);
		tzif_add_big(b, 0, 2); /* no summer time, the name at 0 */
	}
	buf_add(b, "ABC", 4);
	for (uint32_t i = 0; i < f->leaps; i++) {
		tzif_add_big(b, i, time_bytes);
		tzif_add_big(b, i, 4);
	}
}

static inline void tzif_write(struct buf *b, const struct tzif_file *f)
{
	const uint32_t counts[6] = { 0, 0, f->leaps, (uint32_t)f->entry_count,
		(uint32_t)f->type_count, 4 };
	static const uint32_t slim[6] = { 0, 0, 0, 0, 1, 1 };

	tzif_add_header(b, '2', slim);
	buf_add(b, "\0\0\0\0\0\0", 7);
	tzif_add_header(b, '2', counts);
	tzif_add_block(b, f, 8);
	buf_printf(b, "\n%s\n", f->rule);
}

/* The same as version 1: 32 bits and no rule. */
static inline void tzif_write_old(struct buf *b, const struct tzif_file *f)
{
	const uint32_t counts[6] = { 0, 0, f->leaps, (uint32_t)f->entry_count,
		(uint32_t)f->type_count, 4 };

	tzif_add_header(b, '\0', counts);
	tzif_add_block(b, f, 4);
}

#endif
