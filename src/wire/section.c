/* SPDX-License-Identifier: Apache-2.0 */
/* Header and sections of a message, and the values that several messages hold. */
#include "wire/section.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

static const uint8_t magic[4] = { 'R', 'P', 'W', 'M' };

#define LENGTH_BYTES 4

void section_add_header(struct buf *b, enum wire_type type)
{
	buf_add(b, magic, sizeof(magic));
	buf_add_u16(b, WIRE_VERSION);
	buf_add_u16(b, (uint16_t)type);
}

static int read_header(struct buf_reader *reader, enum wire_type *ret, struct error *reterr)
{
	const uint8_t *start = buf_read_bytes(reader, sizeof(magic));
	uint16_t version = buf_read_u16(reader);
	uint16_t type = buf_read_u16(reader);

	if (reader->error < 0 || memcmp(start, magic, sizeof(magic)) != 0)
		return error_set(reterr, -EBADMSG, "not a message of repoprobe's");
	if (version != WIRE_VERSION)
		return error_set(reterr, -EPROTO,
			"message of version %u, not %d: worker and daemon are not from one installation",
			(unsigned)version, WIRE_VERSION);
	if (type < WIRE_JOB || type > WIRE_EXAMINATION)
		return error_set(reterr, -EBADMSG, "message of unknown type %u", (unsigned)type);
	*ret = (enum wire_type)type;
	return 0;
}

int wire_peek(const uint8_t *data, size_t len, enum wire_type *ret, struct error *reterr)
{
	struct buf_reader reader = BUF_READER(data, len);

	return read_header(&reader, ret, reterr);
}

size_t section_begin(struct buf *b, uint16_t tag)
{
	buf_add_u16(b, tag);
	buf_add_u32(b, 0); /* the length, filled in by section_end */
	return b->len;
}

void section_end(struct buf *b, size_t begin)
{
	if (b->error < 0)
		return;
	uint32_t len = (uint32_t)(b->len - begin);
	for (size_t i = 0; i < LENGTH_BYTES; i++)
		b->data[begin - LENGTH_BYTES + i] = (char)(uint8_t)(len >> (8 * i));
}

static int decode_section(struct buf_reader *content, const struct section_kind *kind, void *into,
	struct error *reterr)
{
	int r = kind->read(content, into, reterr);

	if (r < 0)
		return r;
	if (content->error < 0)
		return error_set(
			reterr, -EBADMSG, "section %s: cut short or out of range", kind->name);
	if (content->pos != content->len)
		return error_set(reterr, -EBADMSG, "section %s is too long", kind->name);
	return 0;
}

static int decode_next(struct buf_reader *reader, const struct section_kind *kinds, size_t count,
	uint32_t *seen, void *into, struct error *reterr)
{
	uint16_t tag = buf_read_u16(reader);
	uint32_t len = buf_read_u32(reader);
	const uint8_t *content = buf_read_bytes(reader, len);

	if (reader->error < 0)
		return error_set(reterr, -EBADMSG, "message is cut short");
	for (size_t i = 0; i < count; i++) {
		if (kinds[i].tag != tag)
			continue;
		if (*seen & (UINT32_C(1) << i))
			return error_set(reterr, -EBADMSG, "section %s comes twice", kinds[i].name);
		*seen |= UINT32_C(1) << i;
		struct buf_reader section = BUF_READER(content, len);
		return decode_section(&section, &kinds[i], into, reterr);
	}
	return 0;
}

int section_decode(const uint8_t *data, size_t len, enum wire_type type,
	const struct section_kind *kinds, size_t count, void *into, struct error *reterr)
{
	struct buf_reader reader = BUF_READER(data, len);
	enum wire_type found = type;
	uint32_t seen = 0;

	assert(count <= SECTION_KINDS_MAX);
	int r = read_header(&reader, &found, reterr);
	if (r < 0)
		return r;
	if (found != type)
		return error_set(reterr, -EBADMSG, "message of type %u where %u was due",
			(unsigned)found, (unsigned)type);
	while (reader.pos < reader.len) {
		r = decode_next(&reader, kinds, count, &seen, into, reterr);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < count; i++)
		if (kinds[i].is_required && !(seen & (UINT32_C(1) << i)))
			return error_set(reterr, -EBADMSG, "section %s is missing", kinds[i].name);
	return 0;
}

void section_add_text(struct buf *b, const char *text)
{
	size_t len = strlen(text);

	assert(len <= UINT16_MAX);
	buf_add_u16(b, (uint16_t)len);
	buf_add(b, text, len);
}

void section_read_text(struct buf_reader *r, char *dst, size_t size)
{
	uint16_t len = buf_read_u16(r);
	const uint8_t *text = buf_read_bytes(r, len);

	if (r->error < 0)
		return;
	if (len >= size || memchr(text, '\0', len)) {
		r->error = -EBADMSG;
		return;
	}
	memcpy(dst, text, len);
	dst[len] = '\0';
}

