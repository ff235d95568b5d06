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

/* A piece takes only a moment to write, so that until_nsec is not exceeded by much. */
#define PIECE_BYTES_MIN (UINT64_C(64) << 10)
#define PIECE_BYTES_FIRST (UINT64_C(256) << 10)
#define PIECE_BYTES_MAX (UINT64_C(1) << 20)
#define CHECK_PIECES 4 /* interval of the free-space check and of flushes, in pieces */
#define CHECK_NSEC_MIN (NSEC_PER_SEC / 4) /* faster than this: larger pieces */
#define CHECK_NSEC_MAX NSEC_PER_SEC /* slower than this: smaller pieces */

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + LAYOUT_UNIT_BYTES - 1) / LAYOUT_UNIT_BYTES * LAYOUT_UNIT_BYTES;
}

/* Pieces end at multiples of their size, so that a later call continues at the same boundaries. */
static uint64_t next_piece(const struct layout *l, uint64_t to_bytes)
{
	uint64_t end = (l->end_bytes / l->piece_bytes + 1) * l->piece_bytes;

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
			continue; /* retry without O_DIRECT */
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

static void choose_piece(struct layout *l)
{
	uint64_t now = clock_monotonic_nsec(l->clock);
	uint64_t taken_nsec = now - l->checked_nsec;

	if (taken_nsec < CHECK_NSEC_MIN && l->piece_bytes < PIECE_BYTES_MAX)
		l->piece_bytes *= 2;
	else if (taken_nsec > CHECK_NSEC_MAX && l->piece_bytes > PIECE_BYTES_MIN)
		l->piece_bytes /= 2;
	l->checked_nsec = now;
	l->checked_bytes = l->end_bytes;
}

/* Checks free space and flushes, every few pieces. */
static int check(struct layout *l, uint64_t to_bytes)
{
	uint64_t more_bytes = to_bytes - l->end_bytes;

	if (more_bytes > PIECE_BYTES_MAX * CHECK_PIECES)
		more_bytes = PIECE_BYTES_MAX * CHECK_PIECES;
	if (l->place && !place_has_space(l->place, more_bytes))
		return -ENOSPC;
	int r = l->is_direct ? 0 : flush(l);
	choose_piece(l);
	return r;
}

static int extend(struct layout *l, uint8_t *piece, uint64_t to_bytes, uint64_t until_nsec,
	enum job_phase phase)
{
	uint64_t start_bytes = l->end_bytes;

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
		if (r == 0 && l->end_bytes - l->checked_bytes >= l->piece_bytes * CHECK_PIECES)
			r = check(l, to_bytes);
		if (r < 0)
			return r;
	}
	return 0;
}

int layout_extend(
	struct layout *layout, uint64_t to_bytes, uint64_t until_nsec, enum job_phase phase)
{
	uint64_t written_bytes = layout->written_bytes;
	uint8_t *piece = aligned_alloc(LAYOUT_UNIT_BYTES, PIECE_BYTES_MAX);

	if (!piece)
		return -ENOMEM;
	if (layout->piece_bytes == 0)
		layout->piece_bytes = PIECE_BYTES_FIRST;
	layout->checked_bytes = layout->end_bytes;
	layout->checked_nsec = clock_monotonic_nsec(layout->clock);
	int r = extend(layout, piece, round_up(to_bytes), until_nsec, phase);
	free(piece);
	int flushed = layout->written_bytes > written_bytes ? flush(layout) : 0;
	return r < 0 ? r : flushed;
}
