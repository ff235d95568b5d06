/* SPDX-License-Identifier: Apache-2.0 */
/* Everything `repoprobe doctor` knows of one repository, and its findings. */
#ifndef REPOPROBE_MODEL_CHECKUP_H
#define REPOPROBE_MODEL_CHECKUP_H

#include <stddef.h>
#include <stdint.h>

#include "model/examination.h"

#define CHECKUP_FINDINGS_MAX 40
#define CHECKUP_TEXT_MAX 511
#define CHECKUP_PROBES_MAX 32
#define CHECKUP_DAILY_WRITE_BYTES (UINT64_C(50) << 30) /* more than this is a warning */

enum checkup_level {
	CHECKUP_OK,
	CHECKUP_WARNING, /* affects numbers or operation */
	CHECKUP_PROBLEM, /* a run would fail, or the repository does not answer */
};
#define CHECKUP_LEVELS 3

struct checkup_finding {
	enum checkup_level level;
	enum examination_subject about;
	char text[CHECKUP_TEXT_MAX + 1];
};

/* The daily cost of probing, from the configuration. */
struct checkup_cost {
	const char
		*repository; /* configured at this path; "": none, the cost is that of a new one */
	size_t probe_count;
	const char *probes[CHECKUP_PROBES_MAX]; /* names */
	uint64_t written_bytes; /* per day, at most; UINT64_MAX: only time bounds a run */
	uint64_t read_bytes;
	uint64_t budget_bytes; /* daily_write_budget; 0: none */
	char stretch[CHECKUP_TEXT_MAX +
		1]; /* how it changes the configured intervals; "": not at all */
	uint32_t block_bytes; /* the largest */
	uint64_t min_free_bytes; /* the floor: the larger of the two */
	uint8_t min_free_percent;
};

/* Texts are lent. checkup_judge sets the findings; the caller sets everything else. */
struct checkup {
	const char *path; /* absolute */
	const char *probe_directory;
	const char *state_directory;
	const char *configuration_trouble; /* why it could not be read, or "" */
	const char *twin; /* another repository that is the same directory; NULL: none … */
	const char *twin_path; /* … and its path */
	struct checkup_cost cost;
	enum run_status status; /* of the examining worker: ok, error, timeout, stuck */
	const char *reason; /* why it has that status */
	const struct examination *examination; /* as far as it got */
	size_t finding_count;
	struct checkup_finding findings[CHECKUP_FINDINGS_MAX];
};

const char *checkup_level_name(enum checkup_level level); /* "problem" */

/* Fills the findings, worst first. */
void checkup_judge(struct checkup *c);

/* The worst of the findings, or of those about one subject. */
enum checkup_level checkup_level(const struct checkup *c);
enum checkup_level checkup_level_about(const struct checkup *c, enum examination_subject about);

/* Whether the examination completed a step, so that its facts are known. */
bool checkup_has(const struct checkup *c, enum examination_step step);

/* How much must stay free on the file system. */
uint64_t checkup_floor_bytes(const struct checkup *c);

#endif
