/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a made-up /sys. Whatever fails, fails the test. */
#include "sysfs_tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "test.h"

#define PATH_BYTES 512

static void make_directory_of(const char *path)
{
	char directory[PATH_BYTES];
	const char *slash = strrchr(path, '/');

	(void)snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path), path);
	assert_int_equal(fd_make_directories(directory, 0755), 0);
}

static void write_file(const char *path, const char *text)
{
	make_directory_of(path);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void make_link(const char *target, const char *path)
{
	make_directory_of(path);
	assert_int_equal(symlink(target, path), 0);
}

void sysfs_tree_init(struct sysfs_tree *t)
{
	(void)snprintf(t->root, sizeof(t->root), "/tmp/repoprobe-sysfs.XXXXXX");
	assert_non_null(mkdtemp(t->root));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void sysfs_tree_done(struct sysfs_tree *t)
{
	assert_int_equal(nftw(t->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void sysfs_tree_set(struct sysfs_tree *t, const char *name, const char *attribute, const char *text)
{
	char path[PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s/devices/block/%s/%s", t->root, name, attribute);
	write_file(path, text);
}

void sysfs_tree_add(struct sysfs_tree *t, const char *name, const char *number)
{
	char path[PATH_BYTES];
	char target[PATH_BYTES];

	(void)snprintf(target, sizeof(target), "%s\n", number);
	sysfs_tree_set(t, name, "dev", target);
	if (strchr(name, '/'))
		sysfs_tree_set(t, name, "partition", "1\n");
	else
		sysfs_tree_set(t, name, "slaves/.keep", "");
	(void)snprintf(path, sizeof(path), "%s/dev/block/%s", t->root, number);
	(void)snprintf(target, sizeof(target), "../../devices/block/%s", name);
	make_link(target, path);
}

void sysfs_tree_link(struct sysfs_tree *t, const char *upper, const char *lower)
{
	char path[PATH_BYTES];
	char target[PATH_BYTES];
	const char *slash = strrchr(lower, '/');

	(void)snprintf(path, sizeof(path), "%s/devices/block/%s/slaves/%s", t->root, upper,
		slash ? slash + 1 : lower);
	(void)snprintf(target, sizeof(target), "../../%s", lower);
	make_link(target, path);
}
