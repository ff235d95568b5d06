/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes the probe file's header. */
#include "probe/header.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"

#define HEADER_VERSION 1
#define MAGIC_BYTES 16
#define SENTENCE_OFFSET 64
#define GROWTH_OFFSET 256
#define GROWTH_BYTES 16

static const char magic[MAGIC_BYTES] = "repoprobe";
static const char sentence[] =
	"This is the probe file of repoprobe: test data without meaning. It may be deleted.\n";

void header_make_uuid(uint8_t uuid[16])
{
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

int header_encode(const struct header *header, uint8_t ret[HEADER_BYTES])
{
	struct buf b = BUF_INIT(SENTENCE_OFFSET + GROWTH_BYTES);

	buf_add(&b, magic, sizeof(magic));
	buf_add_u32(&b, HEADER_VERSION);
	buf_add_u32(&b, 0);
	buf_add(&b, header->uuid, sizeof(header->uuid));
	buf_add_u64(&b, (uint64_t)header->created_usec);
	buf_add_u64(&b, header->auto_bytes);
	size_t len = b.len;
	buf_add_u64(&b, (uint64_t)header->growth.began_usec);
	buf_add_u64(&b, header->growth.target_bytes);
	int r = b.error;
	if (r == 0) {
		memset(ret, 0, HEADER_BYTES);
		memcpy(ret, b.data, len);
		memcpy(ret + GROWTH_OFFSET, b.data + len, GROWTH_BYTES);
		memcpy(ret + SENTENCE_OFFSET, sentence, sizeof(sentence) - 1);
	}
	buf_done(&b);
	return r;
}

int header_decode(const uint8_t *data, size_t len, struct header *ret)
{
	struct buf_reader r = BUF_READER(data, len);
	struct header header = { .created_usec = 0 };
	const uint8_t *start = buf_read_bytes(&r, sizeof(magic));

	if (!start || memcmp(start, magic, sizeof(magic)) != 0)
		return -EBADMSG;
	uint32_t version = buf_read_u32(&r);
	(void)buf_read_u32(&r); /* reserved */
	const uint8_t *uuid = buf_read_bytes(&r, sizeof(header.uuid));
	header.created_usec = (int64_t)buf_read_u64(&r);
	header.auto_bytes = buf_read_u64(&r);
	if (len >= HEADER_BYTES) {
		struct buf_reader growth = BUF_READER(data + GROWTH_OFFSET, GROWTH_BYTES);
		header.growth.began_usec = (int64_t)buf_read_u64(&growth);
		header.growth.target_bytes = buf_read_u64(&growth);
	}
	if (!uuid || r.error < 0 || len < HEADER_BYTES || version == 0)
		return -EBADMSG;
	if (version > HEADER_VERSION)
		return -EPROTO;
	memcpy(header.uuid, uuid, sizeof(header.uuid));
	*ret = header;
	return 0;
}
