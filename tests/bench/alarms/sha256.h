/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) of a short text: seeds that nobody chose. */
#ifndef BENCH_ALARMS_SHA256_H
#define BENCH_ALARMS_SHA256_H

#include <stdint.h>

#define SHA256_TEXT_MAX 4096

/* The first eight bytes of the digest, the first one highest. text: at most SHA256_TEXT_MAX. */
uint64_t sha256_head(const char *text);

#endif
