/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes a worker's result: the parts of a run that it knows. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/section.h"
#include "wire/wire.h"

enum result_tag {
	RESULT_TAG_STATUS = 1,
	RESULT_TAG_TIMES = 2,
	RESULT_TAG_WAY = 3, /* how it was measured: trust, engine, what was excluded */
	RESULT_TAG_WORKLOAD = 4,
	RESULT_TAG_FILE = 5,
	RESULT_TAG_IDENTITY = 6,
	RESULT_TAG_READ = 7,
	RESULT_TAG_WRITE = 8,
	RESULT_TAG_IOPS = 9,
	RESULT_TAG_OPTIONS = 20, /* of the mount */
	RESULT_TAG_DEVICE = 21,
	RESULT_TAG_OWN = 22, /* all I/O of the run */
	RESULT_TAG_SETUP = 23, /* its longest step */
	RESULT_TAG_DIRECTORY = 24, /* of the repository */
};

#define ERRNO_MAX 4095 /* the kernel's */

/* --- Numbers in encoding order, each with its bound ------------------------ */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct section_number time_numbers[] = {
	{ offsetof(struct run, setup_nsec), RUN_NSEC_MAX, false },
	{ offsetof(struct run, measured_nsec), RUN_NSEC_MAX, false },
	{ offsetof(struct run, cpu_user_nsec), RUN_NSEC_MAX, false },
	{ offsetof(struct run, cpu_system_nsec), RUN_NSEC_MAX, false },
};

static const struct section_number setup_numbers[] = {
	{ offsetof(struct run, setup_longest_nsec), RUN_NSEC_MAX, false },
};

static const struct section_number file_numbers[] = {
	{ offsetof(struct run, file_bytes), RUN_SIZE_MAX, true },
	{ offsetof(struct run, file_target_bytes), RUN_SIZE_MAX, true },
	{ offsetof(struct run, layout_bytes), RUN_BYTES_MAX, false },
};

static const struct section_number space_numbers[] = {
	{ offsetof(struct identity, size_bytes), RUN_SIZE_MAX, true },
	{ offsetof(struct identity, free_bytes), RUN_SIZE_MAX, true },
};

static const struct section_number own_numbers[] = {
	{ offsetof(struct facts_own, bytes), RUN_BYTES_MAX, false },
	{ offsetof(struct facts_own, ios), RUN_IOS_MAX, false },
	{ offsetof(struct facts_own, synced_writes), RUN_IOS_MAX, false },
	{ offsetof(struct facts_own, written_bytes), RUN_BYTES_MAX, false },
};

static const struct section_number operation_numbers[] = {
	{ offsetof(struct run_operation_result, ios), RUN_IOS_MAX, false },
	{ offsetof(struct run_operation_result, bytes), RUN_BYTES_MAX, false },
	{ offsetof(struct run_operation_result, errors), RUN_IOS_MAX, false },
	{ offsetof(struct run_operation_result, active_nsec), RUN_NSEC_MAX, false },
};

static const struct section_number iops_numbers[] = {
	{ offsetof(struct run_iops, ios), RUN_IOS_MAX, false },
	{ offsetof(struct run_iops, squares), INT64_MAX, false },
};

/* --- Writing ---------------------------------------------------------------- */

static void add_status(struct buf *b, const struct run *run)
{
	size_t begin = section_begin(b, RESULT_TAG_STATUS);

	buf_add_u8(b, (uint8_t)run->status);
	buf_add_u8(b, (uint8_t)run->skip);
	buf_add_u16(b, (uint16_t)run->error_number);
	section_add_text(b, run->reason);
	section_end(b, begin);
}

static void add_measurement(struct buf *b, const struct run *run)
{
	size_t begin = section_begin(b, RESULT_TAG_TIMES);
	section_add_numbers(b, run, time_numbers, COUNT(time_numbers));
	section_end(b, begin);

	if (run->setup_step != RUN_SETUP_NONE) {
		begin = section_begin(b, RESULT_TAG_SETUP);
		section_add_numbers(b, run, setup_numbers, COUNT(setup_numbers));
		buf_add_u8(b, (uint8_t)run->setup_step);
		section_end(b, begin);
	}

	begin = section_begin(b, RESULT_TAG_WAY);
	buf_add_u32(b, run->trust);
	buf_add_u8(b, (uint8_t)run->engine);
	buf_add_u32(b, run->outstanding_ios);
	buf_add_u8(b, run->has_registered_buffers);
	section_end(b, begin);

	begin = section_begin(b, RESULT_TAG_FILE);
	section_add_numbers(b, run, file_numbers, COUNT(file_numbers));
	section_end(b, begin);
}

