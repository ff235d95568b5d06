/* SPDX-License-Identifier: Apache-2.0 */
/* Parses /proc/self/mountstats: a line "device … mounted on … with fstype …" for each mount,
 * followed, for NFS only, by indented lines of statistics. */
#include "model/mountstats.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "model/field.h"

#define BYTES_NUMBERS 6 /* of eight; the others count pages */
#define OPERATION_NUMBERS 8 /* version 1.1 of the RPC statistics adds a ninth: errors */
#define AGE_SLACK_SEC 2 /* both ages are whole seconds */

/* The parts that must be seen for the counters to be complete. */
enum {
	SEEN_AGE = 1 << 0,
	SEEN_BYTES = 1 << 1,
	SEEN_READ = 1 << 2,
	SEEN_WRITE = 1 << 3,
	SEEN_ALL = SEEN_AGE | SEEN_BYTES | SEEN_READ | SEEN_WRITE,
};

/* Monotonic counters; all are 64 bits wide. */
static const size_t growing[] = {
	offsetof(struct nfs_counters, normal_read_bytes),
	offsetof(struct nfs_counters, normal_write_bytes),
	offsetof(struct nfs_counters, direct_read_bytes),
	offsetof(struct nfs_counters, direct_write_bytes),
	offsetof(struct nfs_counters, server_read_bytes),
	offsetof(struct nfs_counters, server_write_bytes),
	offsetof(struct nfs_counters, read.operations),
	offsetof(struct nfs_counters, read.transmissions),
	offsetof(struct nfs_counters, read.timeouts),
	offsetof(struct nfs_counters, read.bytes_sent),
	offsetof(struct nfs_counters, read.bytes_received),
	offsetof(struct nfs_counters, read.queue_msec),
	offsetof(struct nfs_counters, read.round_trip_msec),
	offsetof(struct nfs_counters, read.execute_msec),
	offsetof(struct nfs_counters, write.operations),
	offsetof(struct nfs_counters, write.transmissions),
	offsetof(struct nfs_counters, write.timeouts),
	offsetof(struct nfs_counters, write.bytes_sent),
	offsetof(struct nfs_counters, write.bytes_received),
	offsetof(struct nfs_counters, write.queue_msec),
	offsetof(struct nfs_counters, write.round_trip_msec),
	offsetof(struct nfs_counters, write.execute_msec),
};

/* The fields of a mount's line. */
struct mount_line {
	struct field mount_point;
	struct field fs_type;
	struct field version; /* len 0: no statistics follow */
};

static bool skip_word(struct field *line, const char *word)
{
	struct field next;

	return field_next_word(line, &next) && field_is(next, word);
}

/* "device nas1:/export mounted on /srv/backup with fstype nfs4 statvers=1.1"; also "no device
 * mounted on …". Blanks in names are escaped; a name may be empty. */
static bool read_mount_line(struct field line, struct mount_line *ret)
{
	struct mount_line m = { 0 };
	struct field word;

	if (field_skip(&line, "device ")) {
		if (!field_next_column(&line, &word))
			return false;
	} else if (!field_skip(&line, "no device ")) {
		return false;
	}
	if (!skip_word(&line, "mounted") || !skip_word(&line, "on") ||
		!field_next_word(&line, &m.mount_point))
		return false;
	if (!skip_word(&line, "with") || !skip_word(&line, "fstype") ||
		!field_next_word(&line, &m.fs_type))
		return false;
	if (field_next_word(&line, &word) && field_skip(&word, "statvers="))
		m.version = word;
	*ret = m;
	return true;
}

static int read_uints(struct field line, uint64_t *numbers, size_t count)
{
	struct field word;

	for (size_t i = 0; i < count; i++) {
		if (!field_next_word(&line, &word) || field_read_uint(word, &numbers[i]) < 0)
			return -EBADMSG;
	}
	return 0;
}

static int read_age(struct field rest, struct nfs_counters *c)
{
	return read_uints(rest, &c->age_sec, 1);
}

static int read_bytes(struct field rest, struct nfs_counters *c)
{
	uint64_t numbers[BYTES_NUMBERS];

	if (read_uints(rest, numbers, BYTES_NUMBERS) < 0)
		return -EBADMSG;
	c->normal_read_bytes = numbers[0];
	c->normal_write_bytes = numbers[1];
	c->direct_read_bytes = numbers[2];
	c->direct_write_bytes = numbers[3];
	c->server_read_bytes = numbers[4];
	c->server_write_bytes = numbers[5];
	return 0;
}

