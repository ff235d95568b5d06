/* SPDX-License-Identifier: Apache-2.0 */
/* One key's text to its value, by the row's type and range. Private to src/config. */
#ifndef REPOPROBE_CONFIG_VALUE_H
#define REPOPROBE_CONFIG_VALUE_H

struct error;
struct schema_key;
struct source_value;

/* Fills everything but is_given and place; *ret must be empty before. Returns 0, -EINVAL, -ERANGE,
 * -EOPNOTSUPP with a sentence that names the key, or -ENOMEM. */
int value_read(const struct schema_key *key, const char *text, struct source_value *ret,
	struct error *reterr);

void value_done(struct source_value *value); /* leaves it empty */

#endif
