/* SPDX-License-Identifier: Apache-2.0 */
/* A run as JSON: the names are a contract, what did not happen is absent. */
#include "json_real.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "report/report.h"
#include "sample.h"

#define JSON_TEXT_MAX 65536

/* Written, read back strictly. Freed with json_free(). */
static struct json_t *through_text(const struct run *run)
{
	struct buf b = BUF_INIT(JSON_TEXT_MAX);
	struct error e = { "" };
	struct json_t *value = NULL;

	assert_int_equal(json_dump(report_run_json(run), true, &b), 0);
	assert_int_equal(json_parse(buf_text(&b), b.len, &value, &e), 0);
	buf_done(&b);
	return value;
}

static void assert_text(const struct json_t *object, const char *key, const char *expected)
{
	const char *text = json_get_text(object, key);

	assert_non_null(text);
	assert_string_equal(text, expected);
}

static void assert_real(const struct json_t *object, const char *key, double expected)
{
	double value = json_get_real(object, key, -1);

	if (value < expected - 1e-9 || value > expected + 1e-9)
		fail_msg("%s is %g, not %g", key, value, expected);
}

static void a_run_to_the_letter(void **unused)
{
	static const char expected[] =
		"{\"id\":4712,\"repository\":\"nas1\",\"probe\":\"active-full\","
		"\"started\":\"2026-11-30T18:01:00.000000Z\",\"status\":\"ok\",\"reason\":null,"
		"\"trust\":[\"direct\",\"short\"],\"engine\":\"io_uring\",\"workload\":";
	static const char operation[] =
		"{\"ios\":120,\"bytes\":62914560,\"errors\":0,\"avg_seconds\":0.02,"
		"\"stddev_seconds\":0.0,\"min_seconds\":0.02,\"max_seconds\":0.02,"
		"\"percentiles\":{\"p50\":0.02,\"p75\":0.02,\"p90\":0.02,\"p95\":0.02,"
		"\"p99\":0.02,\"p99.9\":0.02,\"p99.99\":0.02},"
		"\"throughput_bytes_per_second\":52428800,\"iops\":100.0";
	static const char active[] =
		",\"active_seconds\":1.2,\"active_throughput_bytes_per_second\":52428800";
	static const char context[] =
		",\"context\":{\"fs_type\":\"ext4\",\"source\":\"/dev/sdb1\","
		"\"mount_point\":\"/backup/nas1\","
		"\"fs_uuid\":\"2f6b3e0c-93d4-4a53-8a0e-5f4f7a0c2d11\",\"is_mount\":true,"
		"\"sector_bytes\":512,\"size_bytes\":2199023255552,"
		"\"free_bytes\":858993459200,"
		"\"device\":{\"name\":\"sdb1\",\"disk\":\"sdb\",\"model\":\"WDC WD40EFRX-68W\","
		"\"write_cache\":\"write back\",\"scheduler\":\"mq-deadline\",\"rotational\":true,"
		"\"logical_block_bytes\":512,\"physical_block_bytes\":4096,"
		"\"request_max_bytes\":null,\"queue_requests\":null,\"disks\":[\"sdb\"]},"
		"\"mount_options\":\"rw,noatime\",\"fs_options\":\"rw,stripe=128\","
		"\"others\":{\"bytes_per_second\":12582912,\"ios_per_second\":340},"
		"\"pressure\":{\"some_percent\":41.5,\"full_percent\":9.05},"
		"\"file_bytes\":1073741824,"
		"\"file_target_bytes\":1073741824,\"layout_bytes\":0,"
		"\"is_confirmation\":false,\"start_delay_seconds\":0.0,\"setup_seconds\":0.0,"
		"\"setup_longest_seconds\":null,\"setup_step\":null,\"measured_seconds\":1.2,"
		"\"duration_seconds\":1.25,\"cpu_user_seconds\":0.0,"
		"\"cpu_system_seconds\":0.0,\"outstanding_ios\":0,\"registered_buffers\":true}}";
	struct run *run = sample_write_run();
	struct buf all = BUF_INIT(JSON_TEXT_MAX);
	struct buf operations = BUF_INIT(JSON_TEXT_MAX);

	(void)unused;
	assert_int_equal(json_dump(report_run_json(run), false, &all), 0);
	const char *text = buf_text(&all);
	assert_memory_equal(text, expected, strlen(expected));
	buf_printf(&operations, ",\"operations\":{\"write\":%s%s},\"total\":%s}}%s", operation,
		active, operation, context);
	const char *end = text + all.len - operations.len;
	assert_string_equal(end, buf_text(&operations));
	buf_done(&operations);
	buf_done(&all);
	free(run);
}

