/* SPDX-License-Identifier: Apache-2.0 */
/* Every question gets a thread of its own; the one reader is the pool itself. */
#include "fake_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/store.h"

#define EVENING INT64_C(1796061600000000) /* 2026-11-30T18:00:00Z */

struct store_reader {
	struct store_pool *pool;
};

struct question {
	struct store_pool *pool;
	void (*work)(struct store_reader *reader, void *data);
	void *data;
};

void fake_store_init(struct store_pool *pool)
{
	*pool = (struct store_pool){ .answer = 0 };
	(void)pthread_mutex_init(&pool->lock, NULL);
	(void)pthread_cond_init(&pool->change, NULL);
}

void fake_store_done(struct store_pool *pool)
{
	(void)pthread_cond_destroy(&pool->change);
	(void)pthread_mutex_destroy(&pool->lock);
}

void fake_store_wait_held(struct store_pool *pool, int count)
{
	(void)pthread_mutex_lock(&pool->lock);
	while (pool->waiting < count)
		(void)pthread_cond_wait(&pool->change, &pool->lock);
	(void)pthread_mutex_unlock(&pool->lock);
}

void fake_store_let_go(struct store_pool *pool)
{
	(void)pthread_mutex_lock(&pool->lock);
	pool->is_held = false;
	(void)pthread_cond_broadcast(&pool->change);
	(void)pthread_mutex_unlock(&pool->lock);
}

static void *answer(void *data)
{
	struct question *question = data;
	struct store_reader reader = { .pool = question->pool };

	question->work(&reader, question->data);
	free(question);
	return NULL;
}

int store_pool_ask(struct store_pool *pool,
	void (*question)(struct store_reader *reader, void *data), void *data)
{
	struct question *q = malloc(sizeof(*q));
	pthread_t thread;

	if (!q || pool->is_full) {
		free(q);
		return -EAGAIN;
	}
	*q = (struct question){ .pool = pool, .work = question, .data = data };
	if (pthread_create(&thread, NULL, answer, q) != 0) {
		free(q);
		return -EAGAIN;
	}
	(void)pthread_detach(thread);
	return 0;
}

void store_reader_interrupt(struct store_reader *reader)
{
	(void)pthread_mutex_lock(&reader->pool->lock);
	reader->pool->interruptions++;
	(void)pthread_cond_broadcast(&reader->pool->change);
	(void)pthread_mutex_unlock(&reader->pool->lock);
}

static int read_result(struct store_pool *pool, struct error *reterr)
{
	(void)pthread_mutex_lock(&pool->lock);
	int before = pool->interruptions;
	pool->waiting++;
	(void)pthread_cond_broadcast(&pool->change);
	while (pool->is_held && (pool->is_deaf || pool->interruptions == before))
		(void)pthread_cond_wait(&pool->change, &pool->lock);
	pool->waiting--;
	int r = pool->interruptions != before ? -EINTR : pool->answer;
	(void)pthread_mutex_unlock(&pool->lock);
	return r < 0 ? error_set(reterr, r, "the fake store says no") : 0;
}

int store_read_runs(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run *run), void *data, struct error *reterr)
{
	int r = read_result(reader->pool, reterr);
	if (r < 0 || filter->id > 3 || (filter->repository && strcmp(filter->repository, "a") != 0))
		return r;
	for (int64_t id = filter->id > 0 ? filter->id : 3; r == 0 && id > 0; id--) {
		struct run *run = run_new("a", "p");
		if (!run)
			return -ENOMEM;
		run->id = id;
		run->started_usec = EVENING + id;
		histogram_add(&run->operations[RUN_WRITE].latency, 2000000);
		run->operations[RUN_WRITE].ios = 1;
		r = each(data, run);
		free(run);
		if (filter->id > 0)
			break;
	}
	return r;
}

