/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by jansson. A container that lacks a part gets an invalid type: jansson then refuses to
 * write it, which is how json_dump detects the failure. */
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"

#define DEPTH_MAX 64
#define REAL_DIGITS 12
#define INDENT 2
#define TEXT_MAX_BYTES (16 << 20)
#define SPOILT 0x40

static void spoil(struct json_t *container)
{
	if (container && !(container->type & SPOILT))
		container->type = (json_type)(container->type | SPOILT);
}

static bool is_spoilt(const struct json_t *value)
{
	return (value->type & SPOILT) != 0;
}

struct json_t *json_new_object(void)
{
	return json_object();
}

struct json_t *json_new_array(void)
{
	return json_array();
}

struct json_t *json_free(struct json_t *value)
{
	if (value && is_spoilt(value))
		value->type = (json_type)(value->type & ~SPOILT);
	json_decref(value);
	return NULL;
}

void json_add(struct json_t *object, const char *key, struct json_t *value)
{
	if (!object || !value || is_spoilt(object) || is_spoilt(value)) {
		json_free(value);
		spoil(object);
		return;
	}
	/* It frees value when it fails. */
	if (json_object_set_new(object, key, value) < 0)
		spoil(object);
}

void json_append(struct json_t *array, struct json_t *value)
{
	if (!array || !value || is_spoilt(array) || is_spoilt(value)) {
		json_free(value);
		spoil(array);
		return;
	}
	if (json_array_append_new(array, value) < 0)
		spoil(array);
}

static struct json_t *new_text(const char *text)
{
	struct buf b = BUF_INIT(TEXT_MAX_BYTES);

	if (!text)
		return json_null();
	if (parse_is_utf8(text))
		return json_string_nocheck(text);
	buf_add_utf8(&b, text);
	struct json_t *value = b.error == 0 ? json_string_nocheck(buf_text(&b)) : NULL;
	buf_done(&b);
	return value;
}

/* JSON cannot represent infinity or not-a-number. */
static struct json_t *new_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static struct json_t *new_seconds(uint64_t nsec)
{
	return json_real((double)nsec / (double)NSEC_PER_SEC);
}

static struct json_t *new_instant(int64_t usec)
{
	struct buf b = BUF_INIT(64);

	format_instant(&b, usec);
	struct json_t *value = b.error == 0 ? json_string_nocheck(buf_text(&b)) : NULL;
	buf_done(&b);
	return value;
}

void json_add_text(struct json_t *object, const char *key, const char *text)
{
	json_add(object, key, new_text(text));
}

void json_add_integer(struct json_t *object, const char *key, int64_t value)
{
	json_add(object, key, json_integer(value));
}

void json_add_real(struct json_t *object, const char *key, double value)
{
	json_add(object, key, new_real(value));
}

void json_add_boolean(struct json_t *object, const char *key, bool value)
{
	json_add(object, key, json_boolean(value));
}

void json_add_null(struct json_t *object, const char *key)
{
	json_add(object, key, json_null());
}

void json_add_seconds(struct json_t *object, const char *key, uint64_t nsec)
{
	json_add(object, key, new_seconds(nsec));
}

void json_add_instant(struct json_t *object, const char *key, int64_t usec)
{
	json_add(object, key, new_instant(usec));
}

void json_append_text(struct json_t *array, const char *text)
{
	json_append(array, new_text(text));
}

void json_append_integer(struct json_t *array, int64_t value)
{
	json_append(array, json_integer(value));
}

void json_append_real(struct json_t *array, double value)
{
	json_append(array, new_real(value));
}

void json_append_seconds(struct json_t *array, uint64_t nsec)
{
	json_append(array, new_seconds(nsec));
}

void json_append_null(struct json_t *array)
{
	json_append(array, json_null());
}

static int add_to_buf(const char *text, size_t len, void *data)
{
	struct buf *b = data;

	buf_add(b, text, len);
	return b->error < 0 ? -1 : 0;
}

int json_dump(struct json_t *value, bool is_pretty, struct buf *b)
{
	const size_t layout = is_pretty ? JSON_INDENT(INDENT) : JSON_COMPACT;
	int r = b->error;

	if (r == 0 &&
		(!value ||
			json_dump_callback(value, add_to_buf, b,
				layout | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(REAL_DIGITS)) <
				0))
		r = b->error < 0 ? b->error : -ENOMEM;
	json_free(value);
	if (r < 0)
		return r;
	if (is_pretty)
		buf_add_char(b, '\n');
	return b->error;
}

/* Counts brackets outside strings before jansson, whose own limit is 2048, recurses. */
static bool is_too_deep(const char *text, size_t len)
{
	bool is_in_string = false;
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '"')
			is_in_string = !is_in_string;
		else if (is_in_string)
			i += c == '\\';
		else if ((c == '{' || c == '[') && ++depth > DEPTH_MAX)
			return true;
		else if ((c == '}' || c == ']') && depth > 0)
			depth--;
	}
	return false;
}

int json_parse(const char *text, size_t len, struct json_t **ret, struct error *reterr)
{
	json_error_t e;

	if (is_too_deep(text, len))
		return error_set(reterr, -EINVAL, "nested deeper than %d levels", DEPTH_MAX);
	struct json_t *value = json_loadb(len > 0 ? text : "", len, JSON_REJECT_DUPLICATES, &e);
	if (!value && json_error_code(&e) == json_error_out_of_memory)
		return -ENOMEM;
	if (!value)
		return error_set(
			reterr, -EINVAL, "line %d, column %d: %s", e.line, e.column, e.text);
	*ret = value;
	return 0;
}

const struct json_t *json_get(const struct json_t *object, const char *key)
{
	return json_object_get(object, key);
}

const char *json_get_text(const struct json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

const char *json_text(const struct json_t *value)
{
	return json_string_value(value);
}

int64_t json_get_integer(const struct json_t *object, const char *key, int64_t fallback)
{
	const struct json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : fallback;
}

bool json_get_boolean(const struct json_t *object, const char *key, bool fallback)
{
	const struct json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : fallback;
}

size_t json_array_length(const struct json_t *array)
{
	return json_array_size(array);
}

const struct json_t *json_array_at(const struct json_t *array, size_t i)
{
	return json_array_get(array, i);
}
