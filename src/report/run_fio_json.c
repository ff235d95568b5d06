/* SPDX-License-Identifier: Apache-2.0 */
/* One run as fio's json+ output, for tools that read it (reference workloads 3.4). Names, units and
 * order are fio's; what we do not measure is absent. One latency is measured, from submission to
 * completion: it is written as clat and as lat, with slat empty, as fio does for blocking engines.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "report/report.h"
#include "report/run_fio_options.h"

#define FIO_BUCKETS 1856 /* fio has 29 groups of our layout */
#define TEXT_MAX 1024
#define NAME_MAX_BYTES 32

_Static_assert(FIO_BUCKETS == 29 * HISTOGRAM_SUBBUCKETS, "whole groups");

/* The value of "error" for a run that failed without an errno. */
static const int status_errors[RUN_STATUSES] = {
	[RUN_ERROR] = EIO,
	[RUN_STALLED] = ETIMEDOUT,
	[RUN_TIMEOUT] = ETIMEDOUT,
	[RUN_STUCK] = ETIMEDOUT,
	[RUN_NOT_MOUNTED] = ENODEV,
	[RUN_WRONG_TARGET] = ENXIO,
	[RUN_READ_ONLY] = EROFS,
	[RUN_NO_SPACE] = ENOSPC,
	[RUN_REFUSED] = EPERM,
	[RUN_SKIPPED] = EBUSY,
};

static const struct {
	const char *name;
	uint64_t parts_per_myriad;
} percentiles[] = {
	{ "1.000000", 100 },
	{ "5.000000", 500 },
	{ "10.000000", 1000 },
	{ "20.000000", 2000 },
	{ "30.000000", 3000 },
	{ "40.000000", 4000 },
	{ "50.000000", 5000 },
	{ "60.000000", 6000 },
	{ "70.000000", 7000 },
	{ "80.000000", 8000 },
	{ "90.000000", 9000 },
	{ "95.000000", 9500 },
	{ "99.000000", 9900 },
	{ "99.500000", 9950 },
	{ "99.900000", 9990 },
	{ "99.950000", 9995 },
	{ "99.990000", 9999 },
};

