/* SPDX-License-Identifier: Apache-2.0 */
/* Parses /proc/diskstats, and refuses impossible differences. */
#include "model/diskstats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "model/field.h"

#define SECTOR_BYTES 512 /* always, whatever the device's own sectors are */
#define WRAP_32 (UINT64_C(1) << 32)
#define NUMBERS_MAX 17 /* after major, minor and name */
#define IN_FLIGHT_MAX INT32_MAX /* some kernels count below zero */
#define IOS_PER_SEC_MAX UINT64_C(100000000)
#define BYTES_PER_SEC_MAX UINT64_C(400000000000)
#define WRAPPED_SHARE 16 /* of the range: the most that a 32-bit machine counts in one interval */
#define SLACK_MSEC 1000 /* the busy time is updated in jiffies */

/* The positions of the kernel's fields after the name. */
static const struct {
	size_t number;
	size_t offset;
	uint64_t unit;
} columns[] = {
	{ 0, offsetof(struct disk_counters, reads), 1 },
	{ 2, offsetof(struct disk_counters, read_bytes), SECTOR_BYTES },
	{ 3, offsetof(struct disk_counters, reading_msec), 1 },
	{ 4, offsetof(struct disk_counters, writes), 1 },
	{ 6, offsetof(struct disk_counters, write_bytes), SECTOR_BYTES },
	{ 7, offsetof(struct disk_counters, writing_msec), 1 },
	{ 8, offsetof(struct disk_counters, in_flight), 1 },
	{ 9, offsetof(struct disk_counters, io_time_msec), 1 },
	{ 10, offsetof(struct disk_counters, weighted_msec), 1 },
	{ 11, offsetof(struct disk_counters, discards), 1 },
	{ 15, offsetof(struct disk_counters, flushes), 1 },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Monotonic counters, and their highest possible rates. */
static const struct {
	size_t offset;
	uint64_t wraps_at;
	uint64_t max_per_sec;
} growing[] = {
	{ offsetof(struct disk_counters, reads), WRAP_32, IOS_PER_SEC_MAX },
	{ offsetof(struct disk_counters, read_bytes), WRAP_32 *SECTOR_BYTES, BYTES_PER_SEC_MAX },
	{ offsetof(struct disk_counters, writes), WRAP_32, IOS_PER_SEC_MAX },
	{ offsetof(struct disk_counters, write_bytes), WRAP_32 *SECTOR_BYTES, BYTES_PER_SEC_MAX },
	{ offsetof(struct disk_counters, discards), WRAP_32, IOS_PER_SEC_MAX },
	{ offsetof(struct disk_counters, flushes), WRAP_32, IOS_PER_SEC_MAX },
};

static uint64_t get(const struct disk_counters *c, size_t offset)
{
	uint64_t v;

	memcpy(&v, (const char *)c + offset, sizeof(v));
	return v;
}

static void set(struct disk_counters *c, size_t offset, uint64_t v)
{
	memcpy((char *)c + offset, &v, sizeof(v));
}

/* Returns how many numbers the line has (at most NUMBERS_MAX are read), or -EBADMSG. */
static int read_numbers(struct field line, uint64_t *numbers)
{
	struct field word;
	int count = 0;

	while (count < NUMBERS_MAX && field_next_word(&line, &word)) {
		if (field_read_uint(word, &numbers[count]) < 0)
			return -EBADMSG;
		count++;
	}
	return count;
}

static bool is_known_count(int count)
{
	return count == 11 || count == 15 || count == NUMBERS_MAX;
}

static int read_counters(struct field line, struct disk_counters *ret)
{
	uint64_t numbers[NUMBERS_MAX] = { 0 };
	struct disk_counters c = { 0 };
	int count = read_numbers(line, numbers);

	if (!is_known_count(count))
		return -EBADMSG;
	for (size_t i = 0; i < COLUMNS; i++) {
		uint64_t v;
		if (__builtin_mul_overflow(numbers[columns[i].number], columns[i].unit, &v))
			return -EBADMSG;
		set(&c, columns[i].offset, v);
	}
	if (c.in_flight > IN_FLIGHT_MAX)
		c.in_flight = 0;
	*ret = c;
	return 0;
}

static int read_line(struct field line, uint32_t major, uint32_t minor, bool *ret_is_it,
	struct disk_counters *ret)
{
	struct field word;
	uint64_t numbers[2];

	for (int i = 0; i < 2; i++) {
		if (!field_next_word(&line, &word) || field_read_uint(word, &numbers[i]) < 0)
			return -EBADMSG;
	}
	*ret_is_it = numbers[0] == major && numbers[1] == minor;
	if (!*ret_is_it)
		return 0;
	return field_next_word(&line, &word) ? read_counters(line, ret) : -EBADMSG;
}

int diskstats_find(const char *text, uint32_t major, uint32_t minor, struct disk_counters *ret,
	struct error *reterr)
{
	struct field line;
	unsigned number = 0;

	while (field_next_line(&text, &line)) {
		bool is_it = false;
		number++;
		int r = read_line(line, major, minor, &is_it, ret);
		if (r < 0)
			return error_set(reterr, r,
				"/proc/diskstats: line %u is not what the kernel documents: %.*s",
				number, line.len < 160 ? (int)line.len : 160, line.text);
		if (is_it)
			return 0;
	}
	return error_set(reterr, -ENOENT,
		"/proc/diskstats: there is no device %" PRIu32 ":%" PRIu32, major, minor);
}

void diskstats_add(struct disk_counters *into, const struct disk_counters *from)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t offset = columns[i].offset;
		set(into, offset, get(into, offset) + get(from, offset));
	}
}

