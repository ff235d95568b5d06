/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as bits, the most significant first. Private to the store. */
#ifndef REPOPROBE_STORE_BITS_H
#define REPOPROBE_STORE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct bits_writer {
	struct buf *buf;
	uint64_t held; /* the low `count` bits are still to be written */
	unsigned count; /* below 8 between calls */
};

/* The low `width` bits (0 to 56) of a value. */
void bits_put(struct bits_writer *w, uint64_t value, unsigned width);
/* Any value: its length in 7 bits, then the bits after its leading one. */
void bits_put_number(struct bits_writer *w, unsigned __int128 value);
/* Golomb's code for small values (a Rice code: value >> shift in ones and a zero, then `shift`
 * bits), with an escape form for large ones. shift is at most 40, the value below 2^56. */
void bits_put_rice(struct bits_writer *w, uint64_t value, unsigned shift);
void bits_end(struct bits_writer *w); /* fills the last byte with zeros */

/* Past the end all reads return 0 and set is_short: read freely, check once. */
struct bits_reader {
	const uint8_t *data;
	size_t len;
	size_t next; /* byte */
	uint64_t held; /* `count` bits, from the top; zeros below */
	unsigned count;
	bool is_short;
};

uint64_t bits_get(struct bits_reader *r, unsigned width);
unsigned __int128 bits_get_number(struct bits_reader *r);
uint64_t bits_get_rice(struct bits_reader *r, unsigned shift);
/* True when everything is read but the zeros that pad the last byte. */
bool bits_is_at_end(struct bits_reader *r);

#endif
