/* SPDX-License-Identifier: Apache-2.0 */
/* Parses mountinfo, proc(5): "36 35 98:0 /root /mount rw,noatime master:1 - ext3 /dev/x rw". */
#include "model/identity.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "model/field.h"

enum {
	COLUMN_ID,
	COLUMN_DEVICE = 2,
	COLUMN_ROOT = 3,
	COLUMN_MOUNT_POINT = 4,
	COLUMN_OPTIONS = 5,
	COLUMN_FIRST_OPTIONAL = 6, /* any number, ended by "-" */
};

#define PATH_BYTES_MAX 4096

/* The fields of one line. */
struct mount_line {
	uint64_t id;
	struct field device; /* "98:0" */
	struct field root; /* of the file system: what is mounted */
	struct field mount_point;
	struct field options;
	struct field fs_type;
	struct field source;
	struct field fs_options;
};

static bool read_line(struct field line, struct mount_line *ret)
{
	struct field first[COLUMN_FIRST_OPTIONAL];
	struct field separator;
	struct mount_line m;

	for (int i = COLUMN_ID; i < COLUMN_FIRST_OPTIONAL; i++)
		if (!field_next_column(&line, &first[i]))
			return false;
	if (field_read_uint(first[COLUMN_ID], &m.id) < 0)
		return false;
	m.device = first[COLUMN_DEVICE];
	m.root = first[COLUMN_ROOT];
	m.mount_point = first[COLUMN_MOUNT_POINT];
	m.options = first[COLUMN_OPTIONS];
	do {
		if (!field_next_column(&line, &separator))
			return false;
	} while (!field_is(separator, "-"));
	if (!field_next_column(&line, &m.fs_type) || !field_next_column(&line, &m.source))
		return false;
	if (!field_next_column(&line, &m.fs_options))
		m.fs_options = (struct field){ .text = "" };
	*ret = m;
	return true;
}

static int find_line(const char *mountinfo, uint64_t mount_id, struct mount_line *ret)
{
	struct field line;

	while (field_next_line(&mountinfo, &line)) {
		if (read_line(line, ret) && ret->id == mount_id)
			return 0;
	}
	return -ENOENT;
}

int identity_from_mountinfo(const char *mountinfo, uint64_t mount_id, struct identity *ret)
{
	struct mount_line m;
	int r = find_line(mountinfo, mount_id, &m);

	if (r < 0)
		return r;
	field_copy_unescaped(m.mount_point, ret->mount_point, sizeof(ret->mount_point));
	field_copy_unescaped(m.fs_type, ret->fs_type, sizeof(ret->fs_type));
	field_copy_unescaped(m.source, ret->source, sizeof(ret->source));
	return 0;
}

/* The length of the mount point as a prefix of the path; 0: it is not one. */
static size_t prefix_length(struct field mount_point, const char *path)
{
	char text[PATH_BYTES_MAX];

	field_copy_unescaped(mount_point, text, sizeof(text));
	size_t len = strlen(text);
	if (len == 1 && text[0] == '/')
		return 1;
	bool is_above = strncmp(path, text, len) == 0 && (path[len] == '/' || path[len] == '\0');
	return is_above ? len : 0;
}

