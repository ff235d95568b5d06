/* SPDX-License-Identifier: Apache-2.0 */
/* A sample as bytes, for the database: a version byte, then its fields in order, little-endian. */
#ifndef REPOPROBE_ALARM_SAMPLE_CODE_H
#define REPOPROBE_ALARM_SAMPLE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct baseline_sample;

#define SAMPLE_CODE_BYTES 27

void sample_code(const struct baseline_sample *sample, uint8_t ret[static SAMPLE_CODE_BYTES]);

/* 0, or -EBADMSG for bytes that sample_code does not write. *ret is written only on success. */
int sample_code_read(const void *data, size_t len, struct baseline_sample *ret);

#endif
