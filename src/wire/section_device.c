/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes a device and its leaves. */
#include <errno.h>

#include "wire/section.h"

/* The ranges of the kernel's dev_t. */
#define MAJOR_MAX 0xfffU
#define MINOR_MAX 0xfffffU

static void add_number(struct buf *b, uint32_t major, uint32_t minor)
{
	buf_add_u32(b, major);
	buf_add_u32(b, minor);
}

void section_add_device(struct buf *b, const struct device_info *d)
{
	add_number(b, d->major, d->minor);
	section_add_text(b, d->name);
	section_add_text(b, d->disk);
	section_add_text(b, d->mapped_name);
	section_add_text(b, d->array_level);
	section_add_text(b, d->array_action);
	section_add_text(b, d->backing_file);
	buf_add_u8(b, (uint8_t)d->rotational);
	section_add_text(b, d->write_cache);
	buf_add_u8(b, d->has_fua);
	buf_add_u32(b, d->logical_block_bytes);
	buf_add_u32(b, d->physical_block_bytes);
	buf_add_u32(b, d->request_max_bytes);
	section_add_text(b, d->model);
	section_add_text(b, d->scheduler);
	buf_add_u32(b, d->queue_requests);
	buf_add_u8(b, d->write_copies);
	buf_add_u8(b, d->has_all_leaves);
	buf_add_u8(b, (uint8_t)d->leaf_count);
	for (size_t i = 0; i < d->leaf_count; i++) {
		add_number(b, d->leaves[i].major, d->leaves[i].minor);
		section_add_text(b, d->leaves[i].name);
	}
}

static void read_number(struct buf_reader *r, uint32_t *ret_major, uint32_t *ret_minor)
{
	*ret_major = buf_read_u32(r);
	*ret_minor = buf_read_u32(r);
	if (*ret_major > MAJOR_MAX || *ret_minor > MINOR_MAX)
		r->error = -EBADMSG;
}

static void read_name(struct buf_reader *r, char *dst, size_t size)
{
	section_read_text(r, dst, size);
	if (dst[0] == '\0')
		r->error = -EBADMSG;
}

/* A power of two, or 0: unknown. */
static uint32_t read_block_bytes(struct buf_reader *r)
{
	uint32_t bytes = buf_read_u32(r);

	if ((bytes & (bytes - 1)) == 0)
		return bytes;
	r->error = -EBADMSG;
	return 0;
}

void section_read_device(struct buf_reader *r, struct device_info *d)
{
	read_number(r, &d->major, &d->minor);
	read_name(r, d->name, sizeof(d->name));
	section_read_text(r, d->disk, sizeof(d->disk));
	section_read_text(r, d->mapped_name, sizeof(d->mapped_name));
	section_read_text(r, d->array_level, sizeof(d->array_level));
	section_read_text(r, d->array_action, sizeof(d->array_action));
	section_read_text(r, d->backing_file, sizeof(d->backing_file));
	d->rotational = (enum device_rotational)section_read_below(r, DEVICE_ROTATIONAL_YES + 1);
	section_read_text(r, d->write_cache, sizeof(d->write_cache));
	d->has_fua = section_read_boolean(r);
	d->logical_block_bytes = read_block_bytes(r);
	d->physical_block_bytes = read_block_bytes(r);
	d->request_max_bytes = buf_read_u32(r);
	section_read_text(r, d->model, sizeof(d->model));
	section_read_text(r, d->scheduler, sizeof(d->scheduler));
	d->queue_requests = buf_read_u32(r);
	d->write_copies = buf_read_u8(r);
	d->has_all_leaves = section_read_boolean(r);
	size_t count = section_read_below(r, DEVICE_LEAVES_MAX + 1);
	for (size_t i = 0; i < count && r->error == 0; i++) {
		struct device_leaf *leaf = &d->leaves[i];
		read_number(r, &leaf->major, &leaf->minor);
		read_name(r, leaf->name, sizeof(leaf->name));
		d->leaf_count = i + 1;
	}
}
