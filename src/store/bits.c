/* SPDX-License-Identifier: Apache-2.0 */
/* Bits into bytes and back. */
#include "store/bits.h"

#include <assert.h>

#include "base/buf.h"

#define PUT_MAX 56 /* with up to 7 bits still held */
#define NUMBER_BITS 7 /* width of a number's length */
#define RICE_ONES 20 /* this many ones announce the escape form */
#define RICE_BITS 6 /* width of its length */

void bits_put(struct bits_writer *w, uint64_t value, unsigned width)
{
	assert(width <= PUT_MAX);
	w->held = w->held << width | (value & ((UINT64_C(1) << width) - 1));
	w->count += width;
	while (w->count >= 8) {
		w->count -= 8;
		buf_add_u8(w->buf, (uint8_t)(w->held >> w->count));
	}
}

static unsigned length_of(unsigned __int128 value)
{
	uint64_t high = (uint64_t)(value >> 64);
	uint64_t low = (uint64_t)value;

	if (high > 0)
		return 128U - (unsigned)__builtin_clzll(high);
	return low > 0 ? 64U - (unsigned)__builtin_clzll(low) : 0;
}

/* Writes the `width` low bits of a value, for any width. */
static void put_long(struct bits_writer *w, unsigned __int128 value, unsigned width)
{
	while (width > 32) {
		width -= 32;
		bits_put(w, (uint64_t)(value >> width), 32);
	}
	bits_put(w, (uint64_t)value, width);
}

void bits_put_number(struct bits_writer *w, unsigned __int128 value)
{
	unsigned length = length_of(value);

	assert(length < 1U << NUMBER_BITS);
	bits_put(w, length, NUMBER_BITS);
	if (length > 1)
		put_long(w, value, length - 1);
}

void bits_put_rice(struct bits_writer *w, uint64_t value, unsigned shift)
{
	uint64_t ones = value >> shift;

	if (ones < RICE_ONES) {
		bits_put(w, (UINT64_C(2) << ones) - 2, (unsigned)ones + 1);
		bits_put(w, value, shift);
		return;
	}
	unsigned length = length_of(value);
	bits_put(w, (UINT64_C(1) << RICE_ONES) - 1, RICE_ONES);
	bits_put(w, length, RICE_BITS);
	bits_put(w, value, length);
}

void bits_end(struct bits_writer *w)
{
	bits_put(w, 0, (8 - w->count) % 8);
}

static void fill(struct bits_reader *r)
{
	while (r->count <= PUT_MAX && r->next < r->len) {
		r->held |= (uint64_t)r->data[r->next++] << (PUT_MAX - r->count);
		r->count += 8;
	}
}

static void drop(struct bits_reader *r, unsigned width)
{
	if (width > r->count) {
		r->is_short = true;
		r->held = 0;
		r->count = 0;
		return;
	}
	r->held <<= width;
	r->count -= width;
}

uint64_t bits_get(struct bits_reader *r, unsigned width)
{
	assert(width <= PUT_MAX);
	if (width == 0)
		return 0;
	fill(r);
	uint64_t value = r->held >> (64 - width);
	drop(r, width);
	return r->is_short ? 0 : value;
}

static unsigned __int128 get_long(struct bits_reader *r, unsigned width)
{
	unsigned __int128 value = 0;

	while (width > 32) {
		width -= 32;
		value = value << 32 | bits_get(r, 32);
	}
	return value << width | bits_get(r, width);
}

unsigned __int128 bits_get_number(struct bits_reader *r)
{
	unsigned length = (unsigned)bits_get(r, NUMBER_BITS);

	if (length == 0)
		return 0;
	return (unsigned __int128)1 << (length - 1) | get_long(r, length - 1);
}

uint64_t bits_get_rice(struct bits_reader *r, unsigned shift)
{
	fill(r);
	unsigned ones = ~r->held != 0 ? (unsigned)__builtin_clzll(~r->held) : 64;
	if (ones < RICE_ONES) {
		drop(r, ones + 1);
		return (uint64_t)ones << shift | bits_get(r, shift);
	}
	drop(r, RICE_ONES);
	unsigned length = (unsigned)bits_get(r, RICE_BITS);
	if (length > PUT_MAX)
		r->is_short = true;
	return length > PUT_MAX ? 0 : bits_get(r, length);
}

bool bits_is_at_end(struct bits_reader *r)
{
	return !r->is_short && r->next == r->len && r->count < 8 && r->held == 0;
}
