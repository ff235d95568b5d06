/* SPDX-License-Identifier: Apache-2.0 */
/* Finds alarms about a percentile that can never fire because the runs have too few I/Os. */
#include <inttypes.h>

#include "alarm/custom.h"
#include "base/buf.h"
#include "config/config.h"

#define ALL 100 /* percent */

/* The most I/Os of the operation that a run measures, on average; UINT64_MAX when time alone bounds
 * it. */
static uint64_t count_ios(const struct workload *w, enum run_operation operation)
{
	uint64_t percent =
		operation == RUN_WRITE ? w->write_percent : (uint64_t)(ALL - w->write_percent);
	uint64_t count = w->max_ios > 0 ? w->max_ios : UINT64_MAX;

	if (w->max_bytes > 0 && w->max_bytes / w->block_size_bytes < count)
		count = w->max_bytes / w->block_size_bytes;
	if (count > UINT64_MAX / ALL)
		return percent > 0 ? UINT64_MAX : 0;
	count -= w->warmup_ios < count ? w->warmup_ios : count;
	return (count * percent + ALL - 1) / ALL;
}

/* The most over the operations that the alarm is about. */
static uint64_t count_watched(const struct custom_rule *rule, const struct config_probe *probe)
{
	uint64_t reads = count_ios(&probe->workload, RUN_READ);
	uint64_t writes = count_ios(&probe->workload, RUN_WRITE);

	if (rule->when.has_operation)
		return rule->when.operation == RUN_READ ? reads : writes;
	return reads > writes ? reads : writes;
}

static void describe(const struct config_alarm *alarm, const struct config_probe *probe,
	const struct condition *condition, const char *what, struct buf *b)
{
	uint64_t needed = condition_ios_needed(condition->measure);
	uint64_t ios = count_watched(alarm->rule, probe);
	uint64_t window = alarm->rule->hold.window;

	if (ios == 0 || ios >= (needed + window - 1) / window)
		return;
	uint64_t runs = (needed + ios - 1) / ios;
	buf_printf(b,
		"alarm %s is never %s on %s: %s takes %" PRIu64 " I/Os, and a run has %" PRIu64,
		alarm->name, what, probe->name, condition_measure_name(condition->measure), needed,
		ios);
	if (runs <= RULE_WINDOW_MAX)
		buf_printf(b, "; hold = N of %" PRIu64 " would do\n", runs);
	else
		buf_add_text(b, "; only a longer run would do\n");
}

/* A probe is much the same in each repository: reported once. */
static bool was_told(const struct config *config, const struct config_alarm *alarm,
	size_t repository_count, const char *probe)
{
	for (size_t i = 0; i < repository_count; i++)
		if (config_alarm_applies(alarm, config->repositories[i].name, probe) &&
			config_find_probe(&config->repositories[i], probe))
			return true;
	return false;
}

void config_describe_silence(
	const struct config *config, const struct config_alarm *alarm, struct buf *b)
{
	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];

		for (size_t k = 0; k < repository->probe_count; k++) {
			const struct config_probe *probe = &repository->probes[k];

			if (!config_alarm_applies(alarm, repository->name, probe->name) ||
				was_told(config, alarm, i, probe->name))
				continue;
			describe(alarm, probe, &alarm->rule->when, "judged", b);
			if (alarm->rule->has_clear)
				describe(alarm, probe, &alarm->rule->clear, "cleared", b);
		}
	}
}
