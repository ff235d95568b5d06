/* SPDX-License-Identifier: Apache-2.0 */
/* Reads getrusage, getrlimit, /proc/self/statm and /proc/self/fd. */
#include "daemon/process.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/parse.h"
#include "model/snapshot.h"

#include <dirent.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t timeval_nsec(struct timeval t)
{
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_usec * NSEC_PER_USEC;
}

static uint64_t count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (!directory)
		return 0;
	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count > 3 ? count - 3 : 0; /* ".", ".." and the directory's own */
}

/* "SIZE RESIDENT …" in pages (proc(5)). */
static void read_memory(struct snapshot_process *ret)
{
	struct buf text = BUF_INIT(256);
	uint64_t pages[2] = { 0, 0 };
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (fd_read_file("/proc/self/statm", &text) == 0) {
		char *rest = text.data;
		for (size_t i = 0; i < 2 && rest; i++) {
			const char *word = strsep(&rest, " ");
			(void)parse_uint(word, 0, UINT64_MAX, &pages[i], NULL); /* stays 0 */
		}
	}
	buf_done(&text);
	ret->virtual_bytes = pages[0] * page_bytes;
	ret->resident_bytes = pages[1] * page_bytes;
}

void process_read(struct snapshot_process *ret)
{
	struct rusage usage;
	struct rlimit files;

	if (getrusage(RUSAGE_SELF, &usage) == 0)
		ret->cpu_nsec = timeval_nsec(usage.ru_utime) + timeval_nsec(usage.ru_stime);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		ret->max_fds = files.rlim_cur;
	ret->open_fds = count_fds();
	read_memory(ret);
}