static void read_write_and_total_stand_side_by_side(void **unused)
{
	struct run *run = sample_run();
	struct json_t *value = through_text(run);
	const struct json_t *operations = json_get(value, "operations");
	const struct json_t *read = json_get(operations, "read");
	const struct json_t *total = json_get(operations, "total");

	(void)unused;
	assert_int_equal(json_get_integer(read, "ios", -1), 40);
	assert_real(read, "avg_seconds", 0.00592);
	assert_real(read, "min_seconds", 0.00397);
	assert_real(read, "max_seconds", 0.00787);
	assert_real(json_get(read, "percentiles"), "p99.9", 0.00787);
	assert_int_equal(json_get_integer(json_get(operations, "write"), "ios", -1), 80);
	assert_int_equal(json_get_integer(total, "ios", -1), 120);
	assert_real(total, "avg_seconds", 0.01244);
	assert_real(total, "iops", 80);
	assert_int_equal(json_get_integer(total, "throughput_bytes_per_second", -1), 40 << 20);
	assert_text(json_get(value, "workload"), "preset", "reverse-incremental");
	json_free(value);
	free(run);
}

static void rates_are_told_over_measured_and_over_active_time(void **unused)
{
	struct run *run = sample_run();
	run->iops[RUN_WRITE] = (struct run_iops){ 3, 600, 140000 };
	run->iops[RUN_OPERATIONS].seconds = 0;
	struct json_t *value = through_text(run);
	const struct json_t *operations = json_get(value, "operations");
	const struct json_t *write = json_get(operations, "write");
	const struct json_t *total = json_get(operations, "total");

	(void)unused;
	assert_real(write, "iops_stddev", 81.6496580928);
	assert_real(write, "active_seconds", 1.25);
	assert_int_equal(
		json_get_integer(write, "active_throughput_bytes_per_second", -1), 32 << 20);
	assert_real(json_get(operations, "read"), "iops_stddev", 0);
	assert_null(json_get(total, "iops_stddev"));
	assert_null(json_get(total, "active_seconds"));
	json_free(value);
	free(run);
}

static void a_failed_run_is_a_document_with_status_and_reason(void **unused)
{
	struct run *run = sample_failed_run(RUN_ERROR, EIO, "write failed: Input/output error");
	struct json_t *value = through_text(run);

	(void)unused;
	assert_text(value, "status", "error");
	assert_text(value, "error", "EIO");
	assert_text(value, "reason", "write failed: Input/output error");
	assert_non_null(json_get(value, "operations"));
	assert_null(json_get(json_get(value, "operations"), "total"));
	assert_null(json_get_text(value, "engine"));
	assert_non_null(json_get(value, "id"));
	assert_int_equal(json_get_integer(value, "id", -7), -7); /* null */
	json_free(value);
	free(run);
}

static void what_only_failed_has_counts_and_no_latency(void **unused)
{
	struct run *run = sample_failed_run(RUN_ERROR, EIO, "write failed");
	run->operations[RUN_WRITE].errors = 2;
	run->measured_nsec = 1000;
	struct json_t *value = through_text(run);
	const struct json_t *write = json_get(json_get(value, "operations"), "write");

	(void)unused;
	assert_int_equal(json_get_integer(write, "errors", -1), 2);
	assert_int_equal(json_get_integer(write, "ios", -1), 0);
	assert_null(json_get(write, "avg_seconds"));
	assert_null(json_get(write, "iops"));
	assert_null(json_get(write, "percentiles"));
	assert_null(json_get(json_get(value, "operations"), "read"));
	json_free(value);
	free(run);
}

