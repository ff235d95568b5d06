/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's counters and converts them to samples. */
#include "supervise/reading.h"

#include <errno.h>

#include "base/error.h"
#include "base/fd.h"
#include "model/identity.h"

#define PATH_MAX_BYTES 4096

static void read_file(const char *proc, const char *name, struct buf *text)
{
	struct buf path = BUF_INIT(PATH_MAX_BYTES);

	*text = (struct buf)BUF_INIT(READING_FILE_MAX);
	buf_printf(&path, "%s/%s", proc, name);
	if (path.error < 0 || fd_read_file(buf_text(&path), text) < 0)
		buf_done(text); /* treated as unknown: a truncated text would lack devices */
	buf_done(&path);
}

void reading_take(struct reading *reading, const char *proc, bool has_nfs, uint64_t now_nsec)
{
	reading_done(reading);
	reading->monotonic_nsec = now_nsec;
	read_file(proc, "diskstats", &reading->diskstats);
	read_file(proc, "pressure/io", &reading->pressure);
	if (has_nfs)
		read_file(proc, "self/mountstats", &reading->mountstats);
}

void reading_done(struct reading *reading)
{
	buf_done(&reading->diskstats);
	buf_done(&reading->mountstats);
	buf_done(&reading->pressure);
	reading->monotonic_nsec = 0;
}

static int read_counters(const struct reading *reading, const struct identity *identity,
	struct facts_sample *sample, struct error *reterr)
{
	if (reading->diskstats.len > 0 && identity->has_device)
		return facts_sample_disk(
			sample, buf_text(&reading->diskstats), &identity->device, reterr);
	if (reading->mountstats.len == 0 || !identity_is_nfs(identity))
		return 0;
	int r = mountstats_find(
		buf_text(&reading->mountstats), identity->mount_point, &sample->nfs, reterr);
	sample->has_nfs = r == 0;
	return r;
}

int reading_sample(const struct reading *reading, const struct identity *identity,
	struct facts_sample *ret, struct error *reterr)
{
	struct facts_sample s = { .monotonic_nsec = reading->monotonic_nsec };
	struct error error = { "" };
	int r = read_counters(reading, identity, &s, &error);

	if (r == -ENOENT)
		r = 0; /* a missing device is not a format error */
	if (reading->pressure.len > 0) {
		int p = pressure_parse(buf_text(&reading->pressure), &s.pressure, &error);
		s.has_pressure = p == 0;
		if (p < 0)
			r = p;
	}
	*ret = s;
	return r < 0 ? error_set(reterr, r, "%s", error.text) : 0;
}
