/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the alignment of direct I/O, by trial if needed. */
#include "probe/alignment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define TRIAL_MIN 512U
#define TRIAL_MAX 65536U

static bool is_power_of_two(uint32_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

uint32_t alignment_choose(uint32_t statx_bytes, uint32_t device_block_bytes)
{
	if (is_power_of_two(statx_bytes))
		return statx_bytes;
	return is_power_of_two(device_block_bytes) ? device_block_bytes : 0;
}

static int try_one(int fd, uint8_t *memory, uint32_t bytes)
{
	ssize_t n;

	do
		n = pread(fd, memory, bytes, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int alignment_try(int direct_fd, uint32_t *ret_bytes)
{
	uint8_t *memory = aligned_alloc(TRIAL_MAX, TRIAL_MAX);
	uint32_t bytes = TRIAL_MIN;

	if (!memory)
		return -ENOMEM;
	int r = try_one(direct_fd, memory, bytes);
	while (r == -EINVAL && bytes < TRIAL_MAX) {
		bytes *= 2;
		r = try_one(direct_fd, memory, bytes);
	}
	free(memory);
	if (r == 0)
		*ret_bytes = bytes;
	return r;
}
