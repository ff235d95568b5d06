/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones without the C library, whose zone belongs to the whole process: TZif files (RFC 9636)
 * and POSIX rules, read once, then only asked. Bounded: hostile files are refused or harmless. */
#ifndef REPOPROBE_BASE_ZONE_H
#define REPOPROBE_BASE_ZONE_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct zone;

#define ZONE_FILE_MAX 65536 /* the largest of 2024 has 4 KiB */
#define ZONE_NAME_MAX 100
#define ZONE_OFFSET_MAX (INT64_C(26) * 3600) /* to either side; RFC 9636, 3.2 */
#define ZONE_SECONDS_MAX INT64_C(1000000000000) /* to either side of 1970: 31,000 years */

/* Where zones are found. Strings are lent. */
struct zone_places {
	const char *directory; /* "/usr/share/zoneinfo" */
	const char *local; /* as in TZ: a name, an absolute path, a rule, ""; NULL: local_file */
	const char *local_file; /* "/etc/localtime"; UTC when it is missing */
};

/* The system's: local comes from the environment's TZ. */
struct zone_places zone_places_system(void);

/* A zone by its name ("Europe/Berlin"; "UTC" needs no file), to be freed. Returns 0, -ENOENT (no
 * such zone; with a suggestion), -EINVAL (no name, or a damaged file), -ENOMEM, or the error of
 * reading. */
int zone_open(const struct zone_places *places, const char *name, struct zone **ret,
	struct error *reterr);

/* The local zone, likewise. */
int zone_open_local(const struct zone_places *places, struct zone **ret, struct error *reterr);

/* A zone from a TZif file's bytes, or from a POSIX rule. Return 0, -EINVAL or -ENOMEM. */
int zone_from_tzif(const void *data, size_t len, struct zone **ret, struct error *reterr);
int zone_from_rule(const char *text, struct zone **ret, struct error *reterr);

struct zone *zone_free(struct zone *zone); /* accepts NULL, returns NULL */

/* A stretch of time with one distance to UTC. */
struct zone_span {
	int32_t offset_sec; /* east of Greenwich */
	int64_t until_sec; /* its first second no more; INT64_MAX: it does not end */
};

/* What holds at an instant (seconds since 1970, UTC, within ZONE_SECONDS_MAX). Local times are
 * written as seconds, too: those of a clock in UTC that shows the same. */
struct zone_span zone_at(const struct zone *zone, int64_t utc_sec);

/* The first instant at which local clocks show that time or a later one: of a time that is there
 * twice the first, of one that is left out the end of the gap. Never falls as local_sec rises. */
int64_t zone_first_instant(const struct zone *zone, int64_t local_sec);

/* The latest time that local clocks have shown up to and at an instant. */
int64_t zone_latest_shown(const struct zone *zone, int64_t utc_sec);

#endif
