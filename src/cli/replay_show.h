/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a replay: a table and a sentence, or one JSON document. */
#ifndef REPOPROBE_CLI_REPLAY_SHOW_H
#define REPOPROBE_CLI_REPLAY_SHOW_H

#include <stdint.h>

struct buf;
struct custom_rule;
struct json_t;
struct replay;

struct replay_outcome {
	const struct custom_rule *rule;
	uint64_t days;
	int64_t from_usec;
	int64_t now_usec;
	const struct replay *replay; /* after replay_end */
};

void replay_show_text(const struct replay_outcome *outcome, struct buf *b);
struct json_t *replay_show_json(const struct replay_outcome *outcome);

#endif