void section_add_identity(struct buf *b, const struct identity *identity)
{
	section_add_text(b, identity->fs_type);
	section_add_text(b, identity->source);
	section_add_text(b, identity->mount_point);
	section_add_text(b, identity->fs_uuid);
	buf_add_u8(b, identity->is_mount);
	buf_add_u32(b, identity->sector_bytes);
	section_add_numbers(b, identity, space_numbers, COUNT(space_numbers));
}

/* Unknown values have no section. */
static void add_surroundings(struct buf *b, const struct run *run)
{
	const struct identity *identity = &run->identity;

	if (identity->options.mount[0] != '\0' || identity->options.fs[0] != '\0') {
		size_t begin = section_begin(b, RESULT_TAG_OPTIONS);
		section_add_text(b, identity->options.mount);
		section_add_text(b, identity->options.fs);
		section_end(b, begin);
	}
	if (identity->directory_inode != 0) {
		size_t begin = section_begin(b, RESULT_TAG_DIRECTORY);
		buf_add_u64(b, identity->directory_device);
		buf_add_u64(b, identity->directory_inode);
		section_end(b, begin);
	}
	if (identity->has_device) {
		size_t begin = section_begin(b, RESULT_TAG_DEVICE);
		section_add_device(b, &identity->device);
		section_end(b, begin);
	}
	if (run->has_own) {
		size_t begin = section_begin(b, RESULT_TAG_OWN);
		section_add_numbers(b, &run->own, own_numbers, COUNT(own_numbers));
		section_end(b, begin);
	}
}

/* An operation without I/O has no section. */
static void add_operation(struct buf *b, uint16_t tag, const struct run_operation_result *o)
{
	if (o->ios == 0 && o->errors == 0)
		return;
	size_t begin = section_begin(b, tag);
	section_add_numbers(b, o, operation_numbers, COUNT(operation_numbers));
	histogram_encode(&o->latency, b);
	section_end(b, begin);
}

static void add_iops(struct buf *b, const struct run *run)
{
	if (run->iops[RUN_OPERATIONS].seconds == 0)
		return;
	size_t begin = section_begin(b, RESULT_TAG_IOPS);
	buf_add_u32(b, run->iops[RUN_OPERATIONS].seconds);
	for (size_t i = 0; i <= RUN_OPERATIONS; i++)
		section_add_numbers(b, &run->iops[i], iops_numbers, COUNT(iops_numbers));
	section_end(b, begin);
}

void wire_encode_result(const struct run *run, struct buf *b)
{
	section_add_header(b, WIRE_RESULT);
	add_status(b, run);
	add_measurement(b, run);
	/* A run that failed before its workload was set has none. */
	if (run->workload.block_size_bytes > 0) {
		size_t begin = section_begin(b, RESULT_TAG_WORKLOAD);
		section_add_workload(b, &run->workload);
		section_end(b, begin);
	}

	size_t begin = section_begin(b, RESULT_TAG_IDENTITY);
	section_add_identity(b, &run->identity);
	section_end(b, begin);
	add_surroundings(b, run);
	add_operation(b, RESULT_TAG_READ, &run->operations[RUN_READ]);
	add_operation(b, RESULT_TAG_WRITE, &run->operations[RUN_WRITE]);
	add_iops(b, run);
}

/* --- Reading ---------------------------------------------------------------- */

static int read_status(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	run->status = (enum run_status)section_read_below(r, RUN_STATUSES);
	run->skip = (enum run_skip)section_read_below(r, RUN_SKIPS);
	run->error_number = buf_read_u16(r);
	section_read_text(r, run->reason, sizeof(run->reason));
	if (r->error < 0)
		return 0; /* the caller reports it */
	if (run->error_number > ERRNO_MAX) {
		int number = run->error_number;
		run->error_number = 0;
		return error_set(reterr, -EBADMSG, "error number %d does not exist", number);
	}
	if (run->skip != RUN_SKIP_NONE && run->status != RUN_SKIPPED)
		return error_set(reterr, -EBADMSG, "a run that is %s has a reason to be skipped",
			run_status_name(run->status));
	return 0;
}

static int read_times(struct buf_reader *r, void *into, struct error *reterr)
{
	(void)reterr; /* no detail beyond "out of range" */
	section_read_numbers(r, into, time_numbers, COUNT(time_numbers));
	return 0;
}

static int read_setup(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	section_read_numbers(r, run, setup_numbers, COUNT(setup_numbers));
	run->setup_step = (enum run_setup_step)section_read_below(r, RUN_SETUP_STEPS);
	if (r->error == 0 && run->setup_step == RUN_SETUP_NONE)
		return error_set(reterr, -EBADMSG, "the longest step of the set-up is none");
	return 0;
}

