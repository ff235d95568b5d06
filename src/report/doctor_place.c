/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of doctor's table about the repository, its mount, its file system and its device. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "model/checkup.h"
#include "report/doctor.h"

/* --- Repository and mount -------------------------------------------------- */

static enum doctor_fact add_path(const struct checkup *c, struct buf *b)
{
	const char *real_path = c->examination->real_path;

	buf_add_text(b, c->path);
	if (real_path[0] != '\0' && strcmp(real_path, c->path) != 0)
		buf_printf(b, ", which is %s", real_path);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_configuration(const struct checkup *c, struct buf *b)
{
	if (c->configuration_trouble[0] != '\0')
		return DOCTOR_UNKNOWN;
	if (c->cost.repository[0] == '\0')
		buf_add_text(b, "not a configured repository");
	else
		buf_printf(b, "repository %s", c->cost.repository);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_mount_point(const struct checkup *c, struct buf *b)
{
	const struct identity *identity = &c->examination->identity;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	if (identity->mount_point[0] == '\0')
		return DOCTOR_UNKNOWN;
	buf_printf(b, "%s, %s", identity->mount_point,
		identity->is_mount ? "a mount of its own" : "the mount that contains it");
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_source(const struct checkup *c, struct buf *b)
{
	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	buf_add_text(b, c->examination->identity.source);
	return b->len > 0 ? DOCTOR_KNOWN : DOCTOR_UNKNOWN;
}

static enum doctor_fact add_options(const struct checkup *c, struct buf *b)
{
	const struct identity_options *options = &c->examination->identity.options;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	buf_add_text(b, options->mount);
	if (options->fs[0] != '\0' && strcmp(options->fs, options->mount) != 0)
		buf_printf(b, "; of the file system: %s", options->fs);
	return b->len > 0 ? DOCTOR_KNOWN : DOCTOR_UNKNOWN;
}

/* --- File system ----------------------------------------------------------- */

static enum doctor_fact add_type(const struct checkup *c, struct buf *b)
{
	static const char *const texts[] = {
		[EXAMINATION_KIND_UNKNOWN] = "",
		[EXAMINATION_KIND_DISK] = ", on a disk",
		[EXAMINATION_KIND_NETWORK] = ", over the network",
		[EXAMINATION_KIND_MEMORY] = ", in memory",
		[EXAMINATION_KIND_OVERLAY] = ", over other file systems",
	};
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	buf_printf(b, "%s%s%s", e->identity.fs_type, texts[e->kind],
		e->is_read_only ? ", read-only" : "");
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_uuid(const struct checkup *c, struct buf *b)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	buf_add_text(b, e->identity.fs_uuid);
	if (b->len > 0)
		return DOCTOR_KNOWN;
	return e->kind == EXAMINATION_KIND_DISK ? DOCTOR_UNKNOWN : DOCTOR_ABSENT;
}

static enum doctor_fact add_space(const struct checkup *c, struct buf *b)
{
	const struct identity *identity = &c->examination->identity;

	if (!checkup_has(c, EXAMINATION_DIRECTORY))
		return DOCTOR_ABSENT;
	if (identity->size_bytes == 0)
		return DOCTOR_UNKNOWN;
	format_size_rounded(b, identity->free_bytes);
	buf_add_text(b, " of ");
	format_size_rounded(b, identity->size_bytes);
	buf_add_text(b, " free, ");
	format_size_rounded(b, checkup_floor_bytes(c));
	buf_add_text(b, " must stay free");
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_inodes(const struct checkup *c, struct buf *b)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_PLACE) || e->inodes == 0)
		return DOCTOR_ABSENT; /* btrfs has no such number */
	buf_printf(b, "%" PRIu64 " of %" PRIu64 " free", e->free_inodes, e->inodes);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_caches(const struct checkup *c, struct buf *b)
{
	const struct examination *e = c->examination;

	if (!checkup_has(c, EXAMINATION_DIRECT))
		return DOCTOR_ABSENT;
	if (e->is_in_memory)
		buf_add_text(b, "all of it is memory");
	else if (e->direct.trial == EXAMINATION_DECLINED)
		buf_add_text(b, "the page cache takes part");
	else if (e->direct.are_writes_cached)
		buf_add_text(b, "direct reads go past the page cache, writes through it");
	else if (e->direct.trial == EXAMINATION_WORKED)
		buf_add_text(b, "direct I/O goes past the page cache");
	else
		return DOCTOR_UNKNOWN;
	if (e->kind == EXAMINATION_KIND_NETWORK)
		buf_add_text(b, "; the server's own cannot be seen from here");
	return DOCTOR_KNOWN;
}

/* --- Device ---------------------------------------------------------------- */

static bool has_device(const struct checkup *c)
{
	return checkup_has(c, EXAMINATION_PLACE) && c->examination->identity.has_device;
}

static enum doctor_fact add_device(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!checkup_has(c, EXAMINATION_PLACE))
		return DOCTOR_ABSENT;
	if (!c->examination->identity.has_device) {
		buf_add_text(b, "none that can be seen");
		return c->examination->kind == EXAMINATION_KIND_DISK ? DOCTOR_UNKNOWN
								     : DOCTOR_KNOWN;
	}
	buf_add_text(b, d->name);
	if (strcmp(d->disk, d->name) != 0)
		doctor_add_part(b, ", a partition of ", d->disk);
	doctor_add_part(b, ", ", d->mapped_name);
	doctor_add_part(b, ", ", d->array_level);
	doctor_add_part(b, " array, ", d->array_action);
	doctor_add_part(b, ", file ", d->backing_file);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_disks(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!has_device(c))
		return DOCTOR_ABSENT;
	for (size_t i = 0; i < d->leaf_count; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "", d->leaves[i].name);
	doctor_add_part(b, d->leaf_count > 1 ? "; the first is " : "; ", d->model);
	if (!d->has_all_leaves)
		buf_add_text(b, "; there are more");
	return d->leaf_count > 0 ? DOCTOR_KNOWN : DOCTOR_UNKNOWN;
}

static enum doctor_fact add_medium(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!has_device(c))
		return DOCTOR_ABSENT;
	switch (d->rotational) {
	case DEVICE_ROTATIONAL_UNKNOWN:
		return DOCTOR_UNKNOWN;
	case DEVICE_ROTATIONAL_NO:
		buf_add_text(b, "not rotational: flash, or an array that says so");
		break;
	case DEVICE_ROTATIONAL_YES:
		buf_add_text(b, "rotational, as many virtual disks say too");
		break;
	}
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_write_cache(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!has_device(c))
		return DOCTOR_ABSENT;
	if (d->write_cache[0] == '\0')
		return DOCTOR_UNKNOWN;
	buf_printf(b, "%s%s", d->write_cache, d->has_fua ? ", writes can go past it (FUA)" : "");
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_sectors(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!has_device(c))
		return DOCTOR_ABSENT;
	if (d->logical_block_bytes == 0)
		return DOCTOR_UNKNOWN;
	buf_printf(b, "logical %u, physical %u bytes", d->logical_block_bytes,
		d->physical_block_bytes);
	return DOCTOR_KNOWN;
}

