/* SPDX-License-Identifier: Apache-2.0 */
/* A short list under a lock, since readers run on several threads. */
#include "store/bad_rows.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

#define BAD_ROWS_MAX 1000 /* remembered; further ones are not reported */
#define LINE_MAX_BYTES 256

struct store_bad_rows {
	void (*say)(void *data, const char *line);
	void *data;
	pthread_mutex_t lock; /* protects everything below */
	size_t owners;
	size_t count;
	struct bad_row {
		const char *table;
		int64_t id;
	} rows[BAD_ROWS_MAX];
};

struct store_bad_rows *store_bad_rows_new(void (*say)(void *data, const char *line), void *data)
{
	struct store_bad_rows *bad_rows = calloc(1, sizeof(*bad_rows));

	if (!bad_rows)
		return NULL;
	bad_rows->say = say;
	bad_rows->data = data;
	bad_rows->owners = 1;
	pthread_mutex_init(&bad_rows->lock, NULL); /* cannot fail on Linux */
	return bad_rows;
}

struct store_bad_rows *store_bad_rows_share(struct store_bad_rows *bad_rows)
{
	if (!bad_rows)
		return NULL;
	pthread_mutex_lock(&bad_rows->lock);
	bad_rows->owners++;
	pthread_mutex_unlock(&bad_rows->lock);
	return bad_rows;
}

struct store_bad_rows *store_bad_rows_free(struct store_bad_rows *bad_rows)
{
	if (!bad_rows)
		return NULL;
	pthread_mutex_lock(&bad_rows->lock);
	bool is_last = --bad_rows->owners == 0;
	pthread_mutex_unlock(&bad_rows->lock);
	if (is_last) {
		pthread_mutex_destroy(&bad_rows->lock);
		free(bad_rows);
	}
	return NULL;
}

size_t store_bad_rows_count(struct store_bad_rows *bad_rows)
{
	if (!bad_rows)
		return 0;
	pthread_mutex_lock(&bad_rows->lock);
	size_t count = bad_rows->count;
	pthread_mutex_unlock(&bad_rows->lock);
	return count;
}

/* The lock is held. True when the row was not known. */
static bool add(struct store_bad_rows *bad_rows, const char *table, int64_t id)
{
	for (size_t i = 0; i < bad_rows->count; i++)
		if (bad_rows->rows[i].id == id && strcmp(bad_rows->rows[i].table, table) == 0)
			return false;
	if (bad_rows->count == BAD_ROWS_MAX)
		return false;
	bad_rows->rows[bad_rows->count++] = (struct bad_row){ .table = table, .id = id };
	return true;
}

void bad_rows_note(struct store_bad_rows *bad_rows, const char *table, int64_t id)
{
	char line[LINE_MAX_BYTES];

	if (!bad_rows)
		return;
	pthread_mutex_lock(&bad_rows->lock);
	bool is_new = add(bad_rows, table, id);
	pthread_mutex_unlock(&bad_rows->lock);
	if (!is_new || !bad_rows->say)
		return;
	(void)snprintf(line, sizeof(line),
		"row %lld of table %s has a value out of range and is skipped", (long long)id,
		table);
	bad_rows->say(bad_rows->data, line);
}