static int read_operation(struct field rest, struct nfs_operation_counters *ret)
{
	uint64_t numbers[OPERATION_NUMBERS];

	if (read_uints(rest, numbers, OPERATION_NUMBERS) < 0)
		return -EBADMSG;
	*ret = (struct nfs_operation_counters){
		.operations = numbers[0],
		.transmissions = numbers[1],
		.timeouts = numbers[2],
		.bytes_sent = numbers[3],
		.bytes_received = numbers[4],
		.queue_msec = numbers[5],
		.round_trip_msec = numbers[6],
		.execute_msec = numbers[7],
	};
	return 0;
}

static int read_read(struct field rest, struct nfs_counters *c)
{
	return read_operation(rest, &c->read);
}

static int read_write(struct field rest, struct nfs_counters *c)
{
	return read_operation(rest, &c->write);
}

static uint32_t read_size(struct field value)
{
	uint64_t v;

	return field_read_uint(value, &v) == 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

/* "rw,vers=4.2,rsize=1048576,wsize=1048576,…": a size that cannot be parsed counts as unknown. */
static int read_options(struct field rest, struct nfs_counters *c)
{
	struct field word;

	if (!field_next_word(&rest, &word))
		return 0;
	while (word.len > 0) {
		const char *comma = memchr(word.text, ',', word.len);
		struct field option = { word.text, comma ? (size_t)(comma - word.text) : word.len };
		size_t taken = option.len + (comma ? 1 : 0);
		if (field_skip(&option, "rsize="))
			c->read_max_bytes = read_size(option);
		else if (field_skip(&option, "wsize="))
			c->write_max_bytes = read_size(option);
		word.text += taken;
		word.len -= taken;
	}
	return 0;
}

static const struct {
	const char *name;
	unsigned seen;
	int (*read)(struct field rest, struct nfs_counters *c);
} lines[] = {
	{ "opts:", 0, read_options },
	{ "age:", SEEN_AGE, read_age },
	{ "bytes:", SEEN_BYTES, read_bytes },
	{ "READ:", SEEN_READ, read_read },
	{ "WRITE:", SEEN_WRITE, read_write },
};

static int read_statistics_line(struct field line, unsigned *seen, struct nfs_counters *c)
{
	struct field name;

	if (!field_next_word(&line, &name))
		return 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!field_is(name, lines[i].name))
			continue;
		*seen |= lines[i].seen;
		return lines[i].read(line, c);
	}
	return 0;
}

static int read_statistics(
	const char *text, const char *mount_point, struct nfs_counters *ret, struct error *reterr)
{
	struct nfs_counters c = { 0 };
	struct mount_line next;
	struct field line;
	unsigned seen = 0;

	while (field_next_line(&text, &line) && !read_mount_line(line, &next)) {
		if (read_statistics_line(line, &seen, &c) < 0)
			return error_set(reterr, -EBADMSG,
				"/proc/self/mountstats: %.100s: not what the kernel documents: %.*s",
				mount_point, line.len < 160 ? (int)line.len : 160, line.text);
	}
	if (seen != SEEN_ALL)
		return error_set(reterr, -EBADMSG,
			"/proc/self/mountstats: %.100s: age, bytes, READ or WRITE is missing",
			mount_point);
	*ret = c;
	return 0;
}

int mountstats_find(
	const char *text, const char *mount_point, struct nfs_counters *ret, struct error *reterr)
{
	struct mount_line found = { 0 };
	const char *statistics = NULL;
	struct mount_line m;
	struct field line;

	while (field_next_line(&text, &line)) {
		if (!read_mount_line(line, &m) || !field_is_unescaped(m.mount_point, mount_point))
			continue;
		found = m; /* the last one is on top */
		statistics = text;
	}
	if (!statistics || found.version.len == 0)
		return error_set(reterr, -ENOENT,
			"/proc/self/mountstats: no NFS is mounted at %.100s", mount_point);
	if (!field_is(found.version, "1.0") && !field_is(found.version, "1.1"))
		return error_set(reterr, -EBADMSG,
			"/proc/self/mountstats: %.100s: statistics version %.*s is not known",
			mount_point, found.version.len < 20 ? (int)found.version.len : 20,
			found.version.text);
	return read_statistics(statistics, mount_point, ret, reterr);
}

static uint64_t get(const struct nfs_counters *c, size_t offset)
{
	uint64_t v;

	memcpy(&v, (const char *)c + offset, sizeof(v));
	return v;
}

int mountstats_difference(const struct nfs_counters *earlier, const struct nfs_counters *later,
	uint64_t interval_nsec, struct nfs_counters *ret)
{
	struct nfs_counters d = *later;

	if (later->age_sec + AGE_SLACK_SEC < earlier->age_sec + interval_nsec / NSEC_PER_SEC)
		return -ERANGE;
	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
		uint64_t from = get(earlier, growing[i]);
		uint64_t to = get(later, growing[i]);
		if (to < from)
			return -ERANGE;
		uint64_t v = to - from;
		memcpy((char *)&d + growing[i], &v, sizeof(v));
	}
	*ret = d;
	return 0;
}
