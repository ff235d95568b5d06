/* SPDX-License-Identifier: Apache-2.0 */
/* A workload: the I/O that one run does on its file. One table of options serves the command line,
 * the configuration and the reports. Semantics: reference workloads 2.3 to 2.5. */
#ifndef REPOPROBE_MODEL_WORKLOAD_H
#define REPOPROBE_MODEL_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;
struct json_t;

#define WORKLOAD_BLOCK_SIZE_MAX (UINT32_C(64) << 20)
#define WORKLOAD_QUEUE_DEPTH_MAX 1024
#define WORKLOAD_THREADS_MAX 256
#define WORKLOAD_OUT_MAX 16384 /* queue_depth × threads … */
#define WORKLOAD_OUT_THREADS_MAX 1024 /* … with a thread for each */
#define WORKLOAD_BUFFER_BYTES_MAX (UINT64_C(1) << 30) /* block_size × queue_depth × threads */
#define WORKLOAD_FILE_SIZE_MIN (UINT64_C(1) << 20)
#define WORKLOAD_FILE_SIZE_DEFAULT                                                                 \
	(UINT64_C(1) << 30) /* at most: 1 % of the free space below it                             \
			     */

enum workload_pattern {
	WORKLOAD_SEQUENTIAL, /* next offset, wrapping at the end of the file */
	WORKLOAD_RANDOM, /* multiples of align_bytes; overlaps allowed when below block size */
	WORKLOAD_MIXED, /* each I/O is random with random_percent, else the next sequential one */
};

enum workload_cache {
	WORKLOAD_DIRECT, /* O_DIRECT */
	WORKLOAD_DIRECT_DSYNC, /* O_DIRECT | O_DSYNC: diskspd's -Sh; the default */
	WORKLOAD_DSYNC, /* O_DSYNC through the page cache: -Sw */
	WORKLOAD_BUFFERED, /* page cache */
};

enum workload_content {
	WORKLOAD_CONTENT_RANDOM, /* incompressible, unique per 4 KiB and per run */
	WORKLOAD_CONTENT_ZERO,
	WORKLOAD_CONTENT_COMPRESSIBLE,
};

enum workload_engine {
	WORKLOAD_ENGINE_AUTO,
	WORKLOAD_ENGINE_IO_URING,
	WORKLOAD_ENGINE_THREADS,
};

#define WORKLOAD_PRESET_NAME_MAX 31

/* Zero means "no bound" for max_* and rate_*. Bounds include the warm-up and cover all threads
 * together; queue_depth, rates, think time and burst apply to each, as in diskspd and fio. */
struct workload {
	char preset[WORKLOAD_PRESET_NAME_MAX + 1]; /* the preset it started from */
	uint32_t block_size_bytes; /* multiple of 4096 unless buffered or dsync */
	uint8_t write_percent; /* probability of each I/O to be a write */
	enum workload_pattern pattern;
	uint32_t align_bytes; /* random, mixed: 0 means block_size_bytes */
	uint8_t random_percent; /* mixed only */
	uint32_t queue_depth; /* outstanding I/Os per thread */
	uint32_t threads;
	enum workload_cache cache;
	uint64_t file_size_bytes; /* part of the probe file that is used; 0: set from free space */
	uint64_t duration_usec;
	uint64_t warmup_ios; /* either a number of I/Os … */
	uint64_t warmup_usec; /* … or a duration; left out of the statistics */
	uint64_t max_bytes;
	uint64_t max_ios;
	uint64_t rate_bytes_per_sec;
	uint64_t rate_ios_per_sec;
	uint64_t think_time_usec;
	uint32_t burst_ios; /* I/Os before each think time; 0 means 1 */
	bool has_seed;
	uint64_t seed;
	enum workload_content content;
	uint8_t compressible_percent;
	enum workload_engine engine;
	uint64_t timeout_usec; /* from the start of the measurement; outstanding I/Os are then
				  abandoned */
	bool is_fresh; /* writes go to newly allocated space; reads are unaffected */
};

struct workload_preset {
	const char *name;
	const char *summary; /* one line: the backup job that does this */
	struct workload workload;
	uint64_t interval_usec; /* 5 min, heartbeat 1 min */
	uint64_t limit_usec; /* of average latency, for arrays and flash */
	uint64_t limit_critical_usec;
};

/* The fixed table of interfaces "Workload options", default first. Find returns NULL if unknown. */
const struct workload_preset *workload_preset_at(size_t i); /* NULL past the end */
const struct workload_preset *workload_preset_find(const char *name);
const struct workload_preset *workload_preset_default(void);

/* One option: the key in [probe] ("block_size"); the command line uses '-' for '_'
 * ("--block-size"). */
struct workload_option {
	const char *key;
	const char *value_name; /* "SIZE", "PERCENT", … for --help */
	const char *help; /* one line */
	bool is_available; /* false: not parsed, refused as "not in this version" */
};

const struct workload_option *workload_option_at(size_t i); /* NULL past the end */
const struct workload_option *workload_option_find(const char *key);

/* Sets one option from text ("preset" resets every other option to the preset's). Returns 0,
 * -ENOENT (no such option; reterr suggests one), -EOPNOTSUPP ("not in this version"), -EINVAL or
 * -ERANGE. */
int workload_set(struct workload *w, const char *key, const char *value, struct error *reterr);

/* Appends an option's value in the form that workload_set accepts; -ENOENT if unknown. */
int workload_get(const struct workload *w, const char *key, struct buf *b);

/* Checks that workload_set would accept each option's value, because a workload can also come over
 * a wire. The file's size, which free space determines, is not checked. */
int workload_check_options(const struct workload *w, struct error *reterr);

/* Checks that involve several options: alignment, memory, file size against block size, a bound
 * exists. */
int workload_check(const struct workload *w, struct error *reterr);

/* The part of workload_check about the number of I/Os in flight: memory, threads. */
int workload_check_depth(const struct workload *w, struct error *reterr);

/* "512K write, sequential, depth 2, direct+dsync" */
void workload_describe(const struct workload *w, struct buf *b);

/* {"preset", "block_size_bytes", "write_percent", "pattern", …}: only available options. */
struct json_t *workload_to_json(const struct workload *w);

#define WORKLOAD_SERIES_KEY_MAX 1023 /* bytes of workload_series_key's */
/* The key of a series: two workloads with the same text are the same series. Bounds, limits,
 * timeout, seed and engine are not part of it. */
void workload_series_key(const struct workload *w, struct buf *b);

/* Whether this workload reads / writes at all. */
bool workload_reads(const struct workload *w);
bool workload_writes(const struct workload *w);

#endif
