/* SPDX-License-Identifier: Apache-2.0 */
/* The mutes in force: those that somebody asked for, and those of the configuration. What is asked
 * for is kept in the history, too. */
#ifndef REPOPROBE_CONFIG_MUTES_H
#define REPOPROBE_CONFIG_MUTES_H

#include <stddef.h>
#include <stdint.h>

#include "model/mute.h"

struct config;

#define MUTES_MAX 256 /* asked for and not over */

struct mutes {
	size_t count;
	struct mute items[MUTES_MAX];
};

/* What holds at a repository, of both kinds (config may be NULL); all that does is one: the
 * stronger mode, the later end. */
struct mute_verdict {
	enum mute_mode mode; /* MUTE_NONE: nothing does */
	int64_t until_usec; /* of those with that mode */
	const char *reason; /* of the one that ends last; lent until the next change */
};
struct mute_verdict mutes_find(const struct mutes *mutes, const struct config *config,
	const char *repository, int64_t now_usec);

/* Takes one in. Returns 0, or -ENOBUFS when there are too many; those that are over make room. */
int mutes_add(struct mutes *mutes, const struct mute *mute, int64_t now_usec);

/* Ends those of a repository (NULL: of all repositories, those of a single one included), calls
 * each() with what they are now, and returns how many there were. */
size_t mutes_end(struct mutes *mutes, const char *repository, int64_t now_usec,
	void (*each)(void *data, const struct mute *mute), void *data);

#endif
