/* SPDX-License-Identifier: Apache-2.0 */
/* Integer logarithms, the same on every machine: the rules compare ratios, and a deviation from
 * normal is a factor. The unit is 1/1024 of an octave (0.07 %). */
#ifndef REPOPROBE_ALARM_OCTAVE_H
#define REPOPROBE_ALARM_OCTAVE_H

#include <stdint.h>

#define OCTAVE 1024 /* a factor of 2 */

/* 1024 × log2 of these factors, rounded. */
#define OCTAVE_1_1 141
#define OCTAVE_1_2 269
#define OCTAVE_1_25 330
#define OCTAVE_1_3 388
#define OCTAVE_1_35 443
#define OCTAVE_1_5 599
#define OCTAVE_1_7 784
#define OCTAVE_1_8 868
#define OCTAVE_2 1024
#define OCTAVE_2_5 1354
#define OCTAVE_3 1623
#define OCTAVE_5 2378

/* 1024 × log2(value), to the nearest; also 0 for 0. At most 65535, so it fits a uint16_t. */
int32_t octave_from(uint64_t value);

/* The inverse, to 0.07 %; UINT64_MAX when it does not fit. */
uint64_t octave_to(int32_t octaves);

#endif
