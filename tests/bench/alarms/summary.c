/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, medians and lines of a table. */
#include "summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MONTH_DAYS 30.0
#define NAME_WIDTH 37

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_episode(struct summary_type *type, const struct episode_score *episode)
{
	type->episodes++;
	if (episode->incidents == 0)
		return;
	type->incidents += episode->incidents;
	type->delays[type->found++] = episode->delay_minutes;
}

static void sort_delays(struct summary_type *type)
{
	qsort(type->delays, type->found, sizeof(*type->delays), compare_doubles);
}

static int allocate(struct summary *s, size_t episodes)
{
	s->all.delays = calloc(episodes + 1, sizeof(double));
	if (!s->all.delays)
		return -ENOMEM;
	for (size_t i = 0; i < EPISODE_TYPES; i++) {
		s->types[i].delays = calloc(episodes + 1, sizeof(double));
		if (!s->types[i].delays)
			return -ENOMEM;
	}
	return 0;
}

int summary_init(
	struct summary *s, const struct score *scores, size_t count, size_t stride, unsigned days)
{
	double scored_days = (double)days - (double)SIMULATION_LEARNING / (double)DAY;
	struct cost cost = { .steps = 0 };
	size_t episodes = 0;

	*s = (struct summary){ .months = (double)count * scored_days / MONTH_DAYS };
	for (size_t i = 0; i < count; i++)
		episodes += scores[i * stride].episode_count;
	int r = allocate(s, episodes);
	if (r < 0) {
		summary_done(s);
		return r;
	}
	for (size_t i = 0; i < count; i++) {
		const struct score *score = &scores[i * stride];
		for (size_t cause = 0; cause < CAUSES; cause++)
			s->false_count[cause] += (double)score->false_count[cause];
		s->false_hours += score->false_hours;
		cost.steps += score->cost.steps;
		cost.nsec += score->cost.nsec;
		s->asked_runs_a_day += (double)score->asked_runs / (double)days / (double)count;
		for (size_t e = 0; e < score->episode_count; e++) {
			add_episode(&s->types[score->episodes[e].type], &score->episodes[e]);
			add_episode(&s->all, &score->episodes[e]);
		}
	}
	if (cost.steps > 0)
		s->step_usec = (double)cost.nsec / (double)cost.steps / 1e3;
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		sort_delays(&s->types[i]);
	sort_delays(&s->all);
	return 0;
}

void summary_done(struct summary *s)
{
	free(s->all.delays);
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		free(s->types[i].delays);
	*s = (struct summary){ .months = 0 };
}

double summary_false_a_month(const struct summary *s)
{
	double sum = 0;

	for (size_t i = 0; i < CAUSES; i++)
		sum += s->false_count[i];
	return sum / s->months;
}

double summary_recall(const struct summary_type *type)
{
	return type->episodes == 0 ? 1 : (double)type->found / (double)type->episodes;
}

double summary_incidents(const struct summary_type *type)
{
	return type->found == 0 ? 0 : (double)type->incidents / (double)type->found;
}

double summary_delay(const struct summary_type *type, double part)
{
	if (type->found == 0)
		return 0;
	size_t i = (size_t)((double)type->found * part);
	return type->delays[i < type->found ? i : type->found - 1];
}

void summary_print_head(void)
{
	printf("%-*s  false/month  hidden /  busy  / patrol/ spike / noise   hours/mo  recall  "
	       "delay med/p90 min  inc/ep  asked/day  recall:",
		NAME_WIDTH, "detector");
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		printf("%s %s", i == 0 ? "" : ",", episode_type_name((enum episode_type)i));
	printf("\n");
}

void summary_print(const struct summary *s, const char *name)
{
	printf("%-*s  %11.2f", NAME_WIDTH, name, summary_false_a_month(s));
	for (size_t i = 0; i < CAUSES; i++)
		printf(" %s%6.2f", i == 0 ? "" : "/", s->false_count[i] / s->months);
	printf("   %8.1f  %6.3f  %7.0f / %6.0f   %6.2f  %9.1f ", s->false_hours / s->months,
		summary_recall(&s->all), summary_delay(&s->all, 0.5), summary_delay(&s->all, 0.9),
		summary_incidents(&s->all), s->asked_runs_a_day);
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		printf("%s %.2f", i == 0 ? "" : ",", summary_recall(&s->types[i]));
	printf("\n");
}

void summary_print_delays_head(void)
{
	printf("%-*s", NAME_WIDTH, "delay, median / p90 minutes");
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		printf("  %14s", episode_type_name((enum episode_type)i));
	printf("\n");
}

void summary_print_delays(const struct summary *s, const char *name)
{
	printf("%-*s", NAME_WIDTH, name);
	for (size_t i = 0; i < EPISODE_TYPES; i++)
		printf("  %6.0f / %5.0f", summary_delay(&s->types[i], 0.5),
			summary_delay(&s->types[i], 0.9));
	printf("\n");
}
