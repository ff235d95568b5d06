/* SPDX-License-Identifier: Apache-2.0 */
/* A device as JSON and back. A separate file, so that the worker, which does not need it, links
 * without the JSON library. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "model/device.h"

/* Texts by their keys. A text that only some devices have is absent if empty, the others are null
 * while unknown. */
static const struct {
	const char *key;
	size_t offset;
	size_t size;
	bool is_for_all;
} texts[] = {
	{ "name", offsetof(struct device_info, name), DEVICE_NAME_MAX + 1, true },
	{ "disk", offsetof(struct device_info, disk), DEVICE_NAME_MAX + 1, true },
	{ "model", offsetof(struct device_info, model), DEVICE_MODEL_MAX + 1, true },
	{ "write_cache", offsetof(struct device_info, write_cache), DEVICE_WORD_MAX + 1, true },
	{ "scheduler", offsetof(struct device_info, scheduler), DEVICE_WORD_MAX + 1, true },
	{ "mapped_name", offsetof(struct device_info, mapped_name), DEVICE_TEXT_MAX + 1, false },
	{ "array_level", offsetof(struct device_info, array_level), DEVICE_WORD_MAX + 1, false },
	{ "array_action", offsetof(struct device_info, array_action), DEVICE_WORD_MAX + 1, false },
	{ "backing_file", offsetof(struct device_info, backing_file), DEVICE_TEXT_MAX + 1, false },
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

/* Numbers; 0 means unknown. */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "logical_block_bytes", offsetof(struct device_info, logical_block_bytes) },
	{ "physical_block_bytes", offsetof(struct device_info, physical_block_bytes) },
	{ "request_max_bytes", offsetof(struct device_info, request_max_bytes) },
	{ "queue_requests", offsetof(struct device_info, queue_requests) },
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static void add_rotational(struct json_t *object, enum device_rotational rotational)
{
	switch (rotational) {
	case DEVICE_ROTATIONAL_UNKNOWN:
		json_add_null(object, "rotational");
		return;
	case DEVICE_ROTATIONAL_NO:
	case DEVICE_ROTATIONAL_YES:
		json_add_boolean(object, "rotational", rotational == DEVICE_ROTATIONAL_YES);
		return;
	}
}

struct json_t *device_to_json(const struct device_info *device)
{
	struct json_t *object = json_new_object();
	struct json_t *disks = json_new_array();

	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = (const char *)device + texts[i].offset;
		if (text[0] != '\0' || texts[i].is_for_all)
			json_add_text(object, texts[i].key, text[0] != '\0' ? text : NULL);
	}
	add_rotational(object, device->rotational);
	for (size_t i = 0; i < NUMBERS; i++) {
		uint32_t number;
		memcpy(&number, (const char *)device + numbers[i].offset, sizeof(number));
		if (number > 0)
			json_add_integer(object, numbers[i].key, number);
		else
			json_add_null(object, numbers[i].key);
	}
	for (size_t i = 0; i < device->leaf_count; i++)
		json_append_text(disks, device->leaves[i].name);
	json_add(object, "disks", disks);
	return object;
}

/* Cut to fit: a replacement character is longer than the byte it replaces. */
static void copy_text(const char *text, char *dst, size_t size)
{
	size_t len = text ? utf8_cut(text, size - 1) : 0;

	if (text)
		memcpy(dst, text, len);
	dst[len] = '\0';
}

static int read_numbers(const struct json_t *object, struct device_info *d)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		int64_t value = json_get_integer(object, numbers[i].key, 0);
		if (value < 0 || value > UINT32_MAX)
			return -EUCLEAN;
		uint32_t number = (uint32_t)value;
		memcpy((char *)d + numbers[i].offset, &number, sizeof(number));
	}
	return 0;
}

static int read_disks(const struct json_t *array, struct device_info *d)
{
	size_t count = json_array_length(array);

	if (count > DEVICE_LEAVES_MAX)
		return -EUCLEAN;
	for (size_t i = 0; i < count; i++) {
		const char *name = json_text(json_array_at(array, i));
		if (!name)
			return -EUCLEAN;
		copy_text(name, d->leaves[i].name, sizeof(d->leaves[i].name));
	}
	d->leaf_count = count;
	return 0;
}

int device_from_json(const struct json_t *object, struct device_info *ret)
{
	struct device_info d = { 0 };

	for (size_t i = 0; i < TEXTS; i++)
		copy_text(json_get_text(object, texts[i].key), (char *)&d + texts[i].offset,
			texts[i].size);
	int r = read_numbers(object, &d);
	if (r == 0)
		r = read_disks(json_get(object, "disks"), &d);
	if (r < 0)
		return r;
	/* Read with both fallbacks, to tell an absent value from false. */
	if (json_get_boolean(object, "rotational", false))
		d.rotational = DEVICE_ROTATIONAL_YES;
	else if (!json_get_boolean(object, "rotational", true))
		d.rotational = DEVICE_ROTATIONAL_NO;
	*ret = d;
	return 0;
}
