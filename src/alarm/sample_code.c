/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed offsets, because tens of thousands are decoded at start-up. */
#include "alarm/sample_code.h"

#include <errno.h>
#include <string.h>

#include "alarm/baseline.h"
#include "base/buf.h"

#define CODE_VERSION 1

void sample_code(const struct baseline_sample *sample, uint8_t ret[static SAMPLE_CODE_BYTES])
{
	uint16_t words[BASELINE_METRICS + 3];
	size_t at = 7;

	memcpy(words, sample->values, sizeof(sample->values));
	words[BASELINE_METRICS] = sample->valley;
	words[BASELINE_METRICS + 1] = sample->others_bytes;
	words[BASELINE_METRICS + 2] = sample->others_ios;
	ret[0] = CODE_VERSION;
	for (unsigned i = 0; i < 4; i++)
		ret[1 + i] = (uint8_t)(sample->minute >> 8 * i);
	ret[5] = sample->hour_of_week;
	ret[6] = sample->is_learned;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ret[at++] = (uint8_t)words[i];
		ret[at++] = (uint8_t)(words[i] >> 8);
	}
}

int sample_code_read(const void *data, size_t len, struct baseline_sample *ret)
{
	struct buf_reader r = BUF_READER(data, len);
	struct baseline_sample sample;
	uint8_t version = buf_read_u8(&r);

	sample.minute = buf_read_u32(&r);
	sample.hour_of_week = buf_read_u8(&r);
	uint8_t is_learned = buf_read_u8(&r);
	for (size_t i = 0; i < BASELINE_METRICS; i++)
		sample.values[i] = buf_read_u16(&r);
	sample.valley = buf_read_u16(&r);
	sample.others_bytes = buf_read_u16(&r);
	sample.others_ios = buf_read_u16(&r);
	if (r.error < 0 || r.pos != r.len || version != CODE_VERSION || is_learned > 1 ||
		sample.hour_of_week >= BASELINE_HOURS_OF_WEEK)
		return -EBADMSG;
	sample.is_learned = is_learned;
	*ret = sample;
	return 0;
}
