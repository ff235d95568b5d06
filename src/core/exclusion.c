/* SPDX-License-Identifier: Apache-2.0 */
/* Compares places, and picks by age. Knows no worker and no probe. */
#include "core/exclusion.h"

#include <stdlib.h>
#include <string.h>

#include "model/identity.h"

static bool is_same_text(const char *a, const char *b)
{
	return a && b && a[0] != '\0' && strcmp(a, b) == 0;
}

/* The device of the file system itself, by its numbers: all that the mount table knows. */
static bool is_same_device(const struct identity *a, const struct identity *b)
{
	return a->has_device && b->has_device && a->device.major == b->device.major &&
		a->device.minor == b->device.minor;
}

/* "/dev/sdb1" below btrfs, "nas1:/export": names of one thing, unlike "tmpfs". */
static bool is_same_source(const struct identity *a, const struct identity *b)
{
	return strchr(a->source, '/') && is_same_text(a->source, b->source);
}

/* Two directories of one file system, whatever is below that. */
static bool is_same_mount(const struct identity *a, const struct identity *b)
{
	return is_same_text(a->mount_point, b->mount_point) && strcmp(a->fs_type, b->fs_type) == 0;
}

/* What has no device of its own (tmpfs), and is mounted twice. */
static bool is_same_file_system(const struct identity *a, const struct identity *b)
{
	return a->directory_device != 0 && a->directory_device == b->directory_device;
}

static bool is_one_place(const struct identity *a, const struct identity *b)
{
	return identity_shares_disk(a, b) || is_same_device(a, b) || is_same_source(a, b) ||
		is_same_mount(a, b) || is_same_file_system(a, b);
}

bool exclusion_conflicts(const struct exclusion_place *a, const struct exclusion_place *b)
{
	if (is_same_text(a->group, b->group))
		return true;
	return a->identity && b->identity && is_one_place(a->identity, b->identity);
}

static int compare(const void *left, const void *right)
{
	const struct exclusion_waiting *a = left;
	const struct exclusion_waiting *b = right;

	if (a->due_nsec != b->due_nsec)
		return a->due_nsec < b->due_nsec ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

const struct exclusion_waiting *exclusion_choose(const struct exclusion_place *occupied,
	size_t occupied_count, struct exclusion_waiting *waiting, size_t waiting_count)
{
	if (waiting_count > 0)
		qsort(waiting, waiting_count, sizeof(*waiting), compare);
	for (size_t i = 0; i < waiting_count; i++) {
		const struct exclusion_place *place = &waiting[i].place;
		bool is_free = true;
		for (size_t k = 0; is_free && k < occupied_count; k++)
			is_free = !exclusion_conflicts(place, &occupied[k]);
		/* All before it could not begin. */
		for (size_t k = 0; is_free && k < i; k++)
			is_free = !exclusion_conflicts(place, &waiting[k].place);
		if (is_free)
			return &waiting[i];
	}
	return NULL;
}
