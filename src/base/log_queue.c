/* SPDX-License-Identifier: Apache-2.0 */
/* Each line follows a header; both may wrap around the end of the ring. */
#include "base/log_queue.h"

#include <assert.h>
#include <string.h>

struct header {
	uint32_t lost; /* lines lost before this one */
	uint32_t len;
};

static void put(struct log_queue *queue, const void *data, size_t len)
{
	size_t at = (queue->start + queue->used) % LOG_QUEUE_BYTES;
	size_t first = len < LOG_QUEUE_BYTES - at ? len : LOG_QUEUE_BYTES - at;

	memcpy(queue->bytes + at, data, first);
	memcpy(queue->bytes, (const char *)data + first, len - first);
	queue->used += len;
}

static void take(struct log_queue *queue, void *data, size_t len)
{
	size_t first = len < LOG_QUEUE_BYTES - queue->start ? len : LOG_QUEUE_BYTES - queue->start;

	memcpy(data, queue->bytes + queue->start, first);
	memcpy((char *)data + first, queue->bytes, len - first);
	queue->start = (queue->start + len) % LOG_QUEUE_BYTES;
	queue->used -= len;
}

bool log_queue_push(struct log_queue *queue, const char *line, size_t len)
{
	struct header header = { .lost = queue->lost, .len = (uint32_t)len };

	assert(len > 0 && len <= LOG_LINE_MAX);
	if (sizeof(header) + len > LOG_QUEUE_BYTES - queue->used) {
		queue->lost += queue->lost < UINT32_MAX;
		return false;
	}
	put(queue, &header, sizeof(header));
	put(queue, line, len);
	queue->lost = 0;
	return true;
}

size_t log_queue_pop(struct log_queue *queue, char *line, uint32_t *ret_lost)
{
	struct header header = { .lost = queue->lost, .len = 0 };

	if (queue->used == 0) {
		queue->lost = 0;
	} else {
		take(queue, &header, sizeof(header));
		take(queue, line, header.len);
	}
	*ret_lost = header.lost;
	return header.len;
}
