/* SPDX-License-Identifier: Apache-2.0 */
/* Names of mute modes. */
#include "model/mute.h"

#include <assert.h>

#include "model/names.h"

static const char *const mode_names[MUTE_MODES] = {
	[MUTE_NONE] = "none",
	[MUTE_MESSAGES] = "mute",
	[MUTE_PROBING] = "pause",
};

const char *mute_mode_name(enum mute_mode mode)
{
	assert((size_t)mode < MUTE_MODES);
	return mode_names[mode];
}

int mute_mode_parse(const char *text, enum mute_mode *ret)
{
	int r = names_index(mode_names, MUTE_MESSAGES, MUTE_MODES, text);
	if (r < 0)
		return r;
	*ret = (enum mute_mode)r;
	return 0;
}
