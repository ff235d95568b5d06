/* SPDX-License-Identifier: Apache-2.0 */
/* The only user of jansson. Builders need no error checks: they ignore NULL and failed parts, and
 * json_dump returns -ENOMEM once at the end. Keys keep the order in which they were added. */
#ifndef REPOPROBE_BASE_JSON_H
#define REPOPROBE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;
struct json_t; /* jansson's own struct: opaque here */

/* New values belong to the caller until they are added somewhere. NULL when memory is short. */
struct json_t *json_new_object(void);
struct json_t *json_new_array(void);
struct json_t *json_free(struct json_t *value); /* accepts NULL, returns NULL */

/* Add a member. Text is copied, bytes that are not UTF-8 become U+FFFD; NULL text adds null. */
void json_add_text(struct json_t *object, const char *key, const char *text);
void json_add_integer(struct json_t *object, const char *key, int64_t value);
void json_add_real(struct json_t *object, const char *key, double value);
void json_add_boolean(struct json_t *object, const char *key, bool value);
void json_add_null(struct json_t *object, const char *key);
/* Seconds as a float from integer nanoseconds; an instant as RFC 3339 text. */
void json_add_seconds(struct json_t *object, const char *key, uint64_t nsec);
void json_add_instant(struct json_t *object, const char *key, int64_t usec);
/* Takes ownership of value. */
void json_add(struct json_t *object, const char *key, struct json_t *value);

/* Append to an array; ownership as above. */
void json_append(struct json_t *array, struct json_t *value);
void json_append_text(struct json_t *array, const char *text);
void json_append_integer(struct json_t *array, int64_t value);
void json_append_real(struct json_t *array, double value);
void json_append_seconds(struct json_t *array, uint64_t nsec);
void json_append_null(struct json_t *array);

/* Writes one document (reals with 12 significant digits; NaN and infinities as null) and frees
 * value. is_pretty: indented, with a final line break. Returns 0, -ENOMEM (a part was missing, or
 * value is NULL) or the buffer's error. */
int json_dump(struct json_t *value, bool is_pretty, struct buf *b);

/* Parses one strict document: depth at most 64 or jansson's own lower limit, no duplicate keys.
 * Returns 0, -EINVAL with position and reason in reterr, or -ENOMEM. */
int json_parse(const char *text, size_t len, struct json_t **ret, struct error *reterr);

/* Readers: values are lent; NULL or fallback when absent or of another type. */
const char *json_get_text(const struct json_t *object, const char *key);
int64_t json_get_integer(const struct json_t *object, const char *key, int64_t fallback);
bool json_get_boolean(const struct json_t *object, const char *key, bool fallback);
const char *json_text(const struct json_t *value); /* of an array's element */
const struct json_t *json_get(const struct json_t *object, const char *key);
size_t json_array_length(const struct json_t *array);
const struct json_t *json_array_at(const struct json_t *array, size_t i);

#endif