static int read_way(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;
	uint32_t trust = buf_read_u32(r);

	run->engine = (enum workload_engine)section_read_below(r, WORKLOAD_ENGINE_THREADS + 1);
	run->outstanding_ios = buf_read_u32(r);
	run->has_registered_buffers = section_read_boolean(r);
	if (trust >> RUN_TRUST_FLAGS != 0)
		return error_set(reterr, -EBADMSG, "trust flags %#x do not exist", trust);
	run->trust = trust;
	return 0;
}

static int read_workload(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	section_read_workload(r, &run->workload);
	if (run->workload.file_size_bytes > RUN_SIZE_MAX)
		run->workload.file_size_bytes = RUN_SIZE_MAX;
	if (r->error == 0 && workload_check_options(&run->workload, reterr) < 0)
		return error_prefix(reterr, -EBADMSG, "workload");
	return 0;
}

static int read_file(struct buf_reader *r, void *into, struct error *reterr)
{
	(void)reterr; /* no detail beyond "out of range" */
	section_read_numbers(r, into, file_numbers, COUNT(file_numbers));
	return 0;
}

int section_read_identity(struct buf_reader *r, struct identity *identity, struct error *reterr)
{
	section_read_text(r, identity->fs_type, sizeof(identity->fs_type));
	section_read_text(r, identity->source, sizeof(identity->source));
	section_read_text(r, identity->mount_point, sizeof(identity->mount_point));
	section_read_text(r, identity->fs_uuid, sizeof(identity->fs_uuid));
	identity->is_mount = section_read_boolean(r);
	identity->sector_bytes = buf_read_u32(r);
	section_read_numbers(r, identity, space_numbers, COUNT(space_numbers));
	if (identity->sector_bytes & (identity->sector_bytes - 1))
		return error_set(reterr, -EBADMSG, "a sector of %u bytes is no power of two",
			identity->sector_bytes);
	return 0;
}

static int read_options(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;
	struct identity_options *options = &run->identity.options;

	(void)reterr; /* no detail beyond "cut short" */
	section_read_text(r, options->mount, sizeof(options->mount));
	section_read_text(r, options->fs, sizeof(options->fs));
	return 0;
}

static int read_directory(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	(void)reterr; /* as above */
	run->identity.directory_device = buf_read_u64(r);
	run->identity.directory_inode = buf_read_u64(r);
	return 0;
}

static int read_device(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	(void)reterr; /* no detail beyond "out of range" */
	section_read_device(r, &run->identity.device);
	run->identity.has_device = true;
	return 0;
}

static int read_own(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;
	const struct facts_own *told = &run->own;

	section_read_numbers(r, &run->own, own_numbers, COUNT(own_numbers));
	run->has_own = true;
	if (told->synced_writes > told->ios)
		return error_set(reterr, -EBADMSG, "%llu of %llu I/Os were synced writes",
			(unsigned long long)told->synced_writes, (unsigned long long)told->ios);
	if (told->bytes > (unsigned __int128)told->ios * WORKLOAD_BLOCK_SIZE_MAX)
		return error_set(reterr, -EBADMSG, "%llu I/Os cannot have moved %llu bytes",
			(unsigned long long)told->ios, (unsigned long long)told->bytes);
	if (told->written_bytes > told->bytes)
		return error_set(reterr, -EBADMSG, "%llu of %llu bytes were written",
			(unsigned long long)told->written_bytes, (unsigned long long)told->bytes);
	return 0;
}

static int read_identity(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	return section_read_identity(r, &run->identity, reterr);
}

static int read_operation(
	struct buf_reader *r, struct run_operation_result *o, struct error *reterr)
{
	section_read_numbers(r, o, operation_numbers, COUNT(operation_numbers));
	size_t len = r->len - r->pos;
	const uint8_t *code = buf_read_bytes(r, len);
	if (r->error < 0)
		return 0;
	int result = histogram_decode(code, len, &o->latency, reterr);
	if (result < 0)
		return result;
	if (o->latency.max_nsec > RUN_NSEC_MAX || o->latency.sum_nsec > RUN_SUM_NSEC_MAX)
		return error_set(reterr, -EBADMSG, "latencies of %llu ns, %llu ns in all",
			(unsigned long long)o->latency.max_nsec,
			(unsigned long long)o->latency.sum_nsec);
	if (o->ios != o->latency.count)
		return error_set(reterr, -EBADMSG, "the histogram holds %llu of %llu I/Os",
			(unsigned long long)o->latency.count, (unsigned long long)o->ios);
	if (o->bytes > (unsigned __int128)o->ios * WORKLOAD_BLOCK_SIZE_MAX)
		return error_set(reterr, -EBADMSG, "%llu I/Os cannot have moved %llu bytes",
			(unsigned long long)o->ios, (unsigned long long)o->bytes);
	return 0;
}

static int read_read(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	return read_operation(r, &run->operations[RUN_READ], reterr);
}

