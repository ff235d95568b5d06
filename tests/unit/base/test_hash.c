/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash against its authors' vectors, and the host id. */
#include "test.h"

#include <string.h>

#include "base/hash.h"

/* vectors.h of the reference implementation: key 00 01 … 0f, message 00 01 … of each length. */
static void siphash_gives_the_authors_vectors(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(0x726fdb47dd0e0e31),
		UINT64_C(0x74f839c593dc67fd),
		UINT64_C(0x0d6c8009d9a94f5a),
		UINT64_C(0x85676696d7fb7e2d),
		UINT64_C(0xcf2794e0277187b7),
		UINT64_C(0x18765564cd99a68d),
		UINT64_C(0xcbc9466e58fee3ce),
		UINT64_C(0xab0200f58b01d137),
		UINT64_C(0x93f5f5799a932462),
	};
	uint8_t key[16];
	uint8_t message[16];

	(void)state;
	for (uint8_t i = 0; i < 16; i++)
		key[i] = message[i] = i;
	for (size_t len = 0; len < sizeof(expected) / sizeof(expected[0]); len++)
		assert_true(hash_siphash(key, message, len) == expected[len]);
	/* The example of the paper's appendix A. */
	assert_true(hash_siphash(key, message, 15) == UINT64_C(0xa129ca6149be45e5));
}

static void names_hash_alike_for_ever(void **state)
{
	(void)state;
	assert_true(hash_text("") == UINT64_C(0x846997498f812d05));
	assert_true(hash_text("nas1") == UINT64_C(0x33b3d599bb9512a2));
	assert_true(hash_text("nas1") != hash_text("nas2"));
}

static void the_host_id_is_16_hex_digits_and_stays(void **state)
{
	char first[17] = "";
	char second[17] = "";

	(void)state;
	assert_int_equal(hash_host_id(first), 0);
	assert_int_equal(hash_host_id(second), 0);
	assert_int_equal(strlen(first), 16);
	assert_int_equal(strspn(first, "0123456789abcdef"), 16);
	assert_string_equal(first, second);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siphash_gives_the_authors_vectors),
		cmocka_unit_test(names_hash_alike_for_ever),
		cmocka_unit_test(the_host_id_is_16_hex_digits_and_stays),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