/* A file system without a device has 0:NN, which is not a device number. */
static bool read_device(struct field text, struct device_info *ret)
{
	const char *colon = memchr(text.text, ':', text.len);
	uint64_t major;
	uint64_t minor;

	if (!colon)
		return false;
	size_t len = (size_t)(colon - text.text);
	struct field first = { .text = text.text, .len = len };
	struct field second = { .text = colon + 1, .len = text.len - len - 1 };
	if (field_read_uint(first, &major) < 0 || field_read_uint(second, &minor) < 0 ||
		major == 0 || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	*ret = (struct device_info){ .major = (uint32_t)major, .minor = (uint32_t)minor };
	return true;
}

/* The mount that a path is on: the length of its mount point, or 0. */
static size_t find_mount(const char *mountinfo, const char *path, struct mount_line *ret)
{
	struct mount_line m;
	struct field line;
	size_t best_len = 0;

	while (field_next_line(&mountinfo, &line)) {
		size_t len = read_line(line, &m) ? prefix_length(m.mount_point, path) : 0;
		/* If several are mounted on one point, the last is on top. */
		if (len > 0 && len >= best_len) {
			*ret = m;
			best_len = len;
		}
	}
	return best_len;
}

void identity_locate(const char *mountinfo, const char *path, struct buf *b)
{
	char root[PATH_BYTES_MAX];
	struct mount_line m;
	size_t len = find_mount(mountinfo, path, &m);

	if (len == 0)
		return;
	field_copy_unescaped(m.root, root, sizeof(root));
	size_t root_len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	const char *rest = path + (strcmp(path, "/") != 0 && len == 1 ? 0 : len);
	buf_add(b, m.device.text, m.device.len);
	buf_printf(b, " %.*s%s", (int)root_len, root, rest[0] || root_len > 0 ? rest : "/");
}

int identity_guess(const char *mountinfo, const char *path, struct identity *ret)
{
	struct mount_line best = { 0 };

	if (find_mount(mountinfo, path, &best) == 0)
		return -ENOENT;
	*ret = (struct identity){ 0 };
	field_copy_unescaped(best.mount_point, ret->mount_point, sizeof(ret->mount_point));
	field_copy_unescaped(best.fs_type, ret->fs_type, sizeof(ret->fs_type));
	field_copy_unescaped(best.source, ret->source, sizeof(ret->source));
	ret->has_device = read_device(best.device, &ret->device);
	return 0;
}

/* Decoding only shortens: escaped text that fits also fits decoded. */
static void copy_options(struct field options, char *dst, size_t size)
{
	while (options.len >= size) {
		const char *comma = memrchr(options.text, ',', options.len);
		options.len = comma ? (size_t)(comma - options.text) : size - 1;
	}
	field_copy_unescaped(options, dst, size);
}

int identity_options_from_mountinfo(
	const char *mountinfo, uint64_t mount_id, struct identity_options *ret)
{
	struct mount_line m;
	int r = find_line(mountinfo, mount_id, &m);

	if (r < 0)
		return r;
	copy_options(m.options, ret->mount, sizeof(ret->mount));
	copy_options(m.fs_options, ret->fs, sizeof(ret->fs));
	return 0;
}

const char *identity_find_option(const char *options, const char *name, size_t *ret_len)
{
	size_t name_len = strlen(name);

	while (*options != '\0') {
		const char *end = strchrnul(options, ',');
		size_t len = (size_t)(end - options);
		if (len >= name_len && memcmp(options, name, name_len) == 0 &&
			(len == name_len || options[name_len] == '=')) {
			size_t skip = len == name_len ? name_len : name_len + 1;
			*ret_len = len - skip;
			return options + skip;
		}
		options = *end == ',' ? end + 1 : end;
	}
	return NULL;
}

void identity_remember(const struct identity *identity, struct identity_seen *ret)
{
	*ret = (struct identity_seen){ .is_set = true, .is_mount = identity->is_mount };
	(void)identity_learn(identity, ret); /* all of it is new */
}

static bool learn_text(const char *text, char *known)
{
	if (known[0] != '\0' || text[0] == '\0')
		return false;
	memcpy(known, text, strlen(text) + 1);
	return true;
}

bool identity_learn(const struct identity *identity, struct identity_seen *seen)
{
	bool has_type = learn_text(identity->fs_type, seen->fs_type);
	bool has_source = learn_text(identity->source, seen->source);
	bool has_mount_point = learn_text(identity->mount_point, seen->mount_point);
	bool has_uuid = learn_text(identity->fs_uuid, seen->fs_uuid);

	return has_type || has_source || has_mount_point || has_uuid;
}

static bool differ(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

/* A mount may use another version of its protocol the next time. */
static bool have_other_types(const struct identity *identity, const struct identity_seen *seen)
{
	bool are_nfs = identity_is_nfs(identity) && identity_type_matches(seen->fs_type, "nfs");

	return !are_nfs && differ(identity->fs_type, seen->fs_type);
}

enum identity_difference identity_compare(
	const struct identity *identity, const struct identity_seen *seen)
{
	if (!seen->is_set)
		return IDENTITY_SAME;
	if (identity->fs_uuid[0] != '\0' && seen->fs_uuid[0] != '\0')
		return strcmp(identity->fs_uuid, seen->fs_uuid) == 0 ? IDENTITY_SAME
								     : IDENTITY_OTHER_UUID;
	if (have_other_types(identity, seen))
		return IDENTITY_OTHER_TYPE;
	return differ(identity->source, seen->source) ? IDENTITY_OTHER_SOURCE : IDENTITY_SAME;
}

/* path is in directory, or is directory. */
static bool is_within(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (len > 0 && directory[len - 1] == '/')
		len--;
	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

bool identity_lost_mount(const struct identity *identity, const struct identity_seen *seen)
{
	return seen->is_set && identity->mount_point[0] != '\0' && seen->mount_point[0] != '\0' &&
		strcmp(identity->mount_point, seen->mount_point) != 0 &&
		is_within(seen->mount_point, identity->mount_point);
}

bool identity_type_matches(const char *fs_type, const char *expected)
{
	size_t len = strlen(expected);

	if (strcmp(fs_type, expected) == 0)
		return true;
	if (strcmp(expected, "nfs") == 0 && strcmp(fs_type, "nfs4") == 0)
		return true;
	return strcmp(expected, "fuse") == 0 && strncmp(fs_type, "fuse.", len + 1) == 0;
}

bool identity_has_mount_point(const char *mountinfo, const char *path)
{
	struct field line;
	struct field column;
	char mount_point[IDENTITY_TEXT_MAX + 1];

	while (field_next_line(&mountinfo, &line)) {
		bool is_whole = true;
		for (int i = COLUMN_ID; is_whole && i <= COLUMN_MOUNT_POINT; i++)
			is_whole = field_next_column(&line, &column);
		if (!is_whole)
			continue;
		field_copy_unescaped(column, mount_point, sizeof(mount_point));
		if (strcmp(mount_point, path) == 0)
			return true;
	}
	return false;
}

bool identity_is_nfs(const struct identity *identity)
{
	return strcmp(identity->fs_type, "nfs") == 0 || strcmp(identity->fs_type, "nfs4") == 0;
}

bool identity_shares_disk(const struct identity *a, const struct identity *b)
{
	if (a->has_device && b->has_device)
		return device_shares_leaf(&a->device, &b->device);
	return identity_is_nfs(a) && identity_is_nfs(b) && a->source[0] != '\0' &&
		strcmp(a->source, b->source) == 0;
}

bool identity_is_same_directory(const struct identity *a, const struct identity *b)
{
	return a->directory_inode != 0 && a->directory_inode == b->directory_inode &&
		a->directory_device == b->directory_device;
}
