/* SPDX-License-Identifier: Apache-2.0 */
/* The mutes in force: the requested ones and those of the configuration. Requested mutes are also
 * stored in the history. */
#ifndef REPOPROBE_CONFIG_MUTES_H
#define REPOPROBE_CONFIG_MUTES_H

#include <stddef.h>
#include <stdint.h>

#include "model/mute.h"

struct config;

#define MUTES_MAX 256 /* requested and not over */

struct mutes {
	size_t count;
	struct mute items[MUTES_MAX];
};

/* The combined effect of both kinds on a repository (config may be NULL): the strongest mode, the
 * latest end. */
struct mute_verdict {
	enum mute_mode mode; /* MUTE_NONE: not muted */
	int64_t until_usec; /* of those with that mode */
	const char *reason; /* of the one that ends last; lent until the next change */
};
struct mute_verdict mutes_find(const struct mutes *mutes, const struct config *config,
	const char *repository, int64_t now_usec);

/* Adds one. Returns 0, or -ENOBUFS when there are too many; mutes that are over are removed to make
 * room. */
int mutes_add(struct mutes *mutes, const struct mute *mute, int64_t now_usec);

/* Ends those of a repository (NULL: of all repositories, including those of a single one), calls
 * each() with their new state, and returns how many there were. */
size_t mutes_end(struct mutes *mutes, const char *repository, int64_t now_usec,
	void (*each)(void *data, const struct mute *mute), void *data);

#endif
