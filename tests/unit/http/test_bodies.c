/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: copies, gzip forms, entity tags, and references that outlive a publication. */
#include "test.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "http/bodies.h"

#define LONG_LEN 100000

static struct body *make(const char *text, int level)
{
	struct body *body = NULL;

	assert_int_equal(body_new(text, strlen(text), level, &body), 0);
	return body;
}

static void a_body_is_a_copy_with_a_tag_of_its_content(void **state)
{
	char text[] = "overview";

	(void)state;
	struct body *a = make(text, 6);
	struct body *b = make(text, 6);
	text[0] = 'O';
	struct body *c = make(text, 6);
	assert_memory_equal(a->data, "overview", 8);
	assert_int_equal(a->len, 8);
	assert_string_equal(a->etag, b->etag);
	assert_string_not_equal(a->etag, c->etag);
	assert_int_equal(strlen(a->etag), BODY_ETAG_SIZE - 1);
	assert_null(body_unref(a));
	assert_null(body_unref(b));
	assert_null(body_unref(c));
	assert_null(body_unref(NULL));
}

static void a_gzip_form_is_kept_where_it_is_worth_it(void **state)
{
	static char text[LONG_LEN + 1];

	(void)state;
	memset(text, 'a', LONG_LEN);
	struct body *body = make(text, 1);
	assert_non_null(body->gzip);
	assert_true(body->gzip_len < LONG_LEN / 50);
	assert_memory_equal(body->gzip, "\x1f\x8b", 2);
	assert_null(body_unref(body));

	body = make(text, 0); /* not wanted */
	assert_null(body->gzip);
	assert_null(body_unref(body));

	body = make("short", 9);
	assert_null(body->gzip);
	assert_null(body_unref(body));

	uint32_t random = 1;
	for (size_t i = 0; i < LONG_LEN; i++) {
		random = random * 1664525 + 1013904223;
		text[i] = (char)(random >> 24 | 1);
	}
	assert_int_equal(body_new(text, LONG_LEN, 9, &body), 0);
	if (body->gzip)
		assert_true(body->gzip_len <= LONG_LEN);
	assert_null(body_unref(body));
}

static void an_empty_body_is_a_body(void **state)
{
	struct body *body = NULL;

	(void)state;
	assert_int_equal(body_new(NULL, 0, 6, &body), 0);
	assert_int_equal(body->len, 0);
	assert_int_equal(strlen(body->etag), BODY_ETAG_SIZE - 1);
	assert_null(body_unref(body));
}

static void a_taken_body_outlives_the_next_publication(void **state)
{
	struct bodies *bodies = bodies_new();

	(void)state;
	assert_null(bodies_take(bodies, HTTP_BODY_METRICS));
	bodies_publish(bodies, HTTP_BODY_METRICS, make("first", 0));
	assert_null(bodies_take(bodies, HTTP_BODY_OVERVIEW));
	struct body *first = bodies_take(bodies, HTTP_BODY_METRICS);
	bodies_publish(bodies, HTTP_BODY_METRICS, make("second", 0));
	struct body *second = bodies_take(bodies, HTTP_BODY_METRICS);
	assert_null(bodies_free(bodies));
	assert_memory_equal(first->data, "first", 5);
	assert_memory_equal(second->data, "second", 6);
	assert_null(body_unref(first));
	assert_null(body_unref(second));
	assert_null(bodies_free(NULL));
}

#define TURNS 2000

struct reader {
	struct bodies *bodies;
	bool has_seen_torn;
};

static void *read_bodies(void *data)
{
	struct reader *reader = data;

	for (int i = 0; i < TURNS; i++) {
		struct body *body = bodies_take(reader->bodies, HTTP_BODY_OVERVIEW);
		for (size_t k = 1; body && k < body->len; k++)
			if (body->data[k] != body->data[0])
				reader->has_seen_torn = true;
		(void)body_unref(body);
	}
	return NULL;
}

static void threads_take_while_another_publishes(void **state)
{
	struct reader readers[2] = { { .bodies = bodies_new() } };
	pthread_t threads[2];

	(void)state;
	readers[1].bodies = readers[0].bodies;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_bodies, &readers[i]), 0);
	for (int i = 0; i < TURNS; i++) {
		char text[65] = "";
		memset(text, 'a' + i % 26, sizeof(text) - 1);
		bodies_publish(readers[0].bodies, HTTP_BODY_OVERVIEW, make(text, 0));
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_false(readers[i].has_seen_torn);
	}
	assert_null(bodies_free(readers[0].bodies));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_body_is_a_copy_with_a_tag_of_its_content),
		cmocka_unit_test(a_gzip_form_is_kept_where_it_is_worth_it),
		cmocka_unit_test(an_empty_body_is_a_body),
		cmocka_unit_test(a_taken_body_outlives_the_next_publication),
		cmocka_unit_test(threads_take_while_another_publishes),
	};

	return cmocka_run_group_tests_name("http/bodies", tests, NULL, NULL);
}
