/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe init --remove`: what it did, in words and as JSON. */
#ifndef REPOPROBE_CLI_INIT_REMOVE_H
#define REPOPROBE_CLI_INIT_REMOVE_H

struct buf;
struct examination_removal;
struct json_t;

/* Appends lines on what was removed and what stays, and why. name: of the repository; NULL: it is
 * not configured. file: where it is. */
void init_remove_text(const struct examination_removal *removal, const char *name, const char *file,
	struct buf *b);

/* Adds the same to a document. */
void init_remove_json(const struct examination_removal *removal, struct json_t *object);

#endif
