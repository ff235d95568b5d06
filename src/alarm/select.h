/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics of 16-bit values without sorting. */
#ifndef REPOPROBE_ALARM_SELECT_H
#define REPOPROBE_ALARM_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* The value at this rank (0: the smallest). Reorders the values. place < count. */
uint16_t select_place(uint16_t *values, size_t count, size_t place);

/* The lower of the two middle values if count is even. count > 0. */
uint16_t select_median(uint16_t *values, size_t count);

/* This percentage of the values is at most the result. count > 0. */
uint16_t select_percentile(uint16_t *values, size_t count, unsigned percent);

#endif
