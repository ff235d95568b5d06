/* SPDX-License-Identifier: Apache-2.0 */
/* A table by storage kind, and a floor by workload. */
#include "alarm/limit.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "model/names.h"

#define DISK_LIMIT_NSEC (40 * NSEC_PER_MSEC)
#define DISK_CRITICAL_NSEC (80 * NSEC_PER_MSEC)

static const char *const storage_names[LIMIT_STORAGES] = {
	[LIMIT_AUTO] = "auto",
	[LIMIT_FLASH] = "flash",
	[LIMIT_ARRAY] = "array",
	[LIMIT_NETWORK] = "network",
	[LIMIT_DISK] = "disk",
};

static const char *const network_types[] = { "nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs",
	"fuse.glusterfs", "fuse.sshfs", "9p", "lustre", "afs" };

const char *limit_storage_name(enum limit_storage storage)
{
	assert((size_t)storage < LIMIT_STORAGES);
	return storage_names[storage];
}

int limit_storage_parse(const char *text, enum limit_storage *ret)
{
	int r = names_index(storage_names, 0, LIMIT_STORAGES, text);
	if (r < 0)
		return r;
	*ret = (enum limit_storage)r;
	return 0;
}

static bool is_network(const char *fs_type)
{
	for (size_t i = 0; i < sizeof(network_types) / sizeof(network_types[0]); i++)
		if (strcmp(network_types[i], fs_type) == 0)
			return true;
	return false;
}

enum limit_storage limit_storage_of(const struct identity *identity)
{
	if (!identity)
		return LIMIT_FLASH;
	if (is_network(identity->fs_type))
		return LIMIT_NETWORK;
	if (!identity->has_device)
		return LIMIT_FLASH;
	const struct device_info *device = &identity->device;
	if (device->leaf_count > 1 || device->array_level[0] != '\0')
		return LIMIT_ARRAY;
	return device->rotational == DEVICE_ROTATIONAL_YES ? LIMIT_DISK : LIMIT_FLASH;
}

static struct rule_limit pair_of(const struct rule_limit *preset, enum limit_storage storage)
{
	struct rule_limit pair = *preset;

	pair.is_auto = true;
	if (storage == LIMIT_NETWORK) {
		pair.limit_nsec *= 2;
		pair.limit_critical_nsec *= 2;
	} else if (storage == LIMIT_DISK) {
		pair.limit_nsec = DISK_LIMIT_NSEC;
		pair.limit_critical_nsec = DISK_CRITICAL_NSEC;
	}
	return pair;
}

/* The latency of I/Os of this size at this depth and throughput, plus 30 percent. */
static uint64_t floor_nsec(const struct limit_question *q)
{
	const struct workload *w = q->workload;

	if (q->best_bytes_per_sec == 0 || q->runs < LIMIT_FLOOR_RUNS)
		return 0;
	unsigned __int128 bytes = (unsigned __int128)w->queue_depth *
		(w->threads > 0 ? w->threads : 1) * w->block_size_bytes;
	return (uint64_t)(bytes * NSEC_PER_SEC * 13 / 10 / q->best_bytes_per_sec);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void explain(const struct limit_question *q, enum limit_storage storage, bool is_floor,
	bool is_capped, struct buf *reason)
{
	static const char *const texts[LIMIT_STORAGES] = {
		[LIMIT_AUTO] = "flash",
		[LIMIT_FLASH] = "flash",
		[LIMIT_ARRAY] = "an array",
		[LIMIT_NETWORK] = "a network file system, twice the preset's",
		[LIMIT_DISK] = "a single rotating disk",
	};

	buf_add_text(reason, texts[storage]);
	if (q->storage != LIMIT_AUTO)
		buf_add_text(reason, " (storage_class)");
	else if (!q->identity)
		buf_add_text(reason, " (not seen yet)");
	if (!is_floor)
		return;
	buf_add_text(reason, "; raised, because ");
	format_size_rounded(reason, q->best_bytes_per_sec);
	buf_printf(reason, "/s at its best leave each I/O no less");
	if (is_capped)
		buf_printf(reason, " (at most %d times the preset's)", LIMIT_RAISE_MAX);
}

struct rule_limit limit_choose(const struct limit_question *q, struct buf *reason)
{
	enum limit_storage storage =
		q->storage == LIMIT_AUTO ? limit_storage_of(q->identity) : q->storage;
	struct rule_limit pair = pair_of(&q->preset, storage);
	uint64_t floor = floor_nsec(q);
	uint64_t cap = LIMIT_RAISE_MAX * q->preset.limit_nsec;
	bool is_floor = floor > pair.limit_nsec && cap > pair.limit_nsec;

	if (is_floor) {
		uint64_t raised = smaller(floor, cap);
		/* The ratio of the two limits is kept. */
		pair.limit_critical_nsec =
			smaller((uint64_t)((unsigned __int128)pair.limit_critical_nsec * raised /
					pair.limit_nsec),
				LIMIT_RAISE_MAX * q->preset.limit_critical_nsec);
		pair.limit_nsec = raised;
	}
	explain(q, storage, is_floor, floor > cap, reason);
	return pair;
}