static int read_write(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;

	return read_operation(r, &run->operations[RUN_WRITE], reterr);
}

/* Σx² of n numbers lies between (Σx)²/n and (Σx)². */
static bool is_possible(const struct run_iops *iops)
{
	unsigned __int128 square = (unsigned __int128)iops->ios * iops->ios;

	return iops->squares <= square &&
		(unsigned __int128)iops->squares * iops->seconds >= square;
}

static int read_iops(struct buf_reader *r, void *into, struct error *reterr)
{
	struct run *run = into;
	uint32_t seconds = buf_read_u32(r);

	for (size_t i = 0; i <= RUN_OPERATIONS; i++) {
		struct run_iops *told = &run->iops[i];
		told->seconds = seconds;
		section_read_numbers(r, told, iops_numbers, COUNT(iops_numbers));
		if (r->error == 0 && (seconds == 0 || !is_possible(told)))
			return error_set(reterr, -EBADMSG,
				"%llu I/Os in %u seconds cannot have a sum of squares of %llu",
				(unsigned long long)told->ios, seconds,
				(unsigned long long)told->squares);
	}
	if (run->iops[RUN_READ].ios + run->iops[RUN_WRITE].ios != run->iops[RUN_OPERATIONS].ios)
		return error_set(
			reterr, -EBADMSG, "reads and writes by second are not all that there were");
	return 0;
}

/* Checks across sections, which come in any order. */
static int check_iops(const struct run *run, struct error *reterr)
{
	const struct run_iops *total = &run->iops[RUN_OPERATIONS];

	if (total->seconds > run->measured_nsec / NSEC_PER_SEC)
		return error_set(reterr, -EBADMSG, "%u seconds do not fit into what was measured",
			total->seconds);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (run->iops[i].ios > run->operations[i].ios)
			return error_set(reterr, -EBADMSG,
				"%llu I/Os by second are more than there were",
				(unsigned long long)run->iops[i].ios);
	return 0;
}

/* A correct worker never sends such a result. */
static int check_measured(const struct run *run, struct error *reterr)
{
	if (run->status != RUN_OK || run_is_measured(run))
		return 0;
	return error_set(reterr, -EBADMSG, "a run is called ok, and no I/O was measured in it");
}

/* Clears all members that a result sets. */
static void clear_result(struct run *run)
{
	run->setup_nsec = 0;
	run->setup_longest_nsec = 0;
	run->setup_step = RUN_SETUP_NONE;
	run->measured_nsec = 0;
	run->status = RUN_OK;
	run->skip = RUN_SKIP_NONE;
	run->error_number = 0;
	memset(run->reason, 0, sizeof(run->reason));
	run->trust = 0;
	run->engine = WORKLOAD_ENGINE_AUTO;
	memset(&run->workload, 0, sizeof(run->workload));
	run->file_bytes = 0;
	run->file_target_bytes = 0;
	run->layout_bytes = 0;
	run->outstanding_ios = 0;
	run->cpu_user_nsec = 0;
	run->cpu_system_nsec = 0;
	memset(&run->identity, 0, sizeof(run->identity));
	memset(run->operations, 0, sizeof(run->operations));
	run->has_own = false;
	memset(&run->own, 0, sizeof(run->own));
	memset(run->iops, 0, sizeof(run->iops));
	run->has_registered_buffers = false;
}

int wire_decode_result(const uint8_t *data, size_t len, struct run *ret, struct error *reterr)
{
	static const struct section_kind kinds[] = {
		{ RESULT_TAG_STATUS, "status", true, read_status },
		{ RESULT_TAG_TIMES, "times", true, read_times },
		{ RESULT_TAG_SETUP, "setup", false, read_setup },
		{ RESULT_TAG_WAY, "way", true, read_way },
		{ RESULT_TAG_WORKLOAD, "workload", false, read_workload },
		{ RESULT_TAG_FILE, "file", true, read_file },
		{ RESULT_TAG_IDENTITY, "identity", true, read_identity },
		{ RESULT_TAG_OPTIONS, "options", false, read_options },
		{ RESULT_TAG_DIRECTORY, "directory", false, read_directory },
		{ RESULT_TAG_DEVICE, "device", false, read_device },
		{ RESULT_TAG_OWN, "own", false, read_own },
		{ RESULT_TAG_READ, "read", false, read_read },
		{ RESULT_TAG_WRITE, "write", false, read_write },
		{ RESULT_TAG_IOPS, "iops", false, read_iops },
	};

	clear_result(ret);
	int r = section_decode(
		data, len, WIRE_RESULT, kinds, sizeof(kinds) / sizeof(kinds[0]), ret, reterr);
	if (r == 0)
		r = check_iops(ret, reterr);
	if (r == 0)
		r = check_measured(ret, reterr);
	if (r < 0)
		clear_result(ret);
	return r;
}
