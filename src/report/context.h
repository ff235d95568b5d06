/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a measurement: the device below it, and other processes' work on that device. */
#ifndef REPOPROBE_REPORT_CONTEXT_H
#define REPOPROBE_REPORT_CONTEXT_H

struct buf;
struct facts;
struct identity;
struct json_t;

/* Adds "device" (null when none was found) and "mount_options", "fs_options" (null: unknown). */
void context_add_device(struct json_t *object, const struct identity *identity);
/* Adds "others" and "pressure"; null when they are not known (facts NULL: neither is). */
void context_add_facts(struct json_t *object, const struct facts *facts);

/* The same as text, without a line break. */
void context_describe_device(struct buf *b, const struct identity *identity);
void context_describe_others(struct buf *b, const struct facts *facts);

#endif
