/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics of short numbers without sorting them. */
#ifndef REPOPROBE_ALARM_SELECT_H
#define REPOPROBE_ALARM_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* The value at this place of the order (0: the smallest). Moves the values about. place < count. */
uint16_t select_place(uint16_t *values, size_t count, size_t place);

/* The lower of the two in the middle when there are two. count > 0. */
uint16_t select_median(uint16_t *values, size_t count);

/* So many percent are at most this. count > 0. */
uint16_t select_percentile(uint16_t *values, size_t count, unsigned percent);

#endif