static void names_that_are_not_there_are_null(void **unused)
{
	struct run *run = sample_write_run();
	run->repository[0] = '\0';
	run->probe[0] = '\0';
	run->identity = (struct identity){ .is_mount = false };
	struct json_t *value = through_text(run);

	(void)unused;
	assert_non_null(json_get(value, "repository"));
	assert_null(json_get_text(value, "repository"));
	assert_null(json_get_text(value, "probe"));
	assert_null(json_get_text(json_get(value, "context"), "fs_type"));
	assert_null(json_get(json_get(value, "context"), "size_bytes"));
	json_free(value);
	free(run);
}

static void a_surrounding_that_is_not_known_is_null(void **unused)
{
	struct run *run = sample_write_run();
	run->identity.has_device = false;
	memset(&run->identity.options, 0, sizeof(run->identity.options));
	run->facts = (struct facts){ .has_counters = false };
	struct json_t *value = through_text(run);
	const struct json_t *context = json_get(value, "context");
	static const char *const keys[] = { "device", "mount_options", "fs_options", "others",
		"pressure" };

	(void)unused;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_non_null(json_get(context, keys[i]));
		assert_null(json_get_text(context, keys[i]));
		assert_null(json_get(json_get(context, keys[i]), "name"));
		assert_null(json_get(json_get(context, keys[i]), "bytes_per_second"));
	}
	json_free(value);
	run->facts.has_counters = true; /* nobody is somebody: no null */
	value = through_text(run);
	context = json_get(value, "context");
	assert_int_equal(json_get_integer(json_get(context, "others"), "bytes_per_second", -1), 0);
	json_free(value);
	free(run);
}

static void a_skipped_run_has_its_cause(void **unused)
{
	struct run *run = sample_failed_run(RUN_SKIPPED, 0, "");
	run->skip = RUN_SKIP_BUDGET;
	struct json_t *value = through_text(run);

	(void)unused;
	assert_text(value, "status", "skipped");
	assert_text(value, "skip", "budget");
	assert_null(json_get_text(value, "reason"));
	json_free(value);
	free(run);
}

static void bytes_that_are_not_text_become_replacement_characters(void **unused)
{
	struct run *run = sample_failed_run(RUN_ERROR, 0, "bad \xff\" byte\n");
	struct json_t *value = through_text(run);

	(void)unused;
	assert_text(value, "reason", "bad \xef\xbf\xbd\" byte\n");
	json_free(value);
	free(run);
}

static void counts_past_what_json_holds_are_cut(void **unused)
{
	struct run *run = sample_write_run();
	run->operations[RUN_WRITE].errors = UINT64_MAX;
	struct json_t *value = through_text(run);

	(void)unused;
	assert_true(json_get_integer(json_get(json_get(value, "operations"), "write"), "errors",
			    0) == INT64_MAX);
	json_free(value);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_to_the_letter),
		cmocka_unit_test(read_write_and_total_stand_side_by_side),
		cmocka_unit_test(rates_are_told_over_measured_and_over_active_time),
		cmocka_unit_test(a_failed_run_is_a_document_with_status_and_reason),
		cmocka_unit_test(what_only_failed_has_counts_and_no_latency),
		cmocka_unit_test(names_that_are_not_there_are_null),
		cmocka_unit_test(a_surrounding_that_is_not_known_is_null),
		cmocka_unit_test(a_skipped_run_has_its_cause),
		cmocka_unit_test(bytes_that_are_not_text_become_replacement_characters),
		cmocka_unit_test(counts_past_what_json_holds_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
