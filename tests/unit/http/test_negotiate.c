/* SPDX-License-Identifier: Apache-2.0 */
/* Accept-Encoding and If-None-Match as clients write them, and as nobody should. */
#include "test.h"

#include "http/negotiate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void gzip_is_sent_to_whom_takes_it(void **state)
{
	static const struct {
		const char *header;
		bool takes_gzip;
	} cases[] = {
		{ NULL, false },
		{ "", false },
		{ "gzip", true },
		{ "GZip", true },
		{ "x-gzip", true },
		{ "gzip, deflate, br", true },
		{ "br;q=1.0,\tgzip ; q=0.5", true },
		{ "gzip;q=0.001", true },
		{ "gzip;q=1", true },
		{ "gzip;q=0", false },
		{ "gzip;Q=0.0", false },
		{ "gzip; q=0.000 , identity", false },
		{ "identity", false },
		{ "gzipped", false },
		{ "deflate, br", false },
		{ "*", true },
		{ "*;q=0", false },
		{ "*, gzip;q=0", false },
		{ "gzip;q=0, *", false },
		{ ",,;,gzip", true },
		{ ";;;", false },
		{ "gzip;x=y;q=0", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (negotiate_takes_gzip(cases[i].header) != cases[i].takes_gzip)
			fail_msg("'%s'", cases[i].header);
}

static void an_entity_tag_is_found_in_a_list(void **state)
{
	static const struct {
		const char *header;
		bool has_it;
	} cases[] = {
		{ NULL, false },
		{ "", false },
		{ "\"abc\"", true },
		{ "W/\"abc\"", true },
		{ "*", true },
		{ "\"x\", \"abc\"", true },
		{ "\"x\" ,W/\"abc\" , \"y\"", true },
		{ "\"x,abc\"", false },
		{ "\"abcd\"", false },
		{ "\"ab\"", false },
		{ "abc", false },
		{ "\"abc", false },
		{ "\"", false },
		{ "W/", false },
		{ "abc, \"abc\"", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (negotiate_has_etag(cases[i].header, "abc") != cases[i].has_it)
			fail_msg("'%s'", cases[i].header);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_is_sent_to_whom_takes_it),
		cmocka_unit_test(an_entity_tag_is_found_in_a_list),
	};

	return cmocka_run_group_tests_name("http/negotiate", tests, NULL, NULL);
}
