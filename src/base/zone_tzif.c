/* SPDX-License-Identifier: Apache-2.0 */
/* TZif files (RFC 9636): the 64-bit block of version 2 and later with its rule at the end, or the
 * 32-bit block of version 1. Names of offsets and their assignment are not kept. */
#include "base/zone_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define HEADER_BYTES 44
#define TYPE_BYTES 6
#define RULE_MAX 256

/* The counts of a header, in file order. */
enum tzif_count {
	TZIF_UTC_INDICATORS,
	TZIF_STANDARD_INDICATORS,
	TZIF_LEAPS,
	TZIF_TIMES,
	TZIF_TYPES,
	TZIF_CHARS,
};
#define TZIF_COUNTS 6

/* One data block: the positions of its parts. */
struct tzif_block {
	const uint8_t *data;
	size_t time_bytes; /* 4 or 8 */
	uint64_t counts[TZIF_COUNTS];
};

static int refuse(struct error *reterr, const char *what)
{
	(void)error_set(reterr, -EINVAL, "not a time zone file: %s", what);
	return -EINVAL;
}

static uint64_t read_big_endian(const uint8_t *data, size_t len)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		v = v << 8 | data[i];
	return v;
}

/* A two's complement integer of len bytes. */
static int64_t read_signed(const uint8_t *data, size_t len)
{
	uint64_t v = read_big_endian(data, len);

	return len == 4 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
}

static uint64_t block_bytes(const struct tzif_block *b)
{
	return b->counts[TZIF_TIMES] * (b->time_bytes + 1) + b->counts[TZIF_TYPES] * TYPE_BYTES +
		b->counts[TZIF_CHARS] + b->counts[TZIF_LEAPS] * (b->time_bytes + 4) +
		b->counts[TZIF_STANDARD_INDICATORS] + b->counts[TZIF_UTC_INDICATORS];
}

/* Reads the header at *at and advances past its block. */
static int read_block(const uint8_t *data, size_t len, size_t *at, size_t time_bytes,
	struct tzif_block *ret, struct error *reterr)
{
	struct tzif_block b = { .time_bytes = time_bytes };

	if (len - *at < HEADER_BYTES || memcmp(data + *at, "TZif", 4) != 0)
		return refuse(reterr, "there is no header");
	const uint8_t *header = data + *at;
	for (size_t i = 0; i < TZIF_COUNTS; i++)
		b.counts[i] = read_big_endian(header + 20 + 4 * i, 4); /* 32 bits: no overflow */
	*at += HEADER_BYTES;
	if (block_bytes(&b) > len - *at)
		return refuse(reterr, "it is cut short");
	b.data = data + *at;
	*at += (size_t)block_bytes(&b);
	*ret = b;
	return 0;
}

static int check_block(const struct tzif_block *b, struct error *reterr)
{
	uint64_t types = b->counts[TZIF_TYPES];

	if (b->counts[TZIF_LEAPS] > 0)
		return refuse(reterr, "it counts leap seconds");
	if (types == 0 || types > ZONE_TYPES_MAX)
		return refuse(reterr, "it has no kind of local time");
	return 0;
}

static int read_offsets(const struct tzif_block *b, int32_t *offsets, struct error *reterr)
{
	const uint8_t *types = b->data + b->counts[TZIF_TIMES] * (b->time_bytes + 1);

	for (size_t i = 0; i < b->counts[TZIF_TYPES]; i++) {
		int64_t offset = read_signed(types + i * TYPE_BYTES, 4);
		if (offset < -ZONE_OFFSET_MAX || offset > ZONE_OFFSET_MAX)
			return refuse(reterr, "a distance to UTC is too large");
		offsets[i] = (int32_t)offset;
	}
	return 0;
}

static int read_transitions(const struct tzif_block *b, struct zone *zone, struct error *reterr)
{
	int32_t offsets[ZONE_TYPES_MAX];
	size_t count = (size_t)b->counts[TZIF_TIMES];
	const uint8_t *indices = b->data + count * b->time_bytes;
	int r = read_offsets(b, offsets, reterr);

	if (r < 0)
		return r;
	zone->first_offset_sec = offsets[0];
	zone->transitions = calloc(count + 1, sizeof(*zone->transitions));
	if (!zone->transitions)
		return -ENOMEM;
	zone->transition_count = count;
	for (size_t i = 0; i < count; i++) {
		struct zone_transition *t = &zone->transitions[i];

		t->at_sec = read_signed(b->data + i * b->time_bytes, b->time_bytes);
		if (i > 0 && t->at_sec <= t[-1].at_sec)
			return refuse(reterr, "its transitions are not in order");
		if (indices[i] >= b->counts[TZIF_TYPES])
			return refuse(reterr, "a transition leads nowhere");
		t->offset_sec = offsets[indices[i]];
	}
	return 0;
}

/* The rule between two line breaks; it may be empty. */
static int read_footer(const uint8_t *data, size_t len, struct zone *zone, struct error *reterr)
{
	char text[RULE_MAX];
	const uint8_t *end = len > 0 ? memchr(data + 1, '\n', len - 1) : NULL;

	if (!end || data[0] != '\n' || end - data > RULE_MAX)
		return refuse(reterr, "its rule is cut short");
	size_t rule_len = (size_t)(end - data) - 1;
	if (rule_len == 0)
		return 0;
	memcpy(text, data + 1, rule_len);
	text[rule_len] = '\0';
	if (strlen(text) != rule_len || zone_rule_parse(text, &zone->rule) < 0)
		return refuse(reterr, "its rule is damaged");
	zone->has_rule = true;
	return 0;
}

static int read_file(const uint8_t *data, size_t len, struct zone *zone, struct error *reterr)
{
	struct tzif_block b;
	size_t at = 0;
	int r = read_block(data, len, &at, 4, &b, reterr);

	if (r < 0)
		return r;
	bool has_second = data[4] >= '2';
	if (has_second)
		r = read_block(data, len, &at, 8, &b, reterr);
	if (r >= 0)
		r = check_block(&b, reterr);
	if (r >= 0)
		r = read_transitions(&b, zone, reterr);
	if (r >= 0 && has_second)
		r = read_footer(data + at, len - at, zone, reterr);
	return r;
}

int zone_from_tzif(const void *data, size_t len, struct zone **ret, struct error *reterr)
{
	if (len > ZONE_FILE_MAX)
		return refuse(reterr, "it is too large");
	struct zone *zone = calloc(1, sizeof(*zone));
	if (!zone)
		return -ENOMEM;
	int r = read_file(data, len, zone, reterr);
	if (r < 0) {
		zone_free(zone);
		return r;
	}
	*ret = zone;
	return 0;
}
