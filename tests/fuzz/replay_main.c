/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for libFuzzer: feeds every file of $FUZZ_CORPUS/NAME (NAME from argv[0], "fuzz_NAME")
 * to the target and speaks TAP. An empty corpus is a failure. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(int directory_fd, const char *name)
{
	static uint8_t input[INPUT_MAX];
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", directory_fd);
	char full[512];
	if (snprintf(full, sizeof(full), "%s/%s", path, name) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	FILE *f = fopen(full, "rbe");
	if (!f)
		return -errno;
	size_t len = fread(input, 1, sizeof(input), f);
	(void)fclose(f);
	/* An exact heap copy lets the address sanitizer see reads past the end. */
	uint8_t *copy = malloc(len > 0 ? len : 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, input, len);
	(void)LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	return 0;
}

int main(int argc, char **argv)
{
	const char *corpus = getenv("FUZZ_CORPUS");
	const char *base = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = base ? base + 1 : argv[0];
	char path[4096];

	if (strncmp(name, "fuzz_", 5) != 0 || !corpus) {
		(void)fprintf(stderr, "usage: FUZZ_CORPUS=DIR fuzz_NAME\n");
		return 2;
	}
	(void)snprintf(path, sizeof(path), "%s/%s", corpus, name + 5);
	DIR *d = opendir(path);
	if (!d) {
		(void)printf("1..1\nnot ok 1 - %s: %s\n", path, strerror(errno));
		return 1;
	}
	int count = 0;
	int failed = 0;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (e->d_name[0] == '.')
			continue;
		int r = replay_file(dirfd(d), e->d_name);
		failed += r < 0;
		(void)printf("%s %d - %s\n", r < 0 ? "not ok" : "ok", ++count, e->d_name);
	}
	(void)closedir(d);
	if (count == 0) {
		(void)printf("not ok 1 - %s holds no input\n", path);
		failed = count = 1;
	}
	(void)printf("1..%d\n", count);
	return failed > 0;
}
