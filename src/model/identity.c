/* SPDX-License-Identifier: Apache-2.0 */
/* Reads mountinfo text, proc(5): "36 35 98:0 /root /mount rw,noatime master:1 - ext3 /dev/x rw". */
#include "model/identity.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

struct field {
	const char *text;
	size_t len;
};

enum {
	FIELD_ID,
	FIELD_MOUNT_POINT = 4,
	FIELD_FIRST_OPTIONAL = 6, /* none or more, ended by "-" */
};

/* The next of the line's fields: they are parted by exactly one blank, and one may be empty. */
static bool next_field(const char **line, const char *end, struct field *ret)
{
	if (*line > end)
		return false;
	const char *blank = memchr(*line, ' ', (size_t)(end - *line));
	const char *stop = blank ? blank : end;
	*ret = (struct field){ .text = *line, .len = (size_t)(stop - *line) };
	*line = stop + 1;
	return true;
}

static bool is_octal(const char *digits)
{
	return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
		digits[2] >= '0' && digits[2] <= '7';
}

/* Copies with "\040" undone, cut to what fits. */
static void copy_unescaped(struct field field, char *dst, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < field.len && n + 1 < size; i++) {
		const char *at = field.text + i;
		if (*at == '\\' && field.len - i > 3 && is_octal(at + 1)) {
			dst[n++] = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			i += 3;
		} else {
			dst[n++] = *at;
		}
	}
	dst[n] = '\0';
}

static bool is_number(struct field field, uint64_t number)
{
	char digits[24];
	uint64_t value;

	if (field.len >= sizeof(digits))
		return false;
	memcpy(digits, field.text, field.len);
	digits[field.len] = '\0';
	return parse_uint(digits, 0, UINT64_MAX, &value, NULL) == 0 && value == number;
}

static bool read_line(const char *line, const char *end, uint64_t mount_id, struct identity *ret)
{
	struct field mount_point = { 0 };
	struct field fs_type;
	struct field source;
	struct field field;

	for (int i = FIELD_ID; i < FIELD_FIRST_OPTIONAL; i++) {
		if (!next_field(&line, end, &field))
			return false;
		if (i == FIELD_ID && !is_number(field, mount_id))
			return false;
		if (i == FIELD_MOUNT_POINT)
			mount_point = field;
	}
	do {
		if (!next_field(&line, end, &field))
			return false;
	} while (field.len != 1 || field.text[0] != '-');
	if (!next_field(&line, end, &fs_type) || !next_field(&line, end, &source))
		return false;

	copy_unescaped(mount_point, ret->mount_point, sizeof(ret->mount_point));
	copy_unescaped(fs_type, ret->fs_type, sizeof(ret->fs_type));
	copy_unescaped(source, ret->source, sizeof(ret->source));
	return true;
}

int identity_from_mountinfo(const char *mountinfo, uint64_t mount_id, struct identity *ret)
{
	const char *line = mountinfo;

	while (*line != '\0') {
		const char *end = strchrnul(line, '\n');
		if (read_line(line, end, mount_id, ret))
			return 0;
		line = *end == '\n' ? end + 1 : end;
	}
	return -ENOENT;
}
