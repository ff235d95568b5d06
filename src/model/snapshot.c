/* SPDX-License-Identifier: Apache-2.0 */
/* A repository's state and the sentence that explains it, from its alarm and its newest runs. */
#include "model/snapshot.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "model/snapshot_alarm.h"

#define SENTENCE_MAX 2048
#define SKIPS_WARNING 3 /* this many in a row are no coincidence */

static const char *const state_names[REPOSITORY_STATES] = {
	[REPOSITORY_OK] = "ok",
	[REPOSITORY_WARNING] = "warning",
	[REPOSITORY_CRITICAL] = "critical",
	[REPOSITORY_UNKNOWN] = "unknown",
	[REPOSITORY_PAUSED] = "paused",
};

const char *repository_state_name(enum repository_state state)
{
	assert((size_t)state < REPOSITORY_STATES);
	return state_names[state];
}

/* The state of a repository whose newest run has this status. */
static enum repository_state state_of_status(enum run_status status)
{
	switch (status) {
	case RUN_OK:
	case RUN_STALLED:
		return REPOSITORY_OK;
	case RUN_NO_SPACE:
	case RUN_REFUSED:
		return REPOSITORY_WARNING;
	case RUN_ERROR:
	case RUN_TIMEOUT:
	case RUN_STUCK:
	case RUN_NOT_MOUNTED:
	case RUN_WRONG_TARGET:
	case RUN_READ_ONLY:
		return REPOSITORY_CRITICAL;
	case RUN_SKIPPED:
		return REPOSITORY_UNKNOWN;
	}
	return REPOSITORY_UNKNOWN;
}

/* Skipped runs do not change it; the result of an earlier run of this daemon still applies. */
static enum repository_state state_of_runs(const struct snapshot_probe *probe)
{
	if (probe->stuck_since_usec != 0)
		return REPOSITORY_CRITICAL;
	if (probe->own_trouble)
		return REPOSITORY_UNKNOWN;
	if (probe->last_run && probe->last_run->status != RUN_SKIPPED)
		return state_of_status(probe->last_run->status);
	return probe->last_success_usec != 0 ? REPOSITORY_OK : REPOSITORY_UNKNOWN;
}

static bool is_well(enum repository_state state)
{
	return state == REPOSITORY_OK || state == REPOSITORY_UNKNOWN;
}

static bool is_skipped_again(const struct snapshot_probe *probe)
{
	return probe->skips_in_row >= SKIPS_WARNING && !probe->own_trouble &&
		is_well(state_of_runs(probe));
}

static enum repository_state state_of_probe(const struct snapshot_probe *probe)
{
	return is_skipped_again(probe) ? REPOSITORY_WARNING : state_of_runs(probe);
}

static enum repository_state state_of_level(enum alarm_level level)
{
	switch (level) {
	case ALARM_NONE:
		return REPOSITORY_OK;
	case ALARM_WARNING:
		return REPOSITORY_WARNING;
	case ALARM_CRITICAL:
		return REPOSITORY_CRITICAL;
	}
	return REPOSITORY_OK;
}

/* unknown < ok < warning < critical: one probe that works makes a repository known. */
static int severity(enum repository_state state)
{
	switch (state) {
	case REPOSITORY_UNKNOWN:
	case REPOSITORY_PAUSED:
		return 0;
	case REPOSITORY_OK:
		return 1;
	case REPOSITORY_WARNING:
		return 2;
	case REPOSITORY_CRITICAL:
		return 3;
	}
	return 0;
}

static const struct snapshot_probe *worst_probe(const struct snapshot_repository *repository)
{
	const struct snapshot_probe *worst = NULL;

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct snapshot_probe *p = &repository->probes[i];
		if (!worst || severity(state_of_probe(p)) > severity(state_of_probe(worst)))
			worst = p;
	}
	return worst;
}

static void explain_failure(const struct snapshot_probe *probe, struct buf *b)
{
	const struct run *run = probe->last_run;

	if (probe->stuck_since_usec != 0) {
		buf_add_text(b, "stuck since ");
		snapshot_add_time(b, probe->stuck_since_usec, run ? run->started_usec : 0);
		buf_printf(b,
			": the repository does not answer, and the kernel cannot end the worker of %s",
			probe->name);
		return;
	}
	if (is_skipped_again(probe)) {
		buf_printf(b, "the last %llu runs of %s were skipped (%s)",
			(unsigned long long)probe->skips_in_row, probe->name,
			run_skip_name(probe->last_skip));
		return;
	}
	if (!run) {
		buf_add_text(b, "no result yet");
		return;
	}
	if (run->status == RUN_STUCK) {
		buf_printf(b,
			"the newest run of %s was stuck: the repository did not answer, and the "
			"kernel could not end the worker",
			probe->name);
		return;
	}
	if (run->reason[0] != '\0') {
		buf_add_text(b, run->reason);
		return;
	}
	buf_printf(b, "the newest run of %s failed with %s", probe->name,
		run_status_name(run->status));
}