unsigned section_read_below(struct buf_reader *r, unsigned count)
{
	unsigned value = buf_read_u8(r);

	if (value < count)
		return value;
	r->error = -EBADMSG;
	return 0;
}

bool section_read_boolean(struct buf_reader *r)
{
	return section_read_below(r, 2) == 1;
}

void section_add_numbers(
	struct buf *b, const void *from, const struct section_number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		memcpy(&value, (const char *)from + numbers[i].offset, sizeof(value));
		buf_add_u64(b, value);
	}
}

void section_read_numbers(
	struct buf_reader *r, void *into, const struct section_number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = buf_read_u64(r);
		if (value > numbers[i].max) {
			value = numbers[i].max;
			if (!numbers[i].is_cut)
				r->error = -EBADMSG;
		}
		memcpy((char *)into + numbers[i].offset, &value, sizeof(value));
	}
}

/* Reads a 32-bit number from min to max. */
static uint32_t read_between(struct buf_reader *r, uint32_t min, uint32_t max)
{
	uint32_t value = buf_read_u32(r);

	if (value >= min && value <= max)
		return value;
	r->error = -EBADMSG;
	return min;
}

#define BLOCK_SIZE_MIN 512
#define THREADS_MAX 1024
#define PERCENTS 101 /* 0 to 100 */

void section_add_workload(struct buf *b, const struct workload *w)
{
	section_add_text(b, w->preset);
	buf_add_u32(b, w->block_size_bytes);
	buf_add_u8(b, w->write_percent);
	buf_add_u8(b, (uint8_t)w->pattern);
	buf_add_u32(b, w->align_bytes);
	buf_add_u8(b, w->random_percent);
	buf_add_u32(b, w->queue_depth);
	buf_add_u32(b, w->threads);
	buf_add_u8(b, (uint8_t)w->cache);
	buf_add_u64(b, w->file_size_bytes);
	buf_add_u64(b, w->duration_usec);
	buf_add_u64(b, w->warmup_ios);
	buf_add_u64(b, w->warmup_usec);
	buf_add_u64(b, w->max_bytes);
	buf_add_u64(b, w->max_ios);
	buf_add_u64(b, w->rate_bytes_per_sec);
	buf_add_u64(b, w->rate_ios_per_sec);
	buf_add_u64(b, w->think_time_usec);
	buf_add_u32(b, w->burst_ios);
	buf_add_u8(b, w->has_seed);
	buf_add_u64(b, w->seed);
	buf_add_u8(b, (uint8_t)w->content);
	buf_add_u8(b, w->compressible_percent);
	buf_add_u8(b, (uint8_t)w->engine);
	buf_add_u64(b, w->timeout_usec);
	buf_add_u8(b, w->is_fresh);
}

void section_read_workload(struct buf_reader *r, struct workload *w)
{
	section_read_text(r, w->preset, sizeof(w->preset));
	w->block_size_bytes = read_between(r, BLOCK_SIZE_MIN, WORKLOAD_BLOCK_SIZE_MAX);
	w->write_percent = (uint8_t)section_read_below(r, PERCENTS);
	w->pattern = (enum workload_pattern)section_read_below(r, WORKLOAD_MIXED + 1);
	w->align_bytes = read_between(r, 0, WORKLOAD_BLOCK_SIZE_MAX);
	w->random_percent = (uint8_t)section_read_below(r, PERCENTS);
	w->queue_depth = read_between(r, 1, WORKLOAD_QUEUE_DEPTH_MAX);
	w->threads = read_between(r, 1, THREADS_MAX);
	w->cache = (enum workload_cache)section_read_below(r, WORKLOAD_BUFFERED + 1);
	w->file_size_bytes = buf_read_u64(r);
	w->duration_usec = buf_read_u64(r);
	w->warmup_ios = buf_read_u64(r);
	w->warmup_usec = buf_read_u64(r);
	w->max_bytes = buf_read_u64(r);
	w->max_ios = buf_read_u64(r);
	w->rate_bytes_per_sec = buf_read_u64(r);
	w->rate_ios_per_sec = buf_read_u64(r);
	w->think_time_usec = buf_read_u64(r);
	w->burst_ios = buf_read_u32(r);
	w->has_seed = section_read_boolean(r);
	w->seed = buf_read_u64(r);
	w->content =
		(enum workload_content)section_read_below(r, WORKLOAD_CONTENT_COMPRESSIBLE + 1);
	w->compressible_percent = (uint8_t)section_read_below(r, PERCENTS);
	w->engine = (enum workload_engine)section_read_below(r, WORKLOAD_ENGINE_THREADS + 1);
	w->timeout_usec = buf_read_u64(r);
	w->is_fresh = section_read_boolean(r);
	/* A multiple of the sector: later divisors rely on it. */
	if (w->block_size_bytes % BLOCK_SIZE_MIN != 0 || w->align_bytes % BLOCK_SIZE_MIN != 0)
		r->error = -EBADMSG;
}