static enum doctor_fact add_requests(const struct checkup *c, struct buf *b)
{
	const struct device_info *d = &c->examination->identity.device;

	if (!has_device(c))
		return DOCTOR_ABSENT;
	if (d->request_max_bytes == 0)
		return DOCTOR_UNKNOWN;
	buf_add_text(b, "at most ");
	format_size_rounded(b, d->request_max_bytes);
	if (d->queue_requests > 0)
		buf_printf(b, ", %u in the queue", d->queue_requests);
	doctor_add_part(b, ", scheduler ", d->scheduler);
	return DOCTOR_KNOWN;
}

const struct doctor_row doctor_place_rows[] = {
	{ "Repository", "path", SUBJECT_PATH, add_path },
	{ "Repository", "configuration", SUBJECT_CONFIGURATION, add_configuration },
	{ "Mount", "mount point", SUBJECT_MOUNT, add_mount_point },
	{ "Mount", "source", SUBJECT_NONE, add_source },
	{ "Mount", "options", SUBJECT_NONE, add_options },
	{ "File system", "type", SUBJECT_FILE_SYSTEM, add_type },
	{ "File system", "UUID", SUBJECT_NONE, add_uuid },
	{ "File system", "space", SUBJECT_SPACE, add_space },
	{ "File system", "inodes", SUBJECT_INODES, add_inodes },
	{ "File system", "caches", SUBJECT_CACHES, add_caches },
	{ "Device", "device", SUBJECT_DEVICE, add_device },
	{ "Device", "disks", SUBJECT_NONE, add_disks },
	{ "Device", "medium", SUBJECT_NONE, add_medium },
	{ "Device", "write cache", SUBJECT_NONE, add_write_cache },
	{ "Device", "sectors", SUBJECT_SECTORS, add_sectors },
	{ "Device", "requests", SUBJECT_REQUESTS, add_requests },
};
const size_t doctor_place_row_count = sizeof(doctor_place_rows) / sizeof(doctor_place_rows[0]);
