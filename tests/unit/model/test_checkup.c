/* SPDX-License-Identifier: Apache-2.0 */
/* From facts to findings: one fault at a time, and its message. */
#include "model/checkup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/sample_examination.h"

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
		.path = "/mnt/backup",
		.probe_directory = "/mnt/backup/.repoprobe",
		.state_directory = "/var/lib/repoprobe",
		.configuration_trouble = "",
		.cost = {
			.repository = "nas1",
			.written_bytes = UINT64_C(20) << 30,
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

/* Exactly one finding. */
static void expect(
	struct bench *b, enum checkup_level level, enum examination_subject about, const char *part)
{
	struct checkup *c = &b->checkup;

	checkup_judge(c);
	for (size_t i = 1; i < c->finding_count; i++)
		fail_msg("one too many: %s", c->findings[i].text);
	assert_int_equal(c->finding_count, 1);
	if (!strstr(c->findings[0].text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, c->findings[0].text);
	assert_int_equal(c->findings[0].level, level);
	assert_int_equal(c->findings[0].about, about);
	assert_int_equal(checkup_level(c), level);
	assert_int_equal(checkup_level_about(c, about), level);
	assert_int_equal(checkup_level_about(c, SUBJECT_INODES), CHECKUP_OK);
}

static void what_is_well_has_no_finding(void **state)
{
	struct bench *b = *state;

	checkup_judge(&b->checkup);
	assert_int_equal(b->checkup.finding_count, 0);
	assert_int_equal(checkup_level(&b->checkup), CHECKUP_OK);
	assert_int_equal(checkup_floor_bytes(&b->checkup), (UINT64_C(1) << 42) / 100 * 5);
	b->checkup.cost.min_free_bytes = UINT64_C(1) << 40;
	assert_int_equal(checkup_floor_bytes(&b->checkup), UINT64_C(1) << 40);
}

static void a_worker_that_hung_names_its_step(void **state)
{
	struct bench *b = *state;

	b->e->step = EXAMINATION_DIRECT;
	b->checkup.status = RUN_STUCK;
	b->checkup.reason = "the repository does not answer";
	expect(b, CHECKUP_PROBLEM, SUBJECT_PATH,
		"stuck, while examining direct I/O: the repository does not answer");
	assert_true(checkup_has(&b->checkup, EXAMINATION_DIRECTORY));
	assert_false(checkup_has(&b->checkup, EXAMINATION_DIRECT));
	b->checkup.status = RUN_ERROR;
	expect(b, CHECKUP_PROBLEM, SUBJECT_PATH, "error: the repository");
}

static void refusals_are_problems_in_the_words_of_a_run(void **state)
{
	struct bench *b = *state;

	b->e->refusal_count = 1;
	b->e->refusals[0] = (struct examination_refusal){
		.about = SUBJECT_FILE, .status = RUN_REFUSED, .text = "x.dat is a symbolic link"
	};
	expect(b, CHECKUP_PROBLEM, SUBJECT_FILE,
		"a run would fail with refused: x.dat is a symbolic link");
}

static void where_numbers_are_not_those_of_a_disk_is_said(void **state)
{
	struct bench *b = *state;

	b->e->is_in_memory = true;
	expect(b, CHECKUP_WARNING, SUBJECT_CACHES, "in memory");
	b->e->is_in_memory = false;
	b->e->kind = EXAMINATION_KIND_OVERLAY;
	expect(b, CHECKUP_WARNING, SUBJECT_CACHES, "overlay");
	b->e->kind = EXAMINATION_KIND_DISK;
	b->e->is_compressed = true;
	expect(b, CHECKUP_WARNING, SUBJECT_CACHES, "compresses");
}

static void the_root_file_system_may_be_a_missing_mount(void **state)
{
	struct bench *b = *state;

	memcpy(b->e->identity.mount_point, "/", 2);
	expect(b, CHECKUP_WARNING, SUBJECT_MOUNT, "root file system");
	memcpy(b->e->real_path, "/", 2);
	checkup_judge(&b->checkup);
	assert_int_equal(b->checkup.finding_count, 0);
}

static void no_room_for_the_whole_file_is_a_warning_unless_there_is_none_at_all(void **state)
{
	struct bench *b = *state;

	b->e->has_room = false;
	expect(b, CHECKUP_WARNING, SUBJECT_SPACE, "cannot grow");
	b->e->refusal_count = 1;
	b->e->refusals[0] = (struct examination_refusal){
		.about = SUBJECT_SPACE, .status = RUN_NO_SPACE, .text = "not enough space"
	};
	expect(b, CHECKUP_PROBLEM, SUBJECT_SPACE, "no_space");
}

static void a_device_that_distorts_is_a_warning(void **state)
{
	struct bench *b = *state;

	memcpy(b->e->identity.device.array_action, "resync", 7);
	expect(b, CHECKUP_WARNING, SUBJECT_DEVICE, "busy with resync");
	memcpy(b->e->identity.device.array_action, "frozen", 7);
	b->e->identity.device.request_max_bytes = 262144;
	expect(b, CHECKUP_WARNING, SUBJECT_REQUESTS, "cut into requests of 262144 bytes");
	b->e->identity.device.request_max_bytes = 524288;
	b->e->identity.device.logical_block_bytes = 16384;
	expect(b, CHECKUP_WARNING, SUBJECT_SECTORS, "sectors of 16384 bytes");
	b->e->identity.has_device = false;
	checkup_judge(&b->checkup);
	assert_int_equal(b->checkup.finding_count, 0);
}

static void direct_io_that_is_declined_warns_and_that_fails_is_a_problem(void **state)
{
	struct bench *b = *state;

	b->e->direct.trial = EXAMINATION_WORKED;
	b->e->direct.are_writes_cached = true;
	expect(b, CHECKUP_WARNING, SUBJECT_DIRECT_IO,
		"writes through the page cache: runs that write are flagged fallback");
	memcpy(b->e->identity.fs_type, "btrfs", 6);
	expect(b, CHECKUP_WARNING, SUBJECT_DIRECT_IO, "set chattr +C on its directory");
	b->e->direct.are_writes_cached = false;
	memcpy(b->e->identity.fs_type, "ext4", 5);
	b->e->direct.trial = EXAMINATION_DECLINED;
	b->e->direct.error_number = EINVAL;
	expect(b, CHECKUP_WARNING, SUBJECT_DIRECT_IO, "(EINVAL): runs go through the page cache");
	b->e->direct.trial = EXAMINATION_FAILED;
	b->e->direct.error_number = EIO;
	expect(b, CHECKUP_PROBLEM, SUBJECT_DIRECT_IO, "(EIO)");
	b->e->direct.trial = EXAMINATION_NOT_TRIED;
	b->e->direct.offset_align_bytes = 65536;
	expect(b, CHECKUP_WARNING, SUBJECT_ALIGNMENT, "65536");
}

static void io_uring_that_is_forbidden_is_explained(void **state)
{
	static const struct {
		int error_number;
		uint8_t disabled;
		bool has_seccomp, has_threads;
		enum checkup_level level;
		const char *part;
	} cases[] = {
		{ ENOSYS, 0, false, true, CHECKUP_WARNING, "the kernel lacks it; threads do" },
		{ EPERM, 2, true, true, CHECKUP_WARNING, "kernel.io_uring_disabled" },
		{ EPERM, 0, true, true, CHECKUP_WARNING, "filter of system calls" },
		{ EPERM, 0, false, false, CHECKUP_PROBLEM, "Operation not permitted" },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b->e->uring.error_number = cases[i].error_number;
		b->e->uring.disabled = cases[i].disabled;
		b->e->uring.has_seccomp = cases[i].has_seccomp;
		b->e->uring.has_threads_engine = cases[i].has_threads;
		expect(b, cases[i].level, SUBJECT_IO_URING, cases[i].part);
	}
	b->e->uring.error_number = 0;
	b->e->uring.buffers_error_number = ENOMEM;
	expect(b, CHECKUP_WARNING, SUBJECT_BUFFERS,
		"1 MiB of buffers cannot be registered (ENOMEM)");
	expect(b, CHECKUP_WARNING, SUBJECT_BUFFERS, "is 8 MiB");
	b->e->uring.memory_lock_bytes = UINT64_MAX;
	expect(b, CHECKUP_WARNING, SUBJECT_BUFFERS, "(ENOMEM); plain buffers are used");
}

static void a_server_that_squashes_root_is_suspected(void **state)
{
	struct bench *b = *state;

	memcpy(b->e->identity.fs_type, "nfs4", 5);
	b->e->repository.uid = 65534;
	expect(b, CHECKUP_WARNING, SUBJECT_USER, "belongs to nobody");
	b->e->repository.uid = 0;
	b->e->worker_uid = 0;
	b->e->write_error_number = EACCES;
	expect(b, CHECKUP_WARNING, SUBJECT_USER, "root_squash");
	memcpy(b->e->identity.fs_type, "ext4", 5);
	checkup_judge(&b->checkup);
	assert_int_equal(b->checkup.finding_count, 0);
}

static void a_directory_that_keeps_all_is_a_warning(void **state)
{
	struct bench *b = *state;

	b->e->directory.is_immutable = true;
	expect(b, CHECKUP_WARNING, SUBJECT_DIRECTORY, "chattr +a");
}

static void a_cost_without_bound_or_reason_is_a_warning(void **state)
{
	struct bench *b = *state;

	b->checkup.cost.written_bytes = UINT64_C(51) << 30;
	expect(b, CHECKUP_WARNING, SUBJECT_COST, "51 GiB are written a day");
	b->checkup.cost.written_bytes = UINT64_MAX;
	expect(b, CHECKUP_WARNING, SUBJECT_COST, "the runs of a probe are bounded by time alone");
}

static void a_history_in_the_wrong_place_is_a_warning(void **state)
{
	struct bench *b = *state;
	struct examination_history *h = &b->e->history;

	h->is_same_file_system = true;
	expect(b, CHECKUP_WARNING, SUBJECT_HISTORY, "file system that is probed");
	h->is_same_file_system = false;
	h->shares_disk = true;
	h->kind = EXAMINATION_KIND_NETWORK;
	expect(b, CHECKUP_WARNING, SUBJECT_HISTORY, "network");
	h->kind = EXAMINATION_KIND_MEMORY;
	expect(b, CHECKUP_WARNING, SUBJECT_HISTORY, "reboot");
	h->error_number = EACCES;
	checkup_judge(&b->checkup);
	assert_int_equal(b->checkup.finding_count, 0);
}

static void a_place_that_was_not_seen_gives_no_opinion(void **state)
{
	struct bench *b = *state;

	memset(b->e, 0, sizeof(*b->e));
	b->e->step = EXAMINATION_COMPLETE;
	b->checkup.configuration_trouble = "repoprobe.conf:3: nonsense";
	expect(b, CHECKUP_WARNING, SUBJECT_CONFIGURATION, "repoprobe.conf:3: nonsense");
	for (int step = 0; step < EXAMINATION_STEPS; step++)
		assert_false(checkup_has(&b->checkup, (enum examination_step)step));
}

static void problems_come_first_and_the_rest_keeps_its_order(void **state)
{
	struct bench *b = *state;
	struct checkup *c = &b->checkup;

	memcpy(b->e->identity.mount_point, "/", 2);
	b->e->is_in_memory = true;
	b->e->direct.trial = EXAMINATION_FAILED;
	b->e->direct.error_number = EIO;
	b->e->history.is_same_file_system = true;
	checkup_judge(c);
	assert_int_equal(c->finding_count, 4);
	assert_int_equal(c->findings[0].about, SUBJECT_DIRECT_IO);
	assert_int_equal(c->findings[1].about, SUBJECT_MOUNT);
	assert_int_equal(c->findings[2].about, SUBJECT_CACHES);
	assert_int_equal(c->findings[3].about, SUBJECT_HISTORY);
	assert_int_equal(checkup_level(c), CHECKUP_PROBLEM);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_well_has_no_finding),
		CASE(a_worker_that_hung_names_its_step),
		CASE(refusals_are_problems_in_the_words_of_a_run),
		CASE(where_numbers_are_not_those_of_a_disk_is_said),
		CASE(the_root_file_system_may_be_a_missing_mount),
		CASE(no_room_for_the_whole_file_is_a_warning_unless_there_is_none_at_all),
		CASE(a_device_that_distorts_is_a_warning),
		CASE(direct_io_that_is_declined_warns_and_that_fails_is_a_problem),
		CASE(io_uring_that_is_forbidden_is_explained),
		CASE(a_server_that_squashes_root_is_suspected),
		CASE(a_directory_that_keeps_all_is_a_warning),
		CASE(a_cost_without_bound_or_reason_is_a_warning),
		CASE(a_history_in_the_wrong_place_is_a_warning),
		CASE(a_place_that_was_not_seen_gives_no_opinion),
		CASE(problems_come_first_and_the_rest_keeps_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
