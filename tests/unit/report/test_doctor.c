/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor says, word for word: all well, a place that cannot be, one that hangs. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "model/checkup.h"
#include "model/sample_examination.h"
#include "report/report.h"

struct bench {
	struct examination *e;
	struct checkup checkup;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->e = sample_examination();
	b->checkup = (struct checkup){
		.path = "/srv/backup",
		.probe_directory = "/srv/backup/.repoprobe",
		.state_directory = "/var/lib/repoprobe",
		.configuration_trouble = "",
		.cost = {
			.repository = "nas1",
			.probe_count = 2,
			.probes = { "active-full", "heartbeat" },
			.written_bytes = UINT64_C(20) << 30,
			.read_bytes = UINT64_C(512) << 20,
			.block_bytes = 524288,
			.min_free_percent = 5,
		},
		.reason = "",
		.examination = b->e,
	};
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	free(b->e);
	free(b);
	return 0;
}

static void assert_report(struct bench *bench, const char *expected)
{
	struct buf b = BUF_INIT(65536);

	checkup_judge(&bench->checkup);
	report_doctor_text(&bench->checkup, &b);
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static void assert_document(struct bench *bench, const char *expected)
{
	struct buf b = BUF_INIT(65536);

	checkup_judge(&bench->checkup);
	assert_int_equal(json_dump(report_doctor_json(&bench->checkup), false, &b), 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static const char expected_text[] =
	"/srv/backup: ok\n"
	"\n"
	"Repository\n"
	"  ok       path             /srv/backup, which is /mnt/backup\n"
	"  ok       configuration    repository nas1\n"
	"\n"
	"Mount\n"
	"  ok       mount point      /mnt/backup, a mount of its own\n"
	"  ok       source           /dev/mapper/vg0-backup\n"
	"  ok       options          rw,noatime; of the file system: rw,logbufs=8\n"
	"\n"
	"File system\n"
	"  ok       type             xfs, on a disk\n"
	"  ok       UUID             6c2f1f0a-0000-4000-8000-000000000001\n"
	"  ok       space            2 TiB of 4 TiB free, 205 GiB must stay free\n"
	"  ok       inodes           900 of 1000 free\n"
	"  ok       caches           direct I/O goes past the page cache\n"
	"\n"
	"Device\n"
	"  ok       device           dm-3, vg0-backup, raid6 array, idle\n"
	"  ok       disks            sda, sdb; the first is WDC WD40EFRX-68W\n"
	"  ok       medium           rotational, as many virtual disks say too\n"
	"  ok       write cache      write back, writes can go past it (FUA)\n"
	"  ok       sectors          logical 512, physical 4096 bytes\n"
	"  ok       requests         at most 1 MiB, 64 in the queue, scheduler mq-deadline\n"
	"\n"
	"I/O\n"
	"  ok       direct I/O       works: tried with a read of the probe file\n"
	"  ok       alignment        offsets 512, memory 4 bytes; reads of 512 bytes work\n"
	"  ok       io_uring         allowed\n"
	"  ok       buffers          1 MiB can be registered; memory-lock limit 8 MiB\n"
	"\n"
	"Who may write\n"
	"  ok       user             user 0 works as the owner, user 34, group 35, may write\n"
	"  ok       repository       user 34, group 35, mode 0750\n"
	"  ok       probe directory  /srv/backup/.repoprobe: user 34, group 35, mode 0700\n"
	"  ok       probe files      the daemon's: ours (129 MiB), run's: missing, others: 2 (3 GiB)\n"
	"\n"
	"A day of probing\n"
	"  ok       probes           active-full, heartbeat\n"
	"  ok       a day            written: 20 GiB, read: 512 MiB at most\n"
	"  ok       on disk          a probe file of 1 GiB\n"
	"\n"
	"History\n"
	"  ok       state directory  /var/lib/repoprobe, on ext4 of /dev/nvme0n1p2\n"
	"\n"
	"Nothing would be refused.\n";

static const char expected_json[] =
	"{\"path\":\"/srv/backup\",\"real_path\":\"/mnt/backup\",\"repository\":\"nas1\","
	"\"verdict\":\"ok\",\"status\":\"ok\",\"reason\":null,\"mount\":{"
	"\"mount_point\":\"/mnt/backup\",\"source\":\"/dev/mapper/vg0-backup\","
	"\"is_mount\":true,\"mount_options\":\"rw,noatime\",\"fs_options\":\"rw,logbufs=8\"},"
	"\"file_system\":{\"fs_type\":\"xfs\",\"kind\":\"disk\","
	"\"fs_uuid\":\"6c2f1f0a-0000-4000-8000-000000000001\",\"is_in_memory\":false,"
	"\"is_compressed\":false,\"is_read_only\":false,\"size_bytes\":4398046511104,\"free_bytes\":2199023255552,"
	"\"must_stay_free_bytes\":219902325555,\"inodes\":1000,\"free_inodes\":900},"
	"\"device\":{\"name\":\"dm-3\",\"disk\":\"dm-3\",\"model\":\"WDC WD40EFRX-68W\","
	"\"write_cache\":\"write back\",\"scheduler\":\"mq-deadline\","
	"\"mapped_name\":\"vg0-backup\",\"array_level\":\"raid6\",\"array_action\":\"idle\","
	"\"rotational\":true,\"logical_block_bytes\":512,\"physical_block_bytes\":4096,"
	"\"request_max_bytes\":1048576,\"queue_requests\":64,\"disks\":[\"sda\",\"sdb\"]},"
	"\"direct_io\":{\"trial\":\"worked\",\"error\":null,\"tried_by\":\"read\","
	"\"are_writes_cached\":false,"
	"\"offset_align_bytes\":512,\"memory_align_bytes\":4,\"shortest_read_bytes\":512},"
	"\"io_uring\":{\"is_allowed\":true,\"error\":null,\"can_register_buffers\":true,"
	"\"buffer_bytes\":1048576,\"memory_lock_bytes\":8388608},\"access\":{"
	"\"caller_uid\":0,\"worker_uid\":34,\"worker_gid\":35,\"may_write\":true,"
	"\"error\":null,\"repository\":{\"uid\":34,\"gid\":35,\"mode\":\"0750\","
	"\"is_immutable\":false},\"probe_directory_path\":\"/srv/backup/.repoprobe\","
	"\"probe_directory\":{\"uid\":34,\"gid\":35,\"mode\":\"0700\","
	"\"is_immutable\":false},\"probe_file\":{\"state\":\"ours\","
	"\"size_bytes\":135266304},\"run_file\":{\"state\":\"missing\"},\"other_files\":2,"
	"\"other_bytes\":3221225472},\"cost\":{\"probes\":[\"active-full\",\"heartbeat\"],"
	"\"written_a_day_bytes\":21474836480,\"read_a_day_bytes\":536870912,\"daily_write_budget_bytes\":null,"
	"\"file_bytes\":1073741824},\"history\":{\"state_directory\":\"/var/lib/repoprobe\","
	"\"error\":null,\"fs_type\":\"ext4\",\"source\":\"/dev/nvme0n1p2\",\"kind\":\"disk\","
	"\"is_same_file_system\":false,\"shares_disk\":false},\"findings\":[]}";

static const char expected_missing_text[] =
	"/srv/backup: problem\n"
	"\n"
	"Repository\n"
	"  problem  path             /srv/backup\n"
	"  ok       configuration    not a configured repository\n"
	"\n"
	"A day of probing\n"
	"  ok       probes           active-full, heartbeat\n"
	"  warning  a day            written: no bound, read: 512 MiB at most\n"
	"\n"
	"1 problem, 1 warning:\n"
	"  problem  path: a run would fail with error: /srv/backup does not exist\n"
	"  warning  cost: the runs of a probe are bounded by time alone: max_bytes or max_ios would bound what they cost\n";

static const char expected_missing_json[] =
	"{\"path\":\"/srv/backup\",\"real_path\":null,\"repository\":null,\"verdict\":\"problem\","
	"\"status\":\"ok\",\"reason\":null,\"cost\":{\"probes\":[\"active-full\",\"heartbeat\"],"
	"\"written_a_day_bytes\":null,\"read_a_day_bytes\":536870912,\"daily_write_budget_bytes\":null},\"findings\":[{"
	"\"level\":\"problem\",\"about\":\"path\","
	"\"text\":\"a run would fail with error: /srv/backup does not exist\"},{"
	"\"level\":\"warning\",\"about\":\"cost\","
	"\"text\":\"the runs of a probe are bounded by time alone: max_bytes or max_ios would bound what they cost\"}]}";

static const char expected_stuck_text[] =
	"/srv/backup: problem\n"
	"\n"
	"Repository\n"
	"  problem  path             /srv/backup, which is /mnt/backup\n"
	"  ok       configuration    repository nas1\n"
	"\n"
	"Mount\n"
	"  ok       mount point      /mnt/backup, a mount of its own\n"
	"  ok       source           evil [2J?\n"
	"  ok       options          rw,noatime; of the file system: rw,logbufs=8\n"
	"\n"
	"File system\n"
	"  ok       type             xfs, on a disk\n"
	"  unknown  UUID             not known\n"
	"  ok       space            2 TiB of 4 TiB free, 205 GiB must stay free\n"
	"  ok       inodes           900 of 1000 free\n"
	"\n"
	"Device\n"
	"  unknown  device           none that can be seen\n"
	"\n"
	"Who may write\n"
	"  ok       user             user 0 works as the owner, user 34, group 35, may write\n"
	"  ok       repository       user 34, group 35, mode 0750\n"
	"  ok       probe directory  /srv/backup/.repoprobe: missing\n"
	"  ok       probe files      the daemon's: foreign, run's: missing, others: 2 (3 GiB)\n"
	"\n"
	"A day of probing\n"
	"  ok       probes           active-full, heartbeat\n"
	"  ok       a day            written: 20 GiB, read: 512 MiB at most\n"
	"  ok       on disk          a probe file of 1 GiB\n"
	"\n"
	"1 problem:\n"
	"  problem  path: stuck, while examining direct I/O: the repository does not answer\n";

static const char expected_stuck_json[] =
	"{\"path\":\"/srv/backup\",\"real_path\":\"/mnt/backup\",\"repository\":\"nas1\","
	"\"verdict\":\"problem\",\"status\":\"stuck\",\"reason\":\"the repository does not answer\","
	"\"interrupted_at\":\"direct I/O\",\"mount\":{\"mount_point\":\"/mnt/backup\","
	"\"source\":\"evil\\u001B[2J\xef\xbf\xbd\",\"is_mount\":true,\"mount_options\":\"rw,noatime\","
	"\"fs_options\":\"rw,logbufs=8\"},\"file_system\":{\"fs_type\":\"xfs\",\"kind\":\"disk\","
	"\"fs_uuid\":null,\"is_in_memory\":false,\"is_compressed\":false,\"is_read_only\":false,"
	"\"size_bytes\":4398046511104,\"free_bytes\":2199023255552,"
	"\"must_stay_free_bytes\":219902325555,\"inodes\":1000,\"free_inodes\":900},"
	"\"device\":null,\"access\":{\"caller_uid\":0,\"worker_uid\":34,\"worker_gid\":35,"
	"\"may_write\":true,\"error\":null,\"repository\":{\"uid\":34,\"gid\":35,\"mode\":\"0750\","
	"\"is_immutable\":false},\"probe_directory_path\":\"/srv/backup/.repoprobe\","
	"\"probe_directory\":null,\"probe_file\":{\"state\":\"foreign\"},\"run_file\":{"
	"\"state\":\"missing\"},\"other_files\":2,\"other_bytes\":3221225472},\"cost\":{\"probes\":["
	"\"active-full\",\"heartbeat\"],\"written_a_day_bytes\":21474836480,"
	"\"read_a_day_bytes\":536870912,\"daily_write_budget_bytes\":null,\"file_bytes\":1073741824},\"findings\":[{"
	"\"level\":\"problem\",\"about\":\"path\","
	"\"text\":\"stuck, while examining direct I/O: the repository does not answer\"}]}";

static void make_missing(struct bench *b)
{
	memset(b->e, 0, sizeof(*b->e));
	b->e->step = EXAMINATION_COMPLETE;
	b->e->refusal_count = 1;
	b->e->refusals[0] = (struct examination_refusal){
		.about = SUBJECT_PATH,
		.status = RUN_ERROR,
		.error_number = ENOENT,
		.text = "/srv/backup does not exist",
	};
	b->checkup.cost.repository = "";
	b->checkup.cost.written_bytes = UINT64_MAX;
}

static void make_stuck(struct bench *b)
{
	b->e->step = EXAMINATION_DIRECT;
	b->e->has_history = false;
	b->e->identity.has_device = false;
	b->e->has_directory = false;
	b->e->identity.fs_uuid[0] = '\0';
	b->e->file = (struct examination_file){ .exists = true };
	memcpy(b->e->identity.source, "evil\x1b[2J\xff", 10);
	b->checkup.status = RUN_STUCK;
	b->checkup.reason = "the repository does not answer";
}

static void all_that_is_well_is_shown(void **state)
{
	assert_report(*state, expected_text);
}

static void all_that_is_well_is_a_document(void **state)
{
	assert_document(*state, expected_json);
}

static void a_missing_place_shows_only_what_is_known(void **state)
{
	struct bench *b = *state;

	make_missing(b);
	assert_report(b, expected_missing_text);
	assert_document(b, expected_missing_json);
}

static void what_was_found_before_it_hung_is_shown(void **state)
{
	struct bench *b = *state;

	make_stuck(b);
	assert_report(b, expected_stuck_text);
	assert_document(b, expected_stuck_json);
}

static void each_trial_has_its_words(void **state)
{
	static const struct {
		enum examination_trial trial;
		int error_number;
		bool is_written;
		const char *row;
	} cases[] = {
		{ EXAMINATION_WORKED, 0, true,
			"  ok       direct I/O       works: tried with a write to a nameless file\n" },
		{ EXAMINATION_DECLINED, EINVAL, false,
			"  warning  direct I/O       declined (EINVAL)\n" },
		{ EXAMINATION_FAILED, EIO, false, "  problem  direct I/O       failed (EIO)\n" },
		{ EXAMINATION_NOT_TRIED, 0, false,
			"  unknown  direct I/O       not tried: there is no probe file yet\n" },
		{ EXAMINATION_NOT_TRIED, EOPNOTSUPP, false,
			"  unknown  direct I/O       not tried: there is no probe file yet, and no "
			"nameless one can be made (EOPNOTSUPP)\n" },
	};
	struct bench *bench = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(65536);
		bench->e->direct.trial = cases[i].trial;
		bench->e->direct.error_number = cases[i].error_number;
		bench->e->direct.is_written = cases[i].is_written;
		checkup_judge(&bench->checkup);
		report_doctor_text(&bench->checkup, &b);
		if (!strstr(buf_text(&b), cases[i].row))
			fail_msg("%s is not in %s", cases[i].row, buf_text(&b));
		buf_done(&b);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		CASE(all_that_is_well_is_shown),
		CASE(all_that_is_well_is_a_document),
		CASE(a_missing_place_shows_only_what_is_known),
		CASE(what_was_found_before_it_hung_is_shown),
		CASE(each_trial_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
