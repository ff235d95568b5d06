/* SPDX-License-Identifier: Apache-2.0 */
/* A directory for one database of one input. */
#ifndef REPOPROBE_TESTS_FUZZ_PLACE_H
#define REPOPROBE_TESTS_FUZZ_PLACE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct place {
	char directory[64];
	char path[96];
};

static inline void need(bool is_so)
{
	if (!is_so)
		abort();
}

/* Memory where there is some: nothing here is about disks. */
static inline void place_init(struct place *p)
{
	const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	(void)snprintf(p->directory, sizeof(p->directory), "%s/repoprobe-fuzz-XXXXXX", base);
	need(mkdtemp(p->directory));
	(void)snprintf(p->path, sizeof(p->path), "%s/history.db", p->directory);
}

static inline void place_done(const struct place *p)
{
	DIR *files = opendir(p->directory);
	struct dirent *entry;

	need(files);
	while ((entry = readdir(files)))
		(void)unlinkat(dirfd(files), entry->d_name, 0);
	(void)closedir(files);
	need(rmdir(p->directory) == 0);
}

#endif