/* The share of I/Os below this latency and not below that of the row above. */
static const struct {
	const char *table;
	const char *name;
	uint64_t below_nsec;
} shares[] = {
	{ "latency_ns", "2", UINT64_C(2) },
	{ "latency_ns", "4", UINT64_C(4) },
	{ "latency_ns", "10", UINT64_C(10) },
	{ "latency_ns", "20", UINT64_C(20) },
	{ "latency_ns", "50", UINT64_C(50) },
	{ "latency_ns", "100", UINT64_C(100) },
	{ "latency_ns", "250", UINT64_C(250) },
	{ "latency_ns", "500", UINT64_C(500) },
	{ "latency_ns", "750", UINT64_C(750) },
	{ "latency_ns", "1000", UINT64_C(1000) },
	{ "latency_us", "2", UINT64_C(2000) },
	{ "latency_us", "4", UINT64_C(4000) },
	{ "latency_us", "10", UINT64_C(10000) },
	{ "latency_us", "20", UINT64_C(20000) },
	{ "latency_us", "50", UINT64_C(50000) },
	{ "latency_us", "100", UINT64_C(100000) },
	{ "latency_us", "250", UINT64_C(250000) },
	{ "latency_us", "500", UINT64_C(500000) },
	{ "latency_us", "750", UINT64_C(750000) },
	{ "latency_us", "1000", UINT64_C(1000000) },
	{ "latency_ms", "2", UINT64_C(2000000) },
	{ "latency_ms", "4", UINT64_C(4000000) },
	{ "latency_ms", "10", UINT64_C(10000000) },
	{ "latency_ms", "20", UINT64_C(20000000) },
	{ "latency_ms", "50", UINT64_C(50000000) },
	{ "latency_ms", "100", UINT64_C(100000000) },
	{ "latency_ms", "250", UINT64_C(250000000) },
	{ "latency_ms", "500", UINT64_C(500000000) },
	{ "latency_ms", "750", UINT64_C(750000000) },
	{ "latency_ms", "1000", UINT64_C(1000000000) },
	{ "latency_ms", "2000", UINT64_C(2000000000) },
	{ "latency_ms", ">=2000", UINT64_MAX },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void add_count(struct json_t *object, const char *key, uint64_t value)
{
	json_add_integer(object, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

/* --- Latencies --- */

/* fio's last bucket includes everything longer. */
static uint64_t bin_count(const struct histogram *h, size_t bin)
{
	uint64_t count = h->buckets[bin];

	if (bin == FIO_BUCKETS - 1)
		for (size_t i = FIO_BUCKETS; i < HISTOGRAM_BUCKETS; i++)
			count += h->buckets[i];
	return count;
}

/* As in fio: the value of the first bin up to which at least p × N I/Os fall, not clamped to the
 * extremes. */
static struct json_t *new_percentiles(const struct histogram *h)
{
	struct json_t *object = json_new_object();
	uint64_t seen = 0;
	size_t next = 0;

	for (size_t bin = 0; bin < FIO_BUCKETS; bin++) {
		seen += bin_count(h, bin);
		for (; next < COUNT(percentiles) &&
			(unsigned __int128)seen * 10000 >=
				(unsigned __int128)h->count * percentiles[next].parts_per_myriad;
			next++)
			add_count(object, percentiles[next].name, histogram_bucket_nsec(bin));
	}
	return object;
}

static struct json_t *new_bins(const struct histogram *h)
{
	struct json_t *object = json_new_object();
	struct buf name = BUF_INIT(NAME_MAX_BYTES);

	for (size_t bin = 0; bin < FIO_BUCKETS; bin++) {
		uint64_t count = bin_count(h, bin);

		if (count == 0)
			continue;
		buf_clear(&name);
		buf_printf(&name, "%" PRIu64, histogram_bucket_nsec(bin));
		add_count(object, buf_text(&name), count);
	}
	buf_done(&name);
	return object;
}

/* fio divides by N - 1. */
static double sample_deviation(const struct histogram *h)
{
	double count = (double)h->count;

	if (h->count < 2)
		return 0;
	return (double)histogram_stddev_nsec(h) * sqrt(count / (count - 1));
}

static struct json_t *new_latency(const struct histogram *h, bool has_bins)
{
	struct json_t *object = json_new_object();

	add_count(object, "min", h ? h->min_nsec : 0);
	add_count(object, "max", h ? h->max_nsec : 0);
	json_add_real(object, "mean", h ? (double)histogram_mean_nsec(h) : 0);
	json_add_real(object, "stddev", h ? sample_deviation(h) : 0);
	add_count(object, "N", h ? h->count : 0);
	if (has_bins && h && h->count > 0) {
		json_add(object, "percentile", new_percentiles(h));
		json_add(object, "bins", new_bins(h));
	}
	return object;
}

static void count_shares(const struct histogram *h, uint64_t counts[COUNT(shares)])
{
	size_t row = 0;

	for (size_t bin = 0; bin < FIO_BUCKETS; bin++) {
		while (histogram_bucket_nsec(bin) >= shares[row].below_nsec)
			row++;
		counts[row] += bin_count(h, bin);
	}
}

static void add_shares(struct json_t *job, const struct run *run)
{
	uint64_t counts[COUNT(shares)] = { 0 };
	struct json_t *object = NULL;
	uint64_t total = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		count_shares(&run->operations[i].latency, counts);
		total += run->operations[i].latency.count;
	}
	for (size_t i = 0; i < COUNT(shares); i++) {
		if (!object)
			object = json_new_object();
		json_add_real(object, shares[i].name,
			total > 0 ? 100 * (double)counts[i] / (double)total : 0);
		if (i + 1 < COUNT(shares) && strcmp(shares[i].table, shares[i + 1].table) == 0)
			continue;
		json_add(job, shares[i].table, object);
		object = NULL;
	}
}

/* --- Directions --- */

static void add_latencies(struct json_t *object, const struct histogram *h)
{
	json_add(object, "slat_ns", new_latency(NULL, false));
	json_add(object, "clat_ns", new_latency(h, true));
	json_add(object, "lat_ns", new_latency(h, false));
}

/* fio samples the rate during the run, by default every 500 ms; our samples are full seconds. */
static void add_samples(struct json_t *object, const struct run_iops *iops)
{
	double seconds = iops ? iops->seconds : 0;

	json_add_real(object, "iops_mean", seconds > 0 ? (double)iops->ios / seconds : 0);
	json_add_real(object, "iops_stddev", seconds > 0 ? run_iops_stddev(iops) : 0);
	add_count(object, "iops_samples", iops ? iops->seconds : 0);
}

static uint64_t msec_rounded_up(uint64_t nsec)
{
	return nsec / NSEC_PER_MSEC + (nsec % NSEC_PER_MSEC > 0);
}

static struct json_t *new_direction(
	const struct run *run, const struct run_operation_result *o, const struct run_iops *iops)
{
	struct json_t *object = json_new_object();
	uint64_t bytes_per_sec = run_throughput_bytes_per_sec(run, o);

	add_count(object, "io_bytes", o->bytes);
	add_count(object, "io_kbytes", o->bytes >> 10);
	add_count(object, "bw_bytes", bytes_per_sec);
	add_count(object, "bw", bytes_per_sec >> 10);
	json_add_real(object, "iops", run_iops(run, o));
	add_count(object, "runtime", o->ios > 0 ? msec_rounded_up(run->measured_nsec) : 0);
	add_count(object, "total_ios", o->ios);
	add_count(object, "short_ios", 0); /* short I/Os are completed, not counted */
	add_count(object, "drop_ios", 0);
	add_latencies(object, &o->latency);
	json_add_real(object, "bw_mean", (double)bytes_per_sec / 1024);
	add_samples(object, iops);
	return object;
}

/* Adds what our runs never do: trims, and syncs that are counted separately. */
static void add_unused(struct json_t *job)
{
	static const char *const counts[] = { "io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime",
		"total_ios", "short_ios", "drop_ios" };
	struct json_t *trim = json_new_object();
	struct json_t *sync = json_new_object();

	for (size_t i = 0; i < COUNT(counts); i++)
		add_count(trim, counts[i], 0);
	json_add_real(trim, "iops", 0);
	add_latencies(trim, NULL);
	json_add_real(trim, "bw_mean", 0);
	add_samples(trim, NULL);
	json_add(job, "trim", trim);
	add_count(sync, "total_ios", 0);
	json_add(sync, "lat_ns", new_latency(NULL, false));
	json_add(job, "sync", sync);
}

/* --- Job and document --- */

static void add_cpu(struct json_t *job, const char *key, const struct run *run, uint64_t cpu_nsec)
{
	double share = 0;

	if (run->measured_nsec > 0)
		share = 100 * (double)cpu_nsec / (double)run->measured_nsec;
	json_add_real(job, key, share);
}

/* fio's job description holds what a reader must know to judge the numbers. */
static void add_description(struct json_t *job, const struct run *run)
{
	struct buf text = BUF_INIT(TEXT_MAX);
	const char *separator = "; trust: ";

	buf_printf(&text, "status: %s", run_status_name(run->status));
	if (run->reason[0] != '\0')
		buf_printf(&text, " (%s)", run->reason);
	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++) {
		if (!(run->trust & (1U << bit)))
			continue;
		buf_printf(&text, "%s%s", separator, run_trust_name(bit));
		separator = ", ";
	}
	json_add_text(job, "desc", buf_text(&text));
	buf_done(&text);
}

static struct json_t *new_job(const struct run *run)
{
	struct json_t *job = json_new_object();
	int error = run->error_number > 0 ? run->error_number : status_errors[run->status];

	json_add_text(job, "jobname", run->probe[0] != '\0' ? run->probe : run->workload.preset);
	add_description(job, run);
	add_count(job, "groupid", 0);
	json_add_integer(job, "error", error);
	add_count(job, "eta", 0);
	add_count(job, "elapsed", (run->duration_nsec + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
	json_add(job, "job options", run_fio_options(run));
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		json_add(job, run_operation_name((enum run_operation)i),
			new_direction(run, &run->operations[i], &run->iops[i]));
	add_unused(job);
	add_count(job, "job_runtime", msec_rounded_up(run->measured_nsec));
	add_cpu(job, "usr_cpu", run, run->cpu_user_nsec);
	add_cpu(job, "sys_cpu", run, run->cpu_system_nsec);
	add_shares(job, run);
	return job;
}

/* Adds the end of the run; the text is UTC. */
static void add_time(struct json_t *document, const struct run *run)
{
	int64_t usec = run->started_usec + (int64_t)(run->duration_nsec / NSEC_PER_USEC);
	time_t seconds = (time_t)(usec / (int64_t)USEC_PER_SEC);
	char text[NAME_MAX_BYTES] = "";
	struct tm tm;

	json_add_integer(document, "timestamp", seconds);
	json_add_integer(document, "timestamp_ms", usec / (int64_t)USEC_PER_MSEC);
	if (gmtime_r(&seconds, &tm))
		(void)strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	json_add_text(document, "time", text);
}

void report_run_fio_json(const struct run *run, struct buf *b)
{
	struct json_t *document = json_new_object();
	struct json_t *jobs = json_new_array();

	json_add_text(document, "fio version", "repoprobe-" PACKAGE_VERSION);
	add_time(document, run);
	json_append(jobs, new_job(run));
	json_add(document, "jobs", jobs);
	json_add(document, "disk_util", json_new_array());
	int r = json_dump(document, true, b);
	if (r < 0 && b->error == 0)
		b->error = r;
}
