/* SPDX-License-Identifier: Apache-2.0 */
/* A short list, searched linearly. No I/O and no clock. */
#include "config/mutes.h"

#include "alarm/mute_time.h"
#include "config/config.h"

#include <errno.h>
#include <string.h>

static bool is_about(const struct mute *mute, const char *repository)
{
	return mute->repository[0] == '\0' || strcmp(mute->repository, repository) == 0;
}

static bool holds(const struct mute *mute, int64_t now_usec)
{
	return mute->from_usec <= now_usec && now_usec < mute->until_usec;
}

static void unite(struct mute_verdict *verdict, const struct mute_verdict *also)
{
	if (also->mode > verdict->mode ||
		(also->mode == verdict->mode && also->until_usec > verdict->until_usec))
		*verdict = *also;
}

static bool is_configured_for(const struct config_mute *mute, const char *repository)
{
	for (size_t i = 0; i < mute->repository_count; i++)
		if (strcmp(mute->repositories[i], repository) == 0)
			return true;
	return mute->repository_count == 0;
}

struct mute_verdict mutes_find(const struct mutes *mutes, const struct config *config,
	const char *repository, int64_t now_usec)
{
	struct mute_verdict verdict = { .mode = MUTE_NONE, .reason = "" };
	int64_t from_usec;

	for (size_t i = 0; i < mutes->count; i++) {
		const struct mute *m = &mutes->items[i];
		const struct mute_verdict also = { m->mode, m->until_usec, m->reason };
		if (is_about(m, repository) && holds(m, now_usec))
			unite(&verdict, &also);
	}
	for (size_t i = 0; config && i < config->mute_count; i++) {
		const struct config_mute *m = &config->mutes[i];
		struct mute_verdict also = { .mode = m->mode, .reason = m->reason };
		if (is_configured_for(m, repository) &&
			mute_time_holds(m->when, now_usec, &from_usec, &also.until_usec))
			unite(&verdict, &also);
	}
	return verdict;
}

static void drop_over(struct mutes *mutes, int64_t now_usec)
{
	size_t kept = 0;

	for (size_t i = 0; i < mutes->count; i++)
		if (mutes->items[i].until_usec > now_usec)
			mutes->items[kept++] = mutes->items[i];
	mutes->count = kept;
}

int mutes_add(struct mutes *mutes, const struct mute *mute, int64_t now_usec)
{
	for (size_t i = 0; i < mutes->count; i++)
		if (mutes->items[i].id == mute->id)
			return 0; /* already there: it was read again */
	/* Only when full: a clock that runs ahead for a while must not remove them permanently. */
	if (mutes->count == MUTES_MAX)
		drop_over(mutes, now_usec);
	if (mutes->count == MUTES_MAX)
		return -ENOBUFS;
	mutes->items[mutes->count++] = *mute;
	return 0;
}

size_t mutes_end(struct mutes *mutes, const char *repository, int64_t now_usec,
	void (*each)(void *data, const struct mute *mute), void *data)
{
	size_t ended = 0;
	size_t kept = 0;

	for (size_t i = 0; i < mutes->count; i++) {
		struct mute *m = &mutes->items[i];
		bool is_meant = !repository || strcmp(m->repository, repository) == 0;
		if (!is_meant || m->until_usec <= now_usec) {
			mutes->items[kept++] = *m;
			continue;
		}
		m->until_usec = now_usec;
		each(data, m);
		ended++;
	}
	mutes->count = kept;
	return ended;
}
