/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of job, progress and result: magic, version, type, then sections of tag, length and
 * content. A decoder skips unknown tags, rejects a known tag with a wrong length or value, and
 * checks every range: a worker's output is untrusted. A message is one SOCK_SEQPACKET datagram. */
#ifndef REPOPROBE_WIRE_WIRE_H
#define REPOPROBE_WIRE_WIRE_H

#include "model/examination.h"
#include "model/job.h"
#include "model/run.h"

struct buf;
struct error;

#define WIRE_VERSION 1
#define WIRE_MESSAGE_MAX (UINT32_C(192) << 10) /* below the default socket buffer of 208 KiB */

enum wire_type {
	WIRE_JOB = 1,
	WIRE_PROGRESS = 2,
	WIRE_RESULT = 3,
	WIRE_EXAMINATION = 4,
};

/* The type of a message with valid magic and version; else -EBADMSG (not ours) or -EPROTO (another
 * version, such as after an upgrade while a worker ran). */
int wire_peek(const uint8_t *data, size_t len, enum wire_type *ret, struct error *reterr);

void wire_encode_job(const struct job *job, struct buf *b);
int wire_decode_job(const uint8_t *data, size_t len, struct job *ret, struct error *reterr);

void wire_encode_progress(const struct job_progress *progress, struct buf *b);
int wire_decode_progress(
	const uint8_t *data, size_t len, struct job_progress *ret, struct error *reterr);

/* The result sets what a worker knows of a run; id, names, start and duration in *ret are
 * unchanged. On failure *ret is unspecified but valid. */
void wire_encode_result(const struct run *run, struct buf *b);
int wire_decode_result(const uint8_t *data, size_t len, struct run *ret, struct error *reterr);

/* An examination is sent after each step, as known so far. On failure *ret is all zero. */
void wire_encode_examination(const struct examination *e, struct buf *b);
int wire_decode_examination(
	const uint8_t *data, size_t len, struct examination *ret, struct error *reterr);

#endif
