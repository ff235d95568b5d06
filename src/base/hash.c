/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 and the host id computed with it. */
#include "base/hash.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"

#define MACHINE_ID_FILE "/etc/machine-id"

/* Must never change: splay offsets and probe file names depend on it. */
static const uint8_t text_key[16] = "repoprobe-splay1";
static const uint8_t host_key[16] = "repoprobe-hostid";

struct siphash {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate_left(uint64_t v, unsigned int bits)
{
	return v << bits | v >> (64 - bits);
}

static uint64_t load_little_endian(const uint8_t *bytes, size_t len)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		v |= (uint64_t)bytes[i] << (8 * i);
	return v;
}

static void siphash_rounds(struct siphash *s, unsigned int count)
{
	while (count-- > 0) {
		s->v0 += s->v1;
		s->v1 = rotate_left(s->v1, 13) ^ s->v0;
		s->v0 = rotate_left(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = rotate_left(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = rotate_left(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = rotate_left(s->v1, 17) ^ s->v2;
		s->v2 = rotate_left(s->v2, 32);
	}
}

static void siphash_word(struct siphash *s, uint64_t word)
{
	s->v3 ^= word;
	siphash_rounds(s, 2);
	s->v0 ^= word;
}

uint64_t hash_siphash(const uint8_t key[16], const void *data, size_t len)
{
	uint64_t k0 = load_little_endian(key, 8);
	uint64_t k1 = load_little_endian(key + 8, 8);
	struct siphash s = {
		.v0 = k0 ^ UINT64_C(0x736f6d6570736575),
		.v1 = k1 ^ UINT64_C(0x646f72616e646f6d),
		.v2 = k0 ^ UINT64_C(0x6c7967656e657261),
		.v3 = k1 ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *bytes = data;
	size_t left = len;

	for (; left >= 8; left -= 8, bytes += 8)
		siphash_word(&s, load_little_endian(bytes, 8));
	siphash_word(&s, load_little_endian(bytes, left) | (uint64_t)len << 56);
	s.v2 ^= 0xff;
	siphash_rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

uint64_t hash_text(const char *text)
{
	return hash_siphash(text_key, text, strlen(text));
}

static int read_machine_name(struct buf *b)
{
	char name[HOST_NAME_MAX + 1] = "";
	int r = fd_read_file(MACHINE_ID_FILE, b);

	/* A shorter text is not an id: empty or "uninitialized", as in images before their first
	 * boot. */
	if (r == 0 && b->len >= 32) {
		b->len = 32; /* without the line break */
		b->data[b->len] = '\0';
		return 0;
	}
	buf_clear(b);
	if (gethostname(name, sizeof(name) - 1) < 0)
		return -errno;
	buf_add_text(b, name);
	return b->error;
}

int hash_host_id(char ret[17])
{
	struct buf b = BUF_INIT(4096);
	int r = read_machine_name(&b);

	if (r == 0) {
		uint64_t hash = hash_siphash(host_key, buf_text(&b), b.len);

		for (unsigned int i = 0; i < 16; i++)
			ret[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 0xf];
		ret[16] = '\0';
	}
	buf_done(&b);
	return r;
}
