/* SPDX-License-Identifier: Apache-2.0 */
/* A workload: what one run does to its file. One table of options serves the command line, the
 * configuration and the reports. Semantics: reference workloads 2.3 to 2.5. */
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
	WORKLOAD_MIXED, /* each I/O random with random_percent, else the next sequential one */
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

/* Zero means "no bound" for max_* and rate_*. Bounds include the warm-up and are of all threads
 * together; queue_depth, rates, think time and burst are of each, as in diskspd and fio. */
struct workload {
	char preset[WORKLOAD_PRESET_NAME_MAX + 1]; /* the preset it started from */
	uint32_t block_size_bytes; /* multiple of 4096 unless buffered or dsync */
	uint8_t write_percent; /* each I/O is a write with this chance */
	enum workload_pattern pattern;
	uint32_t align_bytes; /* random, mixed: 0 means block_size_bytes */
	uint8_t random_percent; /* mixed only */
	uint32_t queue_depth; /* outstanding I/Os per thread */
	uint32_t threads;
	enum workload_cache cache;
	uint64_t file_size_bytes; /* part of the probe file that is used; 0: chosen from free space
				   */
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
	uint64_t timeout_usec; /* from the start of the measurement; then outstanding I/Os are given
				  up */
	bool is_fresh; /* what is written goes to newly allocated space; reads are as ever */
};

struct workload_preset {
	const char *name;
	const char *summary; /* one line: which backup job does this */
	struct workload workload;
	uint64_t interval_usec; /* 5 min, heartbeat 1 min */
	uint64_t limit_usec; /* average latency, arrays and flash */
	uint64_t limit_critical_usec;
};

/* The fixed table of interfaces "Workload options", default first. Find answers NULL if unknown. */
const struct workload_preset *workload_preset_at(size_t i); /* NULL past the end */
const struct workload_preset *workload_preset_find(const char *name);
const struct workload_preset *workload_preset_default(void);

/* One option: the key in [probe] ("block_size"); on the command line '_' is '-' ("--block-size").
 */
struct workload_option {
	const char *key;
	const char *value_name; /* "SIZE", "PERCENT", … for --help */
	const char *help; /* one line */
	bool is_available; /* false: parsed by nobody, refused as "not in this version" */
};

const struct workload_option *workload_option_at(size_t i); /* NULL past the end */
const struct workload_option *workload_option_find(const char *key);

/* Sets one option from text ("preset" resets every other option to the preset's). Returns 0,
 * -ENOENT (no such option; reterr suggests one), -EOPNOTSUPP ("not in this version"), -EINVAL or
 * -ERANGE. */
int workload_set(struct workload *w, const char *key, const char *value, struct error *reterr);

/* Appends an option's value as workload_set would take it back; -ENOENT if unknown. */
int workload_get(const struct workload *w, const char *key, struct buf *b);

/* Whether workload_set takes each option's value: a workload can come over a wire, too. The file's
 * size, which free space decides, is no part of it. */
int workload_check_options(const struct workload *w, struct error *reterr);

/* What no single option can see: alignment, memory, file size against block size, a bound exists.
 */
int workload_check(const struct workload *w, struct error *reterr);

/* The part of workload_check that is about how many I/Os are out: memory, threads. */
int workload_check_depth(const struct workload *w, struct error *reterr);

/* "512K write, sequential, depth 2, direct+dsync" */
void workload_describe(const struct workload *w, struct buf *b);

/* {"preset", "block_size_bytes", "write_percent", "pattern", …}: only options that are available.
 */
struct json_t *workload_to_json(const struct workload *w);

/* Text that names what is measured: two workloads with the same text are one series. Bounds,
 * limits, timeout, seed and engine are no part of it. */
void workload_series_key(const struct workload *w, struct buf *b);

/* Does this workload read / write at all? */
bool workload_reads(const struct workload *w);
bool workload_writes(const struct workload *w);

#endif
