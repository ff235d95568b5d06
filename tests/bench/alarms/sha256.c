/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 as FIPS 180-4 writes it down, constants included: the first 32 bits of the fractional
 * parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
#include "sha256.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define BLOCK 64

static const uint32_t round_constants[64] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
	return value >> bits | value << (32 - bits);
}

static void expand(const uint8_t *block, uint32_t ret[64])
{
	for (size_t i = 0; i < 16; i++)
		ret[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			(uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = ret[i - 15];
		uint32_t b = ret[i - 2];
		ret[i] = ret[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + ret[i - 7] +
			(rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void mix(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[64];
	uint32_t s[8];

	expand(block, words);
	memcpy(s, state, sizeof(s));
	for (size_t i = 0; i < 64; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
			choice + round_constants[i] + words[i];
		uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += one;
		s[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
}

uint64_t sha256_head(const char *text)
{
	uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t padded[SHA256_TEXT_MAX + 2 * BLOCK] = { 0 };
	size_t len = strlen(text);

	assert(len <= SHA256_TEXT_MAX);
	size_t total = (len + 9 + BLOCK - 1) / BLOCK * BLOCK;
	for (size_t i = 0; i < len; i++)
		padded[i] = (uint8_t)text[i];
	padded[len] = 0x80;
	for (size_t i = 0; i < 8; i++)
		padded[total - 1 - i] = (uint8_t)((uint64_t)len * 8 >> (8 * i));
	for (size_t at = 0; at < total; at += BLOCK)
		mix(state, padded + at);
	return (uint64_t)state[0] << 32 | state[1];
}
