/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a probe file's content. */
#include "probe/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "probe/payload.h"
#include "probe/place.h"
#include "probe/setup.h"

#define PIECE_BYTES (UINT64_C(1) << 20)
/* Free space is looked at so often, and dirty pages are sent: few enough that to send them takes
 * seconds only where a single write would. */
#define CHECK_BYTES (UINT64_C(4) << 20)

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + LAYOUT_UNIT_BYTES - 1) / LAYOUT_UNIT_BYTES * LAYOUT_UNIT_BYTES;
}

/* Pieces end at multiples of their size, so that a later call goes on where this one would have. */
static uint64_t next_piece(const struct layout *l, uint64_t to_bytes)
{
	uint64_t end = (l->end_bytes / PIECE_BYTES + 1) * PIECE_BYTES;

	return (end < to_bytes ? end : to_bytes) - l->end_bytes;
}

static int make_buffered(struct layout *l)
{
	int flags = fcntl(l->fd, F_GETFL);

	if (flags < 0 || fcntl(l->fd, F_SETFL, flags & ~O_DIRECT) < 0)
		return -errno;
	l->is_direct = false;
	return 0;
}

static int write_piece(struct layout *l, const uint8_t *data, uint64_t bytes)
{
	while (bytes > 0) {
		ssize_t n = pwrite(l->fd, data, bytes, (off_t)l->end_bytes);
		int r = n < 0 ? -errno : 0;
		setup_end_step(l->setup, RUN_SETUP_LAYOUT);
		if (r == -EINTR || r == -EAGAIN)
			continue;
		if (r == -EINVAL && l->is_direct)
			r = make_buffered(l);
		if (r < 0)
			return r;
		if (n == 0)
			return -EIO;
		if (n < 0)
			continue; /* once more, without O_DIRECT */
		data += n;
		bytes -= (uint64_t)n;
		l->end_bytes += (uint64_t)n;
		l->written_bytes += (uint64_t)n;
		l->written_ios++;
	}
	return 0;
}

static int flush(const struct layout *l)
{
	int r = fdatasync(l->fd) < 0 ? -errno : 0;

	setup_end_step(l->setup, RUN_SETUP_LAYOUT);
	return r;
}

/* What is due every so many bytes. */
static int check(const struct layout *l, uint64_t to_bytes)
{
	uint64_t more_bytes = to_bytes - l->end_bytes;

	if (more_bytes > CHECK_BYTES)
		more_bytes = CHECK_BYTES;
	if (l->place && !place_has_space(l->place, more_bytes))
		return -ENOSPC;
	return l->is_direct ? 0 : flush(l);
}

static int extend(struct layout *l, uint8_t *piece, uint64_t to_bytes, uint64_t until_nsec,
	enum job_phase phase)
{
	uint64_t start_bytes = l->end_bytes;
	uint64_t checked_bytes = l->end_bytes;

	while (l->end_bytes < to_bytes) {
		uint64_t now = clock_monotonic_nsec(l->clock);
		if (now >= until_nsec)
			return 0;
		observe_tell(l->observe, now,
			&(struct job_progress){
				phase, l->end_bytes - start_bytes, to_bytes - start_bytes });
		if (observe_is_cancelled(l->observe))
			return -ECANCELED;
		uint64_t bytes = next_piece(l, to_bytes);
		payload_fill(piece, bytes, l->seed, l->units);
		l->units += bytes / PAYLOAD_UNIT_BYTES;
		int r = write_piece(l, piece, bytes);
		if (r == 0 && l->end_bytes - checked_bytes >= CHECK_BYTES) {
			checked_bytes = l->end_bytes;
			r = check(l, to_bytes);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int layout_extend(
	struct layout *layout, uint64_t to_bytes, uint64_t until_nsec, enum job_phase phase)
{
	uint64_t written_bytes = layout->written_bytes;
	uint8_t *piece = aligned_alloc(LAYOUT_UNIT_BYTES, PIECE_BYTES);

	if (!piece)
		return -ENOMEM;
	int r = extend(layout, piece, round_up(to_bytes), until_nsec, phase);
	free(piece);
	int flushed = layout->written_bytes > written_bytes ? flush(layout) : 0;
	return r < 0 ? r : flushed;
}