/* Whether the difference is plausible when the counter has wrapped once. */
static int unwrap(uint64_t earlier, uint64_t later, uint64_t range, unsigned devices, uint64_t *ret)
{
	if (earlier / range >= devices || later + range < earlier)
		return -ERANGE;
	*ret = later + range - earlier;
	return *ret <= range / WRAPPED_SHARE ? 0 : -ERANGE;
}

static int subtract_growing(const struct disk_counters *earlier, const struct disk_counters *later,
	unsigned devices, uint64_t interval_nsec, struct disk_counters *ret)
{
	uint64_t secs = interval_nsec / NSEC_PER_SEC + 1;
	unsigned wrapped = 0;

	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
		uint64_t from = get(earlier, growing[i].offset);
		uint64_t to = get(later, growing[i].offset);
		uint64_t v = to - from;
		if (to < from) {
			/* Two at once: this is not a wrap but another device. */
			if (++wrapped > 1 || unwrap(from, to, growing[i].wraps_at, devices, &v) < 0)
				return -ERANGE;
		}
		if (v / growing[i].max_per_sec >= secs)
			return -ERANGE;
		set(ret, growing[i].offset, v);
	}
	return 0;
}

int diskstats_difference(const struct disk_counters *earlier, const struct disk_counters *later,
	unsigned devices, uint64_t interval_nsec, struct disk_counters *ret)
{
	struct disk_counters d = { .in_flight = later->in_flight };
	uint64_t interval_msec = interval_nsec / NSEC_PER_MSEC * devices;

	if (interval_msec == 0)
		return -ERANGE;
	int r = subtract_growing(earlier, later, devices, interval_nsec, &d);
	if (r < 0)
		return r;
	d.reading_msec = (uint32_t)(later->reading_msec - earlier->reading_msec);
	d.writing_msec = (uint32_t)(later->writing_msec - earlier->writing_msec);
	d.weighted_msec = (uint32_t)(later->weighted_msec - earlier->weighted_msec);
	d.io_time_msec = (uint32_t)(later->io_time_msec - earlier->io_time_msec);
	if (d.io_time_msec > interval_msec + interval_msec / 10 + SLACK_MSEC)
		return -ERANGE;
	if (d.io_time_msec > interval_msec)
		d.io_time_msec = interval_msec;
	*ret = d;
	return 0;
}
