/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders of src/wire on any bytes: what they accept must survive another round trip, so
 * no value was read that the encoder could not have meant. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts unless both say the same. */
static void expect_same(const struct buf *a, const struct buf *b)
{
	if (a->error < 0 || b->error < 0 || a->len != b->len)
		abort();
	if (memcmp(a->data, b->data, a->len) != 0)
		abort();
}

static void try_job(const uint8_t *data, size_t size)
{
	struct job *job = calloc(1, sizeof(*job));
	struct buf first = BUF_INIT(WIRE_MESSAGE_MAX);
	struct buf second = BUF_INIT(WIRE_MESSAGE_MAX);
	struct error error = { 0 };

	if (job && wire_decode_job(data, size, job, &error) == 0) {
		wire_encode_job(job, &first);
		if (wire_decode_job((const uint8_t *)first.data, first.len, job, NULL) < 0)
			abort();
		wire_encode_job(job, &second);
		expect_same(&first, &second);
	}
	buf_done(&second);
	buf_done(&first);
	free(job);
}

static void try_progress(const uint8_t *data, size_t size)
{
	struct job_progress first = { 0 };
	struct job_progress second = { 0 };
	struct buf b = BUF_INIT(WIRE_MESSAGE_MAX);

	if (wire_decode_progress(data, size, &first, NULL) == 0) {
		wire_encode_progress(&first, &b);
		if (b.error < 0)
			abort();
		if (wire_decode_progress((const uint8_t *)b.data, b.len, &second, NULL) < 0)
			abort();
		if (first.phase != second.phase || first.done != second.done ||
			first.total != second.total)
			abort();
	}
	buf_done(&b);
}

static void try_result(const uint8_t *data, size_t size)
{
	struct run *run = run_new("r", "p");
	struct buf first = BUF_INIT(WIRE_MESSAGE_MAX);
	struct buf second = BUF_INIT(WIRE_MESSAGE_MAX);
	struct error error = { 0 };

	if (run && wire_decode_result(data, size, run, &error) == 0) {
		wire_encode_result(run, &first);
		if (wire_decode_result((const uint8_t *)first.data, first.len, run, NULL) < 0)
			abort();
		wire_encode_result(run, &second);
		expect_same(&first, &second);
	}
	buf_done(&second);
	buf_done(&first);
	free(run);
}

static void try_examination(const uint8_t *data, size_t size)
{
	struct examination *e = calloc(1, sizeof(*e));
	struct buf first = BUF_INIT(WIRE_MESSAGE_MAX);
	struct buf second = BUF_INIT(WIRE_MESSAGE_MAX);
	struct error error = { 0 };

	if (e && wire_decode_examination(data, size, e, &error) == 0) {
		wire_encode_examination(e, &first);
		if (wire_decode_examination((const uint8_t *)first.data, first.len, e, NULL) < 0)
			abort();
		wire_encode_examination(e, &second);
		expect_same(&first, &second);
	}
	buf_done(&second);
	buf_done(&first);
	free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum wire_type type;

	if (size > WIRE_MESSAGE_MAX || wire_peek(data, size, &type, NULL) < 0)
		return 0;
	switch (type) {
	case WIRE_JOB:
		try_job(data, size);
		break;
	case WIRE_PROGRESS:
		try_progress(data, size);
		break;
	case WIRE_RESULT:
		try_result(data, size);
		break;
	case WIRE_EXAMINATION:
		try_examination(data, size);
		break;
	}
	return 0;
}
