/* SPDX-License-Identifier: Apache-2.0 */
/* The main of each folder's tests: run [FILE…], the files of tests by name ("test_buf.c", with any
 * path before it); without one, all. Ends with 0, with 1 when a case failed, or with 2. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct test_file *files;

void test_file_add(struct test_file *file)
{
	file->next = files;
	files = file;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_wanted(const struct test_file *file, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(name_of(argv[i]), name_of(file->path)) == 0)
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	int count = 0;
	bool has_failed = false;

	for (const struct test_file *file = files; file; file = file->next) {
		if (!is_wanted(file, argc, argv))
			continue;
		has_failed = file->run() != 0 || has_failed;
		count++;
	}
	if (count < argc - 1 || count == 0) {
		(void)fprintf(stderr, "%s: not all of these files of tests are here\n", argv[0]);
		return 2;
	}
	return has_failed ? 1 : 0;
}
