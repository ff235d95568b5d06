/* SPDX-License-Identifier: Apache-2.0 */
/* diskstats_find on any text, and what is made of two lines of it: 8:0 before and 8:16 after. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/facts.h"

#define INTERVAL UINT64_C(10000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct device_info device = {
	.major = 8,
	.name = "sda1",
	.disk = "sda",
	.request_max_bytes = 131072,
	.write_copies = 2,
	.has_all_leaves = true,
	.leaf_count = 1,
	.leaves = { { .major = 8, .name = "sda" } },
};

static void check_difference(const struct disk_counters *a, const struct disk_counters *b)
{
	struct disk_counters d;

	/* Nothing happens between a moment and itself. */
	if (diskstats_difference(a, a, 1, INTERVAL, &d) < 0 || d.reads || d.write_bytes)
		abort();
	if (diskstats_difference(a, b, 1, INTERVAL, &d) == 0 &&
		(d.io_time_msec > 10000 || d.reads / 100000000 > 10))
		abort();
}

static void check_facts(const struct disk_counters *a, const struct disk_counters *b)
{
	struct facts_sample earlier = { .has_disk = true, .disk = *a, .leaves = *b };
	struct facts_sample later = { .monotonic_nsec = INTERVAL, .has_disk = true };
	struct facts_own own = { .bytes = b->read_bytes, .ios = b->reads };

	later.disk = *b;
	later.leaves = *a;
	struct facts f = facts_between(&device, &earlier, &later, &own);
	if (f.busy_basis_points > 10000 || (!f.has_counters && f.others_ios_per_sec > 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error error = { 0 };
	struct disk_counters a;
	struct disk_counters b;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (diskstats_find(text, 8, 0, &a, &error) == 0 &&
		diskstats_find(text, 8, 16, &b, &error) == 0) {
		check_difference(&a, &b);
		check_facts(&a, &b);
	} else if (error.text[0] == '\0') {
		abort();
	}
	free(text);
	return 0;
}
