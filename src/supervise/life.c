/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a worker, one event at a time. Pure: the time is an argument. */
#include "supervise/supervise.h"

static uint64_t after(uint64_t nsec, uint64_t more_nsec)
{
	return more_nsec > UINT64_MAX - nsec ? UINT64_MAX : nsec + more_nsec;
}

void supervise_life_init(struct supervise_life *life, uint64_t now_nsec, uint64_t limit_nsec)
{
	*life = (struct supervise_life){
		.state = SUPERVISE_RUNNING,
		.started_nsec = now_nsec,
		.deadline_nsec = after(now_nsec, after(limit_nsec, SUPERVISE_GRACE_NSEC)),
	};
}

void supervise_life_adopt(
	struct supervise_life *life, uint64_t now_nsec, uint64_t started_nsec, bool is_stuck)
{
	*life = (struct supervise_life){
		.state = is_stuck ? SUPERVISE_STUCK : SUPERVISE_RUNNING,
		.started_nsec = started_nsec < now_nsec ? started_nsec : now_nsec,
		.deadline_nsec = is_stuck ? UINT64_MAX : after(now_nsec, SUPERVISE_GRACE_NSEC),
	};
}

static enum supervise_action kill_it(struct supervise_life *life, uint64_t deadline_nsec)
{
	life->state = SUPERVISE_KILLED;
	life->deadline_nsec = deadline_nsec;
	return SUPERVISE_DO_KILL;
}

/* Handles the expired deadline of each state. */
static enum supervise_action expire(struct supervise_life *life, uint64_t now_nsec)
{
	switch (life->state) {
	case SUPERVISE_RUNNING:
		life->was_killed = true;
		return kill_it(life, after(now_nsec, SUPERVISE_REAP_NSEC));
	case SUPERVISE_REPORTED:
		/* The worker hangs in the kernel, or by its own bug, which a signal ends. */
		return kill_it(life, after(now_nsec, SUPERVISE_REAP_NSEC - SUPERVISE_GRACE_NSEC));
	case SUPERVISE_KILLED:
		life->state = SUPERVISE_STUCK;
		life->deadline_nsec = UINT64_MAX;
		return SUPERVISE_DO_DECLARE_STUCK;
	case SUPERVISE_STUCK:
	case SUPERVISE_GONE:
		break;
	}
	return SUPERVISE_DO_NOTHING;
}

/* A result is accepted until the worker is declared stuck, even if it arrives after the kill. */
static void take_result(struct supervise_life *life, uint64_t now_nsec)
{
	if (life->state == SUPERVISE_RUNNING) {
		life->state = SUPERVISE_REPORTED;
		life->deadline_nsec = after(now_nsec, SUPERVISE_GRACE_NSEC);
	}
	if (life->state == SUPERVISE_REPORTED || life->state == SUPERVISE_KILLED)
		life->has_result = true;
}

static enum supervise_action stop(struct supervise_life *life, uint64_t now_nsec)
{
	if (life->state != SUPERVISE_RUNNING && life->state != SUPERVISE_REPORTED)
		return SUPERVISE_DO_NOTHING;
	life->was_stopped = true;
	return kill_it(life, after(now_nsec, SUPERVISE_REAP_NSEC));
}

enum supervise_action supervise_life_step(
	struct supervise_life *life, enum supervise_event event, uint64_t now_nsec)
{
	if (life->state == SUPERVISE_GONE)
		return SUPERVISE_DO_NOTHING;
	switch (event) {
	case SUPERVISE_EVENT_TIME:
		return now_nsec >= life->deadline_nsec ? expire(life, now_nsec)
						       : SUPERVISE_DO_NOTHING;
	case SUPERVISE_EVENT_PROGRESS:
		life->has_begun = true;
		return SUPERVISE_DO_NOTHING;
	case SUPERVISE_EVENT_RESULT:
		take_result(life, now_nsec);
		return SUPERVISE_DO_NOTHING;
	case SUPERVISE_EVENT_STOP:
		return stop(life, now_nsec);
	case SUPERVISE_EVENT_EXIT:
		life->state = SUPERVISE_GONE;
		life->deadline_nsec = UINT64_MAX;
		return SUPERVISE_DO_FINISH;
	}
	return SUPERVISE_DO_NOTHING;
}
