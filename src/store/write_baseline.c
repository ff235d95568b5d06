/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules keep of runs and series as rows. */
#include "store/write.h"

int write_sample(struct write *w, const struct change *change, struct error *reterr)
{
	const struct change_sample *sample = change->sample;
	struct sql *s = write_start(w, WRITE_SET_SAMPLE);

	sql_bind_bytes(s, sample->bytes, sample->len);
	sql_bind_integer(s, sample->run_id);
	sql_bind_integer(s, sample->operation);
	return sql_finish(s, reterr);
}

int write_baseline(struct write *w, const struct change *change, struct error *reterr)
{
	const struct saved_baseline *baseline = change->baseline;
	int64_t target;
	int64_t series = 0;

	int r = write_target(w, baseline->repository, &target, reterr);
	if (r == 0)
		r = write_series(w, target, baseline->probe, baseline->key, &series, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_SET_BASELINE);
	sql_bind_integer(s, series);
	sql_bind_integer(s, baseline->operation);
	sql_bind_integer(s, baseline->built_usec);
	sql_bind_integer(s, baseline->anchor);
	sql_bind_integer(s, baseline->anchor_usec);
	sql_bind_unsigned(s, baseline->valley_nsec);
	sql_bind_integer(s, baseline->since_usec);
	return sql_finish(s, reterr);
}
