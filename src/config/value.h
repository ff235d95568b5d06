/* SPDX-License-Identifier: Apache-2.0 */
/* Parses one key's text by the type and range of its row. Private to src/config. */
#ifndef REPOPROBE_CONFIG_VALUE_H
#define REPOPROBE_CONFIG_VALUE_H

struct error;
struct schema_key;
struct source_value;

/* Fills everything except is_given and place; *ret must be empty before. Returns 0, -EINVAL,
 * -ERANGE, -EOPNOTSUPP with a sentence that names the key, or -ENOMEM. */
int value_read(const struct schema_key *key, const char *text, struct source_value *ret,
	struct error *reterr);

void value_done(struct source_value *value); /* the value is empty afterwards */

#endif
