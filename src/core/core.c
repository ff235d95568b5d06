/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is to be done. */
#include "core/core.h"

#include <stddef.h>

#include "model/batch.h"

void core_actions_add(struct core_actions *actions, struct batch *batch)
{
	batch->next = NULL;
	if (actions->last)
		actions->last->next = batch;
	else
		actions->first = batch;
	actions->last = batch;
	actions->is_changed = true;
}

struct batch *core_actions_take(struct core_actions *actions)
{
	struct batch *batch = actions->first;

	if (!batch)
		return NULL;
	actions->first = batch->next;
	if (!actions->first)
		actions->last = NULL;
	batch->next = NULL;
	return batch;
}
