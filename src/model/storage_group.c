/* SPDX-License-Identifier: Apache-2.0 */
/* Compares names only: a device's numbers change at reboot. */
#include "model/storage_group.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void set(
	struct storage_group *group, enum storage_group_kind kind, const char *text, size_t len)
{
	if (len >= sizeof(group->key))
		len = sizeof(group->key) - 1;
	group->kind = len > 0 ? kind : STORAGE_GROUP_NONE;
	memcpy(group->key, text, len);
	group->key[len] = '\0';
	memcpy(group->name, group->key, len + 1);
}

/* "nas1" of "nas1:/export", "//nas1/share", "backup@nas1:". "[fe80::1]" itself contains colons. */
static size_t find_server(const char *source, const char **ret)
{
	if (strncmp(source, "//", 2) == 0) {
		*ret = source + 2;
		return strcspn(source + 2, "/");
	}
	const char *name = source + strcspn(source, "@:/");
	name = *name == '@' ? name + 1 : source;
	size_t len = *name == '[' ? strcspn(name, "]") : strcspn(name, ":/");

	if (name[len] == ']')
		len++;
	*ret = name;
	return name[len] == ':' ? len : 0;
}

static void set_server(struct storage_group *group, const char *server, size_t len)
{
	set(group, STORAGE_GROUP_SERVER, server, len);
	for (char *c = group->key; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
}

/* The first leaf by name represents all: repositories that share an array share this leaf. */
static void set_disk(struct storage_group *group, const struct device_info *device)
{
	const char *disk = device->disk[0] != '\0' ? device->disk : device->name;
	const char *first = device->leaf_count > 0 ? device->leaves[0].name : disk;

	for (size_t i = 1; i < device->leaf_count; i++)
		if (strcmp(device->leaves[i].name, first) < 0)
			first = device->leaves[i].name;
	set(group, STORAGE_GROUP_DISK, first, strlen(first));
	if (device->array_level[0] != '\0')
		(void)snprintf(group->name, sizeof(group->name), "%s", disk);
	else if (device->leaf_count > 1)
		(void)snprintf(group->name, sizeof(group->name), "%s and others", first);
}

static void set_source(struct storage_group *group, const struct identity *identity)
{
	static const char devices[] = "/dev/";
	const char *source = identity->source;

	if (strcmp(identity->fs_type, "zfs") == 0)
		set(group, STORAGE_GROUP_POOL, source, strcspn(source, "/"));
	else if (strncmp(source, devices, sizeof(devices) - 1) == 0)
		set(group, STORAGE_GROUP_SOURCE, source, strlen(source));
	else
		set(group, STORAGE_GROUP_MOUNT, identity->mount_point,
			strlen(identity->mount_point));
}

void storage_group_from(const struct identity *identity, struct storage_group *ret)
{
	const char *server;
	size_t len = find_server(identity->source, &server);

	*ret = (struct storage_group){ .kind = STORAGE_GROUP_NONE };
	if (identity->has_device)
		set_disk(ret, &identity->device);
	else if (len > 0)
		set_server(ret, server, len);
	else
		set_source(ret, identity);
}

bool storage_group_is_same(const struct storage_group *a, const struct storage_group *b)
{
	return a->kind != STORAGE_GROUP_NONE && a->kind == b->kind && strcmp(a->key, b->key) == 0;
}