/* The run with numbers that started last, or NULL. */
static const struct snapshot_probe *newest_measured(const struct snapshot_repository *repository)
{
	const struct snapshot_probe *newest = NULL;

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct snapshot_probe *p = &repository->probes[i];
		if (!p->last_run || !run_status_has_numbers(p->last_run->status))
			continue;
		if (!newest || p->last_run->started_usec > newest->last_run->started_usec)
			newest = p;
	}
	return newest;
}

static void explain_ok(const struct snapshot_repository *repository, struct buf *b)
{
	const struct snapshot_probe *probe = newest_measured(repository);
	const char *separator = "";

	if (!probe) {
		buf_add_text(b, "no run since the last good one");
		return;
	}
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct histogram *h = &probe->last_run->operations[i].latency;
		if (h->count == 0)
			continue;
		buf_printf(
			b, "%s%s average ", separator, run_operation_name((enum run_operation)i));
		format_latency(b, histogram_mean_nsec(h));
		separator = ", ";
	}
	buf_printf(b, "%s%s", separator[0] != '\0' ? " in " : "newest run: ", probe->name);
	if (probe->last_run->trust & RUN_TRUST_WARMING)
		buf_add_text(
			b, ", judged by the critical limit alone while the probe file is growing");
	else if (probe->last_run->trust & RUN_TRUST_CACHED)
		buf_add_text(b, ", not judged: probably served from a cache");
}

static void copy_text(char *dst, size_t size, const struct buf *b)
{
	if (size > 0)
		(void)snprintf(dst, size, "%s", buf_text(b)); /* cut to fit */
}

/* Mutes and acknowledgements. */
static void add_attention(const struct snapshot_repository *repository, struct buf *b)
{
	if (!repository->alarm || repository->alarm->incident_id == 0)
		return;
	if (repository->alarm->is_acknowledged)
		buf_add_text(b, "; acknowledged");
	if (repository->mute.mode == MUTE_MESSAGES)
		buf_add_text(b, "; muted");
}

static void explain_pause(const struct snapshot_mute *mute, struct buf *b)
{
	buf_add_text(b, "not probed until ");
	snapshot_add_time(b, mute->until_usec, 0);
	if (mute->reason && mute->reason[0] != '\0')
		buf_printf(b, ": %s", mute->reason);
}

static void explain_unknown(const struct snapshot_repository *repository, struct buf *b)
{
	const char *trouble = NULL;

	for (size_t i = 0; repository->probes && i < repository->probe_count && !trouble; i++)
		trouble = repository->probes[i].own_trouble;
	if (trouble)
		buf_printf(b, "nothing can be measured: %s", trouble);
	else
		buf_add_text(b, "no result yet");
}

static enum repository_state judge(const struct snapshot_repository *repository, struct buf *b)
{
	const struct snapshot_probe *probe = worst_probe(repository);
	enum repository_state state = probe ? state_of_probe(probe) : REPOSITORY_UNKNOWN;
	enum alarm_level level = snapshot_alarm_level(repository->alarm);

	if (level != ALARM_NONE && severity(state_of_level(level)) > severity(state)) {
		state = state_of_level(level);
		snapshot_alarm_explain(repository->alarm, b);
	} else if (state == REPOSITORY_UNKNOWN) {
		explain_unknown(repository, b);
	} else if (state == REPOSITORY_OK) {
		explain_ok(repository, b);
	} else {
		explain_failure(probe, b);
	}
	add_attention(repository, b);
	return state;
}

enum repository_state snapshot_judge(
	const struct snapshot_repository *repository, char *reason, size_t size)
{
	struct buf b = BUF_INIT(SENTENCE_MAX);
	enum repository_state state = REPOSITORY_PAUSED;

	if (repository->mute.mode == MUTE_PROBING)
		explain_pause(&repository->mute, &b);
	else
		state = judge(repository, &b);
	copy_text(reason, size, &b);
	buf_done(&b);
	return state;
}
