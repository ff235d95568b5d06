/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a simulated repository, with all the values a worker and the sampler would give. */
#ifndef BENCH_ALARMS_GENERATE_H
#define BENCH_ALARMS_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "repository.h"

#define RUN_IOS 2000

struct generator;

/* The curves that all runs are made from. Immutable; NULL without memory. */
struct generator *generator_new(void);
struct generator *generator_free(struct generator *g);

/* The run that ends at this instant: the same one, however often and in whatever order it is asked
 * for. run is one that generate_prepare has made, and is used again and again. */
void generate_run(
	const struct generator *g, const struct repository *r, int64_t time, struct run *run);

/* A run on the heap for this repository, or NULL; freed with free(). */
struct run *generate_prepare(const struct repository *r);

#endif
