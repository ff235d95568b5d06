/* SPDX-License-Identifier: Apache-2.0 */
/* How one option of a workload is parsed and formatted. Private to src/model. */
#ifndef REPOPROBE_MODEL_WORKLOAD_FORM_H
#define REPOPROBE_MODEL_WORKLOAD_FORM_H

struct buf;
struct error;
struct workload;

struct workload_form {
	/* 0, -EINVAL or -ERANGE; the sentence names the value, not the option. */
	int (*set)(struct workload *w, const char *value, struct error *reterr);
	void (*get)(const struct workload *w, struct buf *b);
};

/* workload_word.c */
extern const struct workload_form workload_form_preset;
extern const struct workload_form workload_form_block_size;
extern const struct workload_form workload_form_pattern;
extern const struct workload_form workload_form_cache;
extern const struct workload_form workload_form_content;
extern const struct workload_form workload_form_engine;
extern const struct workload_form workload_form_fresh;

/* workload_number.c */
extern const struct workload_form workload_form_write;
extern const struct workload_form workload_form_queue_depth;
extern const struct workload_form workload_form_threads;
extern const struct workload_form workload_form_file_size;
extern const struct workload_form workload_form_duration;
extern const struct workload_form workload_form_warmup;
extern const struct workload_form workload_form_max_bytes;
extern const struct workload_form workload_form_max_ios;
extern const struct workload_form workload_form_rate;
extern const struct workload_form workload_form_rate_iops;
extern const struct workload_form workload_form_think_time;
extern const struct workload_form workload_form_burst;
extern const struct workload_form workload_form_seed;
extern const struct workload_form workload_form_timeout;

#endif