int store_read_series(struct store_reader *reader, const struct store_series_query *query,
	struct store_series_point **ret_points, size_t *ret_count, struct error *reterr)
{
	static const struct store_series_point points[] = {
		{ .time_usec = EVENING,
			.runs = { [RUN_OK] = 1 },
			.has_numbers = true,
			.avg_nsec = 1500000,
			.p50_nsec = 1,
			.p95_nsec = 2,
			.p99_nsec = 3,
			.min_nsec = 4,
			.max_nsec = 5,
			.throughput_bytes_per_sec = 1048576,
			.iops = 2.5 },
		{ .time_usec = EVENING + 300500000,
			.runs = { [RUN_TIMEOUT] = 1, [RUN_SKIPPED] = 2 },
			.failed_runs = 1 },
	};
	int r = read_result(reader->pool, reterr);
	if (r == 0 && strcmp(query->repository, "a") != 0)
		r = -ENOENT;
	if (r < 0)
		return r;
	*ret_points = malloc(sizeof(points));
	if (!*ret_points)
		return -ENOMEM;
	memcpy(*ret_points, points, sizeof(points));
	*ret_count = 2;
	return 0;
}

static struct incident_event fake_event(void)
{
	return (struct incident_event){
		.incident_id = 1,
		.level = ALARM_WARNING,
		.reason = ALARM_REASON_LIMIT,
		.time_usec = EVENING,
		.opened_usec = EVENING,
		.repository = "a",
		.probe = "p",
		.operation = RUN_WRITE,
		.value_nsec = 24000000,
	};
}

/* One, which is open. */
int store_read_incidents(struct store_reader *reader, const struct store_incident_filter *filter,
	int (*each)(void *data, const struct incident *incident), void *data, struct error *reterr)
{
	const struct incident incident = {
		.id = 1,
		.repository = "a",
		.level = ALARM_WARNING,
		.opened_usec = EVENING,
		.last_event = fake_event(),
	};
	int r = read_result(reader->pool, reterr);

	if (r < 0 || filter->id > 1 || filter->state == STORE_INCIDENTS_CLOSED ||
		(filter->repository && strcmp(filter->repository, "a") != 0))
		return r;
	return each(data, &incident);
}

/* It has one companion. */
int store_read_group(struct store_reader *reader, const struct incident *incident,
	struct incident_group *ret, struct error *reterr)
{
	(void)incident;
	*ret = (struct incident_group){ .name = "nas1", .count = 1, .repositories = { "b" } };
	return read_result(reader->pool, reterr);
}

int store_read_events(struct store_reader *reader, int64_t incident_id,
	int (*each)(void *data, const struct incident_event *event), void *data,
	struct error *reterr)
{
	const struct incident_event event = fake_event();
	int r = read_result(reader->pool, reterr);

	(void)incident_id;
	return r < 0 ? r : each(data, &event);
}

int store_read_measured(struct store_reader *reader, const char *repository, const char *probe,
	int (*each)(void *data, const struct store_measured *measured), void *data,
	struct error *reterr)
{
	const struct store_measured measured = { .series = 1,
		.what = "block_size=4096",
		.first_usec = EVENING,
		.last_usec = EVENING + 300500000 };

	(void)reader;
	(void)probe;
	(void)reterr;
	return strcmp(repository, "a") == 0 ? each(data, &measured) : 0;
}

/* Two columns: the first with 3 I/Os of 128 to 144 ns and none above, the second failed. */
int store_read_heatmap(struct store_reader *reader, const struct store_series_query *query,
	struct store_heatmap **ret, struct error *reterr)
{
	int r = read_result(reader->pool, reterr);

	if (r == 0 && strcmp(query->repository, "a") != 0)
		r = -ENOENT;
	if (r < 0)
		return r;
	struct store_heatmap *map = calloc(1, sizeof(*map));
	if (map)
		map->columns = calloc(2, sizeof(map->columns[0]));
	if (!map || !map->columns)
		return -ENOMEM;
	map->width_usec = 7200000000;
	map->first_row = 16;
	map->row_count = 2;
	map->column_count = 2;
	map->columns[0].start_usec = EVENING;
	map->columns[0].ok_runs = 1;
	map->columns[0].counts[16] = 3;
	map->columns[1].start_usec = EVENING + 7200000000;
	map->columns[1].failed_runs = 2;
	*ret = map;
	return 0;
}

struct store_heatmap *store_heatmap_free(struct store_heatmap *map)
{
	if (map)
		free(map->columns);
	free(map);
	return NULL;
}

uint64_t store_heatmap_bound_nsec(size_t row)
{
	return 128 + (row - 16) * 16;
}
