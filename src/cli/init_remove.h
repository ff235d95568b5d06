/* SPDX-License-Identifier: Apache-2.0 */
/* The result of `repoprobe init --remove`, as text and as JSON. */
#ifndef REPOPROBE_CLI_INIT_REMOVE_H
#define REPOPROBE_CLI_INIT_REMOVE_H

struct buf;
struct examination_removal;
struct json_t;

/* Appends lines on what was removed, what was kept, and why. name: of the repository; NULL: not
 * configured. file: the configuration file. */
void init_remove_text(const struct examination_removal *removal, const char *name, const char *file,
	struct buf *b);

/* Adds the same to a document. */
void init_remove_json(const struct examination_removal *removal, struct json_t *object);

#endif
