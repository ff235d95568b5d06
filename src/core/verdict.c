/* SPDX-License-Identifier: Apache-2.0 */
/* From the present to alarm_input. */
#include "core/verdict.h"

#include "alarm/alarm.h"
#include "alarm/limit.h"
#include "alarm/peer.h"
#include "alarm/sense.h"
#include "base/buf.h"
#include "base/zone.h"
#include "config/mutes.h"
#include "core/core.h"
#include "core/custom_alarms.h"
#include "core/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REASON_MAX 256
#define PEER_INTERVALS 2 /* a peer's newest run is compared for so long */

/* --- The limit -------------------------------------------------------------- */

static int choose_limit(
	struct core *core, const struct present_repository *repository, struct present_probe *probe)
{
	const struct config_probe *config = probe->config;
	struct buf reason = BUF_INIT(REASON_MAX);
	struct limit_question question = {
		.preset = config->limit,
		.storage = repository->config->storage,
		.identity = repository->place.has_identity ? &repository->place.identity : NULL,
		.workload = &config->workload,
	};

	probe->limit = config->limit;
	if (!config->limit.is_auto)
		return 0;
	question.best_bytes_per_sec =
		normal_best_bytes_per_sec(&probe->normal, core->now.usec, &question.runs);
	buf_printf(&reason, "%s: ", config->limit_reason);
	probe->limit = limit_choose(&question, &reason);
	if (config->is_critical_given)
		probe->limit.limit_critical_nsec = config->limit.limit_critical_nsec;
	char *text = NULL;
	int r = buf_take(&reason, &text, NULL);
	if (r < 0)
		return r;
	free(probe->limit_reason);
	probe->limit_reason = text;
	return 0;
}

/* --- Peers ------------------------------------------------------------------ */

/* The probes of all repositories that do the same, the one in question first. */
struct peer_list {
	size_t count;
	struct peer peers[PEERS_MAX];
};

static void add_peer(struct peer_list *list, const struct present_repository *repository,
	const struct present_probe *probe, enum run_operation operation)
{
	const struct alarm_series *series =
		alarm_state_find(repository->alarm, probe->config->name, operation);

	if (!series || !probe->series_key || list->count == PEERS_MAX)
		return;
	list->peers[list->count++] = (struct peer){
		.identity = &repository->place.identity,
		.series_key = probe->series_key,
		.judged_usec = series->judged_usec,
		.average_nsec = series->value_nsec,
	};
}

static uint64_t peers_nsec(struct core *core, const struct present_repository *repository,
	const struct present_probe *probe, enum run_operation operation)
{
	struct peer_list list = { .count = 1 };

	if (!probe->series_key)
		return 0;
	list.peers[0] = (struct peer){
		.identity = &repository->place.identity,
		.series_key = probe->series_key,
	};
	for (size_t i = 0; i < core->present->repository_count; i++) {
		const struct present_repository *other = &core->present->repositories[i];
		if (other == repository || !other->place.has_identity ||
			!peer_is_near(&repository->place.identity, &other->place.identity))
			continue;
		for (size_t k = 0; k < other->probe_count; k++)
			if (strcmp(other->probes[k].series_key ? other->probes[k].series_key : "",
				    probe->series_key) == 0)
				add_peer(&list, other, &other->probes[k], operation);
	}
	return peer_median_nsec(list.peers, list.count, 0, core->now.usec,
		PEER_INTERVALS * plan_spacing_usec(probe));
}

/* --- The question ------------------------------------------------------------ */

static int32_t local_offset_sec(const struct core *core, int64_t now_usec)
{
	return core->zone ? zone_at(core->zone, now_usec / (int64_t)USEC_PER_SEC).offset_sec : 0;
}

/* From one slot to the next; a calendar's next one may be much farther off than the one after it.
 */
static uint64_t longest_gap_usec(const struct present_probe *probe, int64_t now_usec)
{
	uint64_t spacing_usec = plan_spacing_usec(probe);
	uint64_t wait_usec =
		probe->due_usec > now_usec ? (uint64_t)(probe->due_usec - now_usec) : 0;

	return wait_usec > spacing_usec ? wait_usec : spacing_usec;
}

/* The run is in the window that it is judged by. */
static int build_customs(const struct core *core, const char *repository,
	struct present_probe *probe, const struct run *run, struct custom_alarms *ret)
{
	const char *name = probe->config->name;
	size_t window = custom_alarms_window(core->config, repository, name);
	bool is_taken = custom_windows_takes(run);
	int r = is_taken ? custom_windows_add(&probe->windows, run, window) : 0;

	*ret = (struct custom_alarms){ .count = 0 };
	return r < 0 ? r
		     : custom_alarms_build(core->config, repository, name,
			       is_taken ? probe->windows : NULL, ret);
}

int verdict_take(struct core *core, struct present_repository *repository,
	struct present_probe *probe, const struct run *run, struct alarm_outcome *ret)
{
	const struct config_repository *config = repository->config;
	int64_t now_usec = core->now.usec;
	struct alarm_input input = {
		.run = run,
		.facts = &run->facts,
		.sense = sense_from(config->sensitivity, config->is_limit_strict,
			config->confirm_after_usec, config->confirmation_count),
		.interval_usec = longest_gap_usec(probe, now_usec),
		.is_confirmation = run->is_confirmation,
		.is_muted = mutes_find(core->mutes, core->config, config->name, now_usec).mode !=
			MUTE_NONE,
		.local_offset_sec = local_offset_sec(core, now_usec),
		.now_usec = now_usec,
		.next_incident_id = core->next_incident_id,
	};
	int r = choose_limit(core, repository, probe);

	if (r < 0)
		return r;
	input.limit = probe->limit;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		input.baselines[i] = normal_baseline(&probe->normal, (enum run_operation)i);
		if (repository->place.has_identity)
			input.peers_nsec[i] =
				peers_nsec(core, repository, probe, (enum run_operation)i);
	}
	struct custom_alarms customs;
	r = build_customs(core, config->name, probe, run, &customs);
	if (r >= 0) {
		input.user_rules = customs.rules;
		input.user_rule_count = customs.count;
		r = alarm_step(repository->alarm, &input, ret);
	}
	custom_alarms_done(&customs);
	return r;
}

void verdict_tick(
	struct core *core, struct present_repository *repository, struct alarm_outcome *ret)
{
	const struct alarm_tick tick = {
		.now_usec = core->now.usec,
		.started_usec = core->listening_usec,
		.next_incident_id = core->next_incident_id,
	};

	alarm_tick(repository->alarm, &tick, ret);
}
