/* SPDX-License-Identifier: Apache-2.0 */
/* Sample messages, and how tests encode, decode and break them. */
#ifndef REPOPROBE_TESTS_UNIT_WIRE_FIXTURE_H
#define REPOPROBE_TESTS_UNIT_WIRE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "test.h"
#include "wire/wire.h"

#define FIXTURE_HEADER_BYTES 8
#define FIXTURE_SECTION_BYTES 6 /* of its header: tag and length */

/* Valid ones, to be freed. */
struct job *fixture_job(void);
struct run *fixture_result(void);

struct buf fixture_encoded_job(const struct job *job);
struct buf fixture_encoded_result(const struct run *run);

/* Of the first len bytes; asserts that an error, and nothing else, comes with a sentence. */
int fixture_decode_job(const struct buf *b, size_t len, struct job *job);
int fixture_decode_result(const struct buf *b, size_t len, struct run *run);

/* Of the section whose header begins there. */
uint32_t fixture_section_length(const struct buf *b, size_t section);
/* Where the content of the section with this tag begins. */
size_t fixture_find_section(const struct buf *b, uint8_t tag);

/* Breaks one field of a good value. */
struct fixture_spoiler {
	size_t offset;
	size_t size;
	uint64_t value;
};

#define FIXTURE_SPOIL(type, field, value)                                                          \
	{                                                                                          \
		offsetof(type, field), sizeof(((type *)NULL)->field), (value)                      \
	}

void fixture_spoil(void *good, const struct fixture_spoiler *spoiler);

#endif
