/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the latest samples and finds those around a run. */
#include <string.h>

#include "model/facts.h"

#define LATE_NSEC (2 * FACTS_INTERVAL_NSEC) /* a sample further off says little about a run */

void facts_ring_set_device(struct facts_ring *ring, const struct device_info *device)
{
	bool has_device = device != NULL;

	if (has_device != ring->has_device || (device && !device_is_same(device, &ring->device)))
		ring->sample_count = 0;
	ring->has_device = has_device;
	if (device)
		ring->device = *device;
}

static const struct facts_sample *sample_at(const struct facts_ring *ring, size_t i)
{
	return &ring->samples[i % FACTS_SAMPLES];
}

/* Index of the oldest that is still kept; count is one past the newest. */
static size_t oldest(size_t count, size_t kept)
{
	return count > kept ? count - kept : 0;
}

void facts_ring_add(struct facts_ring *ring, const struct facts_sample *sample)
{
	if (ring->sample_count > 0 &&
		sample->monotonic_nsec <= sample_at(ring, ring->sample_count - 1)->monotonic_nsec)
		return;
	ring->samples[ring->sample_count++ % FACTS_SAMPLES] = *sample;
}

void facts_ring_add_span(struct facts_ring *ring, const struct facts_span *span)
{
	ring->spans[ring->span_count++ % FACTS_SPANS] = *span;
}

/* The first sample that is not before `from`, or NULL when it is after `until`. */
static const struct facts_sample *find_sample(
	const struct facts_ring *ring, uint64_t from, uint64_t until)
{
	for (size_t i = oldest(ring->sample_count, FACTS_SAMPLES); i < ring->sample_count; i++) {
		const struct facts_sample *s = sample_at(ring, i);
		if (s->monotonic_nsec >= from)
			return s->monotonic_nsec <= until ? s : NULL;
	}
	return NULL;
}

/* The sample at or shortly before FACTS_LEAD_NSEC before begin, else the next one. */
static const struct facts_sample *find_earlier(const struct facts_ring *ring, uint64_t begin_nsec)
{
	uint64_t lead = FACTS_LEAD_NSEC + FACTS_INTERVAL_NSEC;

	return find_sample(ring, begin_nsec > lead ? begin_nsec - lead : 0, begin_nsec);
}

static uint64_t share_of(uint64_t total, uint64_t part_nsec, uint64_t whole_nsec)
{
	if (part_nsec >= whole_nsec)
		return total;
	return (uint64_t)((unsigned __int128)total * part_nsec / whole_nsec);
}

/* Adds a span's share between two moments, assuming a constant rate. False when it is not known. */
static bool add_span(
	const struct facts_span *span, uint64_t from, uint64_t to, struct facts_own *own)
{
	uint64_t begin = span->begin_nsec > from ? span->begin_nsec : from;
	uint64_t end = span->end_nsec < to ? span->end_nsec : to;

	if (begin > end || span->end_nsec == from || span->begin_nsec == to)
		return true;
	if (!span->is_known)
		return false;
	uint64_t whole = span->end_nsec - span->begin_nsec;
	own->bytes += share_of(span->own.bytes, end - begin, whole);
	own->ios += share_of(span->own.ios, end - begin, whole);
	own->synced_writes += share_of(span->own.synced_writes, end - begin, whole);
	return true;
}

static bool sum_spans(
	const struct facts_ring *ring, uint64_t from, uint64_t to, struct facts_own *ret)
{
	size_t first = oldest(ring->span_count, FACTS_SPANS);
	struct facts_own own = { 0 };

	/* A dropped span ended before the oldest that is kept, but perhaps after `from`. */
	if (first > 0 && ring->spans[first % FACTS_SPANS].end_nsec > from)
		return false;
	for (size_t i = first; i < ring->span_count; i++) {
		if (!add_span(&ring->spans[i % FACTS_SPANS], from, to, &own))
			return false;
	}
	*ret = own;
	return true;
}

struct facts facts_ring_around(
	const struct facts_ring *ring, uint64_t begin_nsec, uint64_t end_nsec)
{
	const struct facts_sample *earlier = find_earlier(ring, begin_nsec);
	const struct facts_sample *later = find_sample(ring, end_nsec, end_nsec + LATE_NSEC);
	struct facts_own own;

	if (!earlier || !later)
		return (struct facts){ 0 };
	bool is_known = sum_spans(ring, earlier->monotonic_nsec, later->monotonic_nsec, &own);
	return facts_between(
		ring->has_device ? &ring->device : NULL, earlier, later, is_known ? &own : NULL);
}

struct facts facts_ring_recent(const struct facts_ring *ring, uint64_t now_nsec)
{
	if (ring->sample_count == 0)
		return (struct facts){ 0 };
	uint64_t newest_nsec = sample_at(ring, ring->sample_count - 1)->monotonic_nsec;
	if (newest_nsec + LATE_NSEC < now_nsec)
		return (struct facts){ 0 };
	return facts_ring_around(ring, newest_nsec, newest_nsec);
}
