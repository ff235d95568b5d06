/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers it needs before it, once, in the order that clang-format would break; and
 * what makes one program of a folder's files. */
#ifndef REPOPROBE_TESTS_UNIT_TEST_H
#define REPOPROBE_TESTS_UNIT_TEST_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

/* A file of tests, as tests/unit/main.c runs it. */
struct test_file {
	const char *path;
	int (*run)(void); /* returns how many cases failed */
	struct test_file *next;
};

void test_file_add(struct test_file *file);

/* Stands for "int main(void)" in each file of tests, which are linked into one program per folder.
 */
#define TEST_MAIN(parameters)                                                                      \
	static int test_main(parameters);                                                          \
	__attribute__((constructor)) static void test_add(void)                                    \
	{                                                                                          \
		static struct test_file file = { .path = __FILE__, .run = test_main };             \
		test_file_add(&file);                                                              \
	}                                                                                          \
	static int test_main(parameters)

#endif
