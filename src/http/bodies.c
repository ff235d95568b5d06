/* SPDX-License-Identifier: Apache-2.0 */
/* Reference-counted bodies. A body is compressed when it is made, never when it is sent. */
#include "http/bodies.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compress.h"
#include "base/hash.h"

#define GZIP_WORTH_BYTES 512

struct bodies {
	pthread_mutex_t lock;
	struct body *current[HTTP_BODIES];
};

static void set_etag(struct body *body)
{
	static const uint8_t key[16] = "repoprobe-etag";

	(void)snprintf(body->etag, sizeof(body->etag), "%016" PRIx64,
		hash_siphash(key, body->data, body->len));
}

static int set_gzip(struct body *body, int level)
{
	struct buf b = BUF_INIT(body->len);

	if (level == 0 || body->len < GZIP_WORTH_BYTES)
		return 0;
	int r = compress_gzip(body->data, body->len, level, &b);
	if (r == 0)
		r = buf_take(&b, &body->gzip, &body->gzip_len);
	buf_done(&b);
	return r == -ENOBUFS ? 0 : r; /* not smaller than the original: send that */
}

int body_new(const void *data, size_t len, int level, struct body **ret)
{
	struct body *body = calloc(1, sizeof(*body));
	int r = -ENOMEM;

	if (!body)
		return r;
	body->references = 1;
	body->data = malloc(len > 0 ? len : 1);
	if (!body->data)
		goto fail;
	if (len > 0)
		memcpy(body->data, data, len);
	body->len = len;
	set_etag(body);
	r = set_gzip(body, level);
	if (r < 0)
		goto fail;
	*ret = body;
	return 0;
fail:
	(void)body_unref(body);
	return r;
}

struct body *body_ref(struct body *body)
{
	(void)__atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED);
	return body;
}

struct body *body_unref(struct body *body)
{
	if (!body || __atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) > 0)
		return NULL;
	free(body->data);
	free(body->gzip);
	free(body);
	return NULL;
}

struct bodies *bodies_new(void)
{
	struct bodies *bodies = calloc(1, sizeof(*bodies));

	if (bodies && pthread_mutex_init(&bodies->lock, NULL) != 0) {
		free(bodies);
		return NULL;
	}
	return bodies;
}

struct bodies *bodies_free(struct bodies *bodies)
{
	if (!bodies)
		return NULL;
	for (size_t i = 0; i < HTTP_BODIES; i++)
		bodies->current[i] = body_unref(bodies->current[i]);
	(void)pthread_mutex_destroy(&bodies->lock);
	free(bodies);
	return NULL;
}

void bodies_publish(struct bodies *bodies, enum http_body which, struct body *body)
{
	assert((size_t)which < HTTP_BODIES);
	(void)pthread_mutex_lock(&bodies->lock);
	struct body *old = bodies->current[which];
	bodies->current[which] = body;
	(void)pthread_mutex_unlock(&bodies->lock);
	(void)body_unref(old);
}

struct body *bodies_take(struct bodies *bodies, enum http_body which)
{
	assert((size_t)which < HTTP_BODIES);
	(void)pthread_mutex_lock(&bodies->lock);
	struct body *body = bodies->current[which];
	if (body)
		(void)body_ref(body);
	(void)pthread_mutex_unlock(&bodies->lock);
	return body;
}
