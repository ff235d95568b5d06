/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones without the C library, whose zone is global to the process: TZif files (RFC 9636) and
 * POSIX rules, read once, immutable afterwards. Bounded: hostile files are refused or harmless. */
#ifndef REPOPROBE_BASE_ZONE_H
#define REPOPROBE_BASE_ZONE_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct zone;

#define ZONE_FILE_MAX 65536 /* the largest of 2024 has 4 KiB */
#define ZONE_NAME_MAX 100
#define ZONE_OFFSET_MAX (INT64_C(26) * 3600) /* to either side; RFC 9636, 3.2 */
#define ZONE_SECONDS_MAX INT64_C(1000000000000) /* on either side of 1970: 31,000 years */

/* Where zone files are. Strings are lent. */
struct zone_places {
	const char *directory; /* "/usr/share/zoneinfo" */
	const char *local; /* as in TZ: a name, an absolute path, a rule, ""; NULL: local_file */
	const char *local_file; /* "/etc/localtime"; UTC when it is missing */
};

/* The system's places: local comes from the environment's TZ. */
struct zone_places zone_places_system(void);

/* A zone by name ("Europe/Berlin"; "UTC" needs no file); the caller frees it. Returns 0, -ENOENT
 * (no such zone; with a suggestion), -EINVAL (not a zone name, or a damaged file), -ENOMEM, or the
 * error of reading. */
int zone_open(const struct zone_places *places, const char *name, struct zone **ret,
	struct error *reterr);

/* The same for the local zone. */
int zone_open_local(const struct zone_places *places, struct zone **ret, struct error *reterr);

/* A zone from a TZif file's bytes, or from a POSIX rule. Return 0, -EINVAL or -ENOMEM. */
int zone_from_tzif(const void *data, size_t len, struct zone **ret, struct error *reterr);
int zone_from_rule(const char *text, struct zone **ret, struct error *reterr);

struct zone *zone_free(struct zone *zone); /* accepts NULL, returns NULL */

/* An interval of time with a constant offset from UTC. */
struct zone_span {
	int32_t offset_sec; /* east of Greenwich */
	int64_t until_sec; /* exclusive; INT64_MAX: it does not end */
};

/* The offset in force at an instant (seconds since 1970, UTC, within ZONE_SECONDS_MAX). Local times
 * are also written as seconds: those of a UTC clock that shows the same time. */
struct zone_span zone_at(const struct zone *zone, int64_t utc_sec);

/* The first instant at which local clocks show that time or a later one: the first of two for a
 * repeated time, the end of the gap for a skipped one. Never decreases as local_sec increases. */
int64_t zone_first_instant(const struct zone *zone, int64_t local_sec);

/* The latest time that local clocks have shown up to and at an instant. */
int64_t zone_latest_shown(const struct zone *zone, int64_t utc_sec);

#endif
