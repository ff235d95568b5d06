/* SPDX-License-Identifier: Apache-2.0 */
/* An alarm state as bytes, for the database: a version byte, then varints (signed ones zigzag) in
 * the order of the tables in alarm_code.c; rules without state are left out. */
#ifndef REPOPROBE_MODEL_ALARM_CODE_H
#define REPOPROBE_MODEL_ALARM_CODE_H

#include <stddef.h>
#include <stdint.h>

struct alarm_state;
struct buf;
struct error;

/* The maximum encoded size, for a full state of long names and large numbers. */
#define ALARM_CODE_MAX (UINT32_C(256) << 10)

/* Appends everything except the repository's name. */
void alarm_code(const struct alarm_state *state, struct buf *b);

/* Decodes it; *ret is written only on success, and its repository is kept. Returns 0, -EBADMSG with
 * a sentence for anything that alarm_code does not write, or -ENOMEM. */
int alarm_code_read(const void *data, size_t len, struct alarm_state *ret, struct error *reterr);

#endif
