/* SPDX-License-Identifier: Apache-2.0 */
/* Compares block devices. */
#include "model/device.h"

#include <string.h>

static bool has_leaf(const struct device_info *device, const struct device_leaf *leaf)
{
	for (size_t i = 0; i < device->leaf_count; i++) {
		if (device->leaves[i].major == leaf->major &&
			device->leaves[i].minor == leaf->minor)
			return true;
	}
	return false;
}

bool device_is_same(const struct device_info *a, const struct device_info *b)
{
	if (a->major != b->major || a->minor != b->minor || a->leaf_count != b->leaf_count ||
		a->has_all_leaves != b->has_all_leaves || a->write_copies != b->write_copies)
		return false;
	for (size_t i = 0; i < a->leaf_count; i++) {
		if (!has_leaf(b, &a->leaves[i]))
			return false;
	}
	return true;
}

bool device_is_stacked(const struct device_info *device)
{
	return device->leaf_count != 1 || strcmp(device->leaves[0].name, device->disk) != 0;
}

bool device_counts_synced_twice(const struct device_info *device)
{
	return !device_is_stacked(device) && !device->has_fua &&
		strcmp(device->write_cache, "write back") == 0;
}

bool device_shares_leaf(const struct device_info *a, const struct device_info *b)
{
	for (size_t i = 0; i < a->leaf_count; i++) {
		if (has_leaf(b, &a->leaves[i]))
			return true;
	}
	return false;
}
