/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of encoded histograms, and rules with what is merged from them. */
#include "core/custom_alarms.h"

#include "alarm/alarm.h"
#include "base/buf.h"
#include "config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Windows ----------------------------------------------------------------- */

struct kept_run {
	int64_t started_usec;
	char *code; /* of its histogram */
	size_t len;
};

struct custom_windows {
	size_t counts[RUN_OPERATIONS];
	struct kept_run runs[RUN_OPERATIONS][RULE_WINDOW_MAX]; /* newest first */
};

static void keep_newest(struct custom_windows *windows, enum run_operation operation, size_t max)
{
	while (windows->counts[operation] > max)
		free(windows->runs[operation][--windows->counts[operation]].code);
}

struct custom_windows *custom_windows_free(struct custom_windows *windows)
{
	for (size_t i = 0; windows && i < RUN_OPERATIONS; i++)
		keep_newest(windows, (enum run_operation)i, 0);
	free(windows);
	return NULL;
}

bool custom_windows_takes(const struct run *run)
{
	return !run->is_confirmation && run_status_has_numbers(run->status) &&
		(run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CACHED)) == 0;
}

/* Takes the code, whether or not it is kept. */
static void insert(struct custom_windows *windows, enum run_operation operation,
	struct kept_run run, size_t max)
{
	struct kept_run *list = windows->runs[operation];
	size_t at = 0;

	keep_newest(windows, operation, max);
	while (at < windows->counts[operation] && list[at].started_usec > run.started_usec)
		at++;
	bool is_again =
		at < windows->counts[operation] && list[at].started_usec == run.started_usec;
	if (is_again || at >= max) {
		free(run.code);
		return;
	}
	keep_newest(windows, operation, max - 1);
	memmove(&list[at + 1], &list[at], (windows->counts[operation] - at) * sizeof(list[0]));
	list[at] = run;
	windows->counts[operation]++;
}

static int encode(const struct run *run, enum run_operation operation, struct kept_run *ret)
{
	struct buf code = BUF_INIT(HISTOGRAM_ENCODED_MAX);

	histogram_encode(&run->operations[operation].latency, &code);
	ret->started_usec = run->started_usec;
	return buf_take(&code, &ret->code, &ret->len);
}

static size_t bounded(size_t max)
{
	return max < RULE_WINDOW_MAX ? max : RULE_WINDOW_MAX;
}

int custom_windows_add(struct custom_windows **windows, const struct run *run, size_t max)
{
	if (max == 0) {
		*windows = custom_windows_free(*windows);
		return 0;
	}
	if (!*windows)
		*windows = calloc(1, sizeof(**windows));
	if (!*windows)
		return -ENOMEM;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct kept_run kept;
		if (run->operations[i].latency.count == 0)
			continue;
		int r = encode(run, (enum run_operation)i, &kept);
		if (r < 0)
			return r;
		insert(*windows, (enum run_operation)i, kept, bounded(max));
	}
	return 0;
}

void custom_windows_join(struct custom_windows **windows, struct custom_windows **past, size_t max)
{
	struct custom_windows *from = *past;

	if (!*windows || max == 0) {
		custom_windows_free(*windows);
		*windows = max > 0 ? from : custom_windows_free(from);
		*past = NULL;
		return;
	}
	for (size_t i = 0; from && i < RUN_OPERATIONS; i++) {
		for (size_t k = 0; k < from->counts[i]; k++)
			insert(*windows, (enum run_operation)i, from->runs[i][k], bounded(max));
		from->counts[i] = 0;
	}
	*past = custom_windows_free(from);
}

int custom_windows_merge(const struct custom_windows *windows, enum run_operation operation,
	size_t runs, struct histogram *ret)
{
	struct histogram *one = malloc(sizeof(*one)); /* too big for the stack */
	size_t count = windows ? windows->counts[operation] : 0;
	int r = one ? 0 : -ENOMEM;

	if (count > runs)
		count = runs;
	for (size_t i = 0; r >= 0 && i < count; i++) {
		const struct kept_run *kept = &windows->runs[operation][i];
		r = histogram_decode((const uint8_t *)kept->code, kept->len, one, NULL);
		if (r >= 0)
			histogram_merge(ret, one);
	}
	free(one);
	return r < 0 ? r : (int)count;
}

/* --- Rules --------------------------------------------------------------------- */

static bool is_together(const struct custom_rule *rule)
{
	return condition_ios_needed(rule->when.measure) > 0 ||
		(rule->has_clear && condition_ios_needed(rule->clear.measure) > 0);
}

size_t custom_alarms_window(const struct config *config, const char *repository, const char *probe)
{
	size_t largest = 0;

	for (size_t i = 0; i < config->alarm_count; i++) {
		const struct config_alarm *alarm = &config->alarms[i];
		if (alarm->rule->hold.window > largest && is_together(alarm->rule) &&
			config_alarm_applies(alarm, repository, probe))
			largest = alarm->rule->hold.window;
	}
	return largest;
}

/* Another rule's, when its window is as long. */
static bool share_windows(const struct custom_alarms *alarms, struct alarm_user_rule *rule)
{
	for (size_t i = 0; i < alarms->count; i++) {
		const struct alarm_user_rule *other = &alarms->rules[i];
		if (!is_together(other->rule) ||
			other->rule->hold.window != rule->rule->hold.window)
			continue;
		memcpy(rule->windows, other->windows, sizeof(rule->windows));
		return true;
	}
	return false;
}

static int merge_windows(struct custom_alarms *alarms, const struct custom_windows *windows,
	struct alarm_user_rule *rule)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct histogram *merged;
		if (windows->counts[i] == 0)
			continue;
		merged = calloc(1, sizeof(*merged));
		if (!merged)
			return -ENOMEM;
		alarms->merged[alarms->merged_count++] = merged;
		int r = custom_windows_merge(
			windows, (enum run_operation)i, rule->rule->hold.window, merged);
		if (r < 0)
			return r;
		rule->windows[i] = merged;
	}
	return 0;
}

int custom_alarms_build(const struct config *config, const char *repository, const char *probe,
	const struct custom_windows *windows, struct custom_alarms *ret)
{
	size_t most = config->alarm_count;

	*ret = (struct custom_alarms){ .count = 0 };
	if (most == 0)
		return 0;
	ret->rules = calloc(most, sizeof(*ret->rules));
	ret->merged = calloc(most * RUN_OPERATIONS, sizeof(struct histogram *));
	if (!ret->rules || !ret->merged)
		return -ENOMEM;
	for (size_t i = 0; i < most; i++) {
		const struct config_alarm *alarm = &config->alarms[i];
		struct alarm_user_rule *rule = &ret->rules[ret->count];
		if (!config_alarm_applies(alarm, repository, probe))
			continue;
		*rule = (struct alarm_user_rule){ .name = alarm->name, .rule = alarm->rule };
		if (windows && is_together(alarm->rule) && !share_windows(ret, rule)) {
			int r = merge_windows(ret, windows, rule);
			if (r < 0)
				return r;
		}
		ret->count++;
	}
	return 0;
}

void custom_alarms_done(struct custom_alarms *alarms)
{
	for (size_t i = 0; i < alarms->merged_count; i++)
		free(alarms->merged[i]);
	free(alarms->merged);
	free(alarms->rules);
	*alarms = (struct custom_alarms){ .count = 0 };
}
