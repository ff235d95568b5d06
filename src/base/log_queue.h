/* SPDX-License-Identifier: Apache-2.0 */
/* Lines waiting for the log's writer thread, oldest first, in a ring buffer of fixed size. Plain
 * data without a lock. A line that does not fit is lost and counted; the count keeps its position
 * in the order. */
#ifndef REPOPROBE_BASE_LOG_QUEUE_H
#define REPOPROBE_BASE_LOG_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINE_MAX 4096 /* bytes of a line including its line break: PIPE_BUF */
#define LOG_QUEUE_BYTES (256U << 10)

struct log_queue {
	char bytes[LOG_QUEUE_BYTES];
	size_t start;
	size_t used;
	uint32_t lost; /* after the newest line */
};

/* Copies the line (at most LOG_LINE_MAX). False: no room, it is counted as lost. */
bool log_queue_push(struct log_queue *queue, const char *line, size_t len);

/* Takes the oldest line (room for LOG_LINE_MAX) and returns its length; *ret_lost is the number of
 * lines lost just before it. 0 when the queue is empty; *ret_lost is then the number lost at its
 * end. */
size_t log_queue_pop(struct log_queue *queue, char *line, uint32_t *ret_lost);

#endif
