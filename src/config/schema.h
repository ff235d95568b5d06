/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of the configuration: a row for each section and each key. The workload options in
 * [probe] are the model's table, see schema_find_option. Private to src/config and its tests. */
#ifndef REPOPROBE_CONFIG_SCHEMA_H
#define REPOPROBE_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct source_value;

enum schema_section {
	SCHEMA_DAEMON,
	SCHEMA_HTTP,
	SCHEMA_STORE,
	SCHEMA_DEFAULTS,
	SCHEMA_REPOSITORY,
	SCHEMA_PROBE,
	SCHEMA_ALARM,
	SCHEMA_MUTE,
	SCHEMA_NOTIFY,
	SCHEMA_JOB,
};
#define SCHEMA_SECTIONS 10

enum schema_type {
	SCHEMA_PATH, /* absolute */
	SCHEMA_COUNT, /* a whole number */
	SCHEMA_DURATION, /* min and max in microseconds */
	SCHEMA_CALENDAR, /* in systemd's syntax, or empty: none */
	SCHEMA_BOOLEAN,
	SCHEMA_LOG_LEVEL,
	SCHEMA_FREE, /* a size or a percentage */
	SCHEMA_WORD, /* without blanks, at most max bytes, or empty */
	SCHEMA_URL, /* http, https, or empty */
	SCHEMA_NAMES, /* lists: of probes, */
	SCHEMA_ADDRESSES, /* of ADDRESS:PORT, may be empty, */
	SCHEMA_HOSTS, /* of host names without port, may be empty */
	SCHEMA_SIZE, /* min and max in bytes */
	SCHEMA_LABEL, /* a user-defined name, or empty: none */
	SCHEMA_WHEN_BUSY, /* enum config_when_busy */
	SCHEMA_CONFIRMATIONS, /* rising durations, or 0: none */
	SCHEMA_LABELS, /* a list of names, may be empty */
	SCHEMA_MUTE_TIME,
	SCHEMA_CHOICE, /* one of the key's words; the number is its index */
	SCHEMA_TEXT, /* any text of at most max bytes of UTF-8 */
	SCHEMA_CONDITION, /* "write p99 > 50ms" */
	SCHEMA_HOLD, /* "2 of 3" */
	SCHEMA_CLEAR, /* a condition, optionally with "for N", or empty: none */
};
#define SCHEMA_TYPES 23

struct schema_key {
	unsigned sections; /* bits 1 << enum schema_section in which it is allowed */
	const char *name;
	const char *help; /* one line; this and the following: NULL, 0 while not available */
	const char *default_text; /* NULL: must be given */
	enum schema_type type;
	bool is_available; /* else refused as "not in this version" */
	bool is_reloadable; /* a running daemon applies a new value */
	bool takes_zero; /* SCHEMA_SIZE: 0 (none) is allowed below min */
	bool takes_auto; /* "auto" is allowed instead of a value of its type */
	const char *const *choices; /* ended by NULL */
	uint64_t min;
	uint64_t max;
	size_t offset; /* of its struct source_value within the section's struct */
};

/* The rows (schema_keys.c). */
extern const struct schema_key schema_keys[];
extern const size_t schema_key_count;

const char *schema_section_name(enum schema_section section); /* "daemon" */
bool schema_section_is_named(enum schema_section section); /* [repository NAME] */
bool schema_section_is_available(enum schema_section section); /* it has an available key */
bool schema_section_find(const char *name, enum schema_section *ret);
const char *schema_section_suggest(const char *name); /* an available one, or NULL */

/* Appends "[repository nas1]", or "[http]" with a NULL name. */
void schema_section_title(struct buf *b, enum schema_section section, const char *name);

const struct schema_key *schema_key_at(size_t i); /* NULL past the end */
const struct schema_key *schema_find(enum schema_section section, const char *name);

/* The index of a workload option, or -1: not an option at all. */
int schema_find_option(const char *name);

/* The key that an unknown key in that section probably means, or NULL. */
const char *schema_suggest(enum schema_section section, const char *name);

/* The first other section with an available key of that name. */
bool schema_find_elsewhere(const char *name, enum schema_section *ret);

static inline bool schema_key_is_in(const struct schema_key *key, enum schema_section section)
{
	return (key->sections >> section & 1) != 0;
}

/* A key's value in its section's struct. Lent. */
struct source_value *schema_value(const struct schema_key *key, void *section);
const struct source_value *schema_value_const(const struct schema_key *key, const void *section);

#endif
