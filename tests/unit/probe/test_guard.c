/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule by itself: facts that keep all of them, with the one thing changed that breaks it. */
#include "probe/temporary.h"

#include <errno.h>
#include <linux/magic.h>

#include "probe/guard.h"

#define OURS 1000
#define THEIRS 1001
#define DEVICE 7

struct bench {
	struct identity identity;
	struct job_expectation expected;
	struct guard_facts facts;
	struct run *run;
};

/* Everything as it should be. */
static void keep_all(struct bench *b)
{
	b->identity = (struct identity){
		.fs_type = "ext4",
		.source = "/dev/sdb1",
		.mount_point = "/mnt/vault1",
		.fs_uuid = "11111111-1111-4111-8111-111111111111",
		.is_mount = true,
	};
	b->expected = (struct job_expectation){
		.requires_mount = true,
		.fs_type = "ext4",
		.source = "/dev/sdb1",
	};
	identity_remember(&b->identity, &b->expected.seen);
	b->facts = (struct guard_facts){
		.real_path = "/mnt/vault1",
		.fs_magic = EXT4_SUPER_MAGIC,
		.identity = &b->identity,
		.expected = &b->expected,
		.place_device = DEVICE,
		.place_inode = 2,
		.directory = { .st_mode = S_IFDIR | 0700,
			.st_uid = OURS,
			.st_dev = DEVICE,
			.st_ino = 3 },
		.file = { .st_mode = S_IFREG | 0600,
			.st_nlink = 1,
			.st_uid = OURS,
			.st_dev = DEVICE,
			.st_ino = 12 },
		.user = OURS,
		.known = { .st_dev = DEVICE, .st_ino = 12 },
		.header = { .uuid = { 1 } },
		.known_header = { .uuid = { 1 } },
		.space = { .size_bytes = 1000,
			.free_bytes = 150,
			.floor_bytes = 50,
			.more_bytes = 100,
			.inodes = 10,
			.free_inodes = 3,
			.more_inodes = 3 },
	};
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->run = run_new("", "");
	assert_non_null(b->run);
	keep_all(b);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	free(b->run);
	free(b);
	return 0;
}

static void what_is_as_it_should_be_breaks_no_rule(void **state)
{
	struct bench *b = *state;

	for (unsigned stage = 0; stage < GUARD_STAGES; stage++)
		assert_null(guard_find_broken((enum guard_stage)stage, &b->facts));
}

static void set_text(char *to, const char *text)
{
	memcpy(to, text, strlen(text) + 1);
}

static void be_in_dev(struct bench *b)
{
	b->facts.real_path = "/dev";
}

static void be_in_shm(struct bench *b)
{
	b->facts.real_path = "/dev/shm/x";
}

static void be_in_proc(struct bench *b)
{
	b->facts.real_path = "/proc/self";
}

static void be_in_sys(struct bench *b)
{
	b->facts.real_path = "/sys/kernel";
}

static void be_procfs(struct bench *b)
{
	b->facts.fs_magic = PROC_SUPER_MAGIC;
}

static void be_devtmpfs(struct bench *b)
{
	set_text(b->identity.fs_type, "devtmpfs");
}

static void be_no_mount(struct bench *b)
{
	b->identity.is_mount = false;
}

static void lose_mount_above(struct bench *b)
{
	b->expected = (struct job_expectation){ .seen = b->expected.seen };
	b->identity.is_mount = false;
	set_text(b->identity.mount_point, "/");
	set_text(b->identity.fs_uuid, "22222222-2222-4222-8222-222222222222");
}

static void be_xfs(struct bench *b)
{
	b->expected.seen.is_set = false;
	set_text(b->identity.fs_type, "xfs");
}

static void be_of_other_device(struct bench *b)
{
	b->expected.seen.is_set = false;
	set_text(b->identity.source, "/dev/sdc1");
}

static void be_of_other_expected_uuid(struct bench *b)
{
	set_text(b->expected.source, "UUID=33333333-3333-4333-8333-333333333333");
}

static void have_other_uuid(struct bench *b)
{
	set_text(b->identity.fs_uuid, "22222222-2222-4222-8222-222222222222");
}

static void be_of_other_type_than_seen(struct bench *b)
{
	b->expected.fs_type[0] = '\0';
	b->identity.fs_uuid[0] = '\0';
	set_text(b->identity.fs_type, "xfs");
}

static void be_of_other_source_than_seen(struct bench *b)
{
	b->expected.source[0] = '\0';
	b->identity.fs_uuid[0] = '\0';
	set_text(b->identity.source, "nas1:/export");
}

static void be_no_directory(struct bench *b)
{
	b->facts.directory.st_mode = S_IFLNK | 0777;
}

static void be_elsewhere(struct bench *b)
{
	b->facts.directory.st_dev = DEVICE + 1;
}

static void be_the_repository(struct bench *b)
{
	b->facts.directory.st_ino = b->facts.place_inode;
}

static void hold_data(struct bench *b)
{
	b->facts.foreign_name = "letters.txt";
}

static void hold_data_in_a_directory_of_our_name(struct bench *b)
{
	hold_data(b);
	b->facts.is_named_ours = true;
}

static void hold_data_beside_our_tag(struct bench *b)
{
	hold_data(b);
	b->facts.is_marked_ours = true;
}

static void be_link(struct bench *b)
{
	b->facts.file.st_mode = S_IFLNK | 0777;
}

static void be_fifo(struct bench *b)
{
	b->facts.file.st_mode = S_IFIFO | 0600;
}

static void be_directory(struct bench *b)
{
	b->facts.file.st_mode = S_IFDIR | 0700;
}

static void have_two_names(struct bench *b)
{
	b->facts.file.st_nlink = 2;
}

static void be_unnamed(struct bench *b)
{
	b->facts.file.st_nlink = 0;
}

static void be_theirs(struct bench *b)
{
	b->facts.file.st_uid = THEIRS;
}

static void be_immutable(struct bench *b)
{
	b->facts.is_immutable = true;
}

static void be_locked(struct bench *b)
{
	b->facts.lock_error = -EAGAIN;
}

static void be_newer(struct bench *b)
{
	b->facts.header_error = -EPROTO;
}

static void be_foreign(struct bench *b)
{
	b->facts.header_error = -EBADMSG;
}

static void have_other_inode(struct bench *b)
{
	b->facts.file.st_ino++;
}

static void have_other_device(struct bench *b)
{
	b->facts.file.st_dev++;
}

static void have_other_header(struct bench *b)
{
	b->facts.header.uuid[0]++;
}

static void need_a_byte_more(struct bench *b)
{
	b->facts.space.more_bytes++;
}

static void need_more_than_there_is(struct bench *b)
{
	b->facts.space.floor_bytes = 0;
	b->facts.space.more_bytes = 151;
}

static void need_an_inode_more(struct bench *b)
{
	b->facts.space.more_inodes++;
}

static const struct {
	void (*change)(struct bench *b);
	enum guard_stage stage;
	const char *rule;
	enum run_status status;
	const char *says;
} cases[] = {
	{ be_in_dev, GUARD_AT_PLACE, "kernel-path", RUN_REFUSED, "unsafe path" },
	{ be_in_shm, GUARD_AT_PLACE, "kernel-path", RUN_REFUSED, "unsafe path" },
	{ be_in_proc, GUARD_AT_PLACE, "kernel-path", RUN_REFUSED, "unsafe path" },
	{ be_in_sys, GUARD_AT_PLACE, "kernel-path", RUN_REFUSED, "unsafe path" },
	{ be_procfs, GUARD_AT_PLACE, "kernel-file-system", RUN_REFUSED, "unsafe path" },
	{ be_devtmpfs, GUARD_AT_PLACE, "kernel-file-system", RUN_REFUSED, "unsafe path" },
	{ be_no_mount, GUARD_AT_MOUNT, "mounted", RUN_NOT_MOUNTED,
		"/subject is not mounted: nothing was written" },
	{ lose_mount_above, GUARD_AT_MOUNT, "mount-lost", RUN_NOT_MOUNTED,
		"/mnt/vault1 is not mounted: nothing was written" },
	{ be_xfs, GUARD_AT_MOUNT, "expected-type", RUN_WRONG_TARGET, "of type xfs, expected ext4" },
	{ be_of_other_device, GUARD_AT_MOUNT, "expected-source", RUN_WRONG_TARGET,
		"/dev/sdc1 is mounted, expected /dev/sdb1" },
	{ be_of_other_expected_uuid, GUARD_AT_MOUNT, "expected-source", RUN_WRONG_TARGET,
		"expected UUID=3333" },
	{ have_other_uuid, GUARD_AT_MOUNT, "identity", RUN_WRONG_TARGET,
		"not what was first seen there: UUID 22222222-2222-4222-8222-222222222222, then "
		"11111111-1111-4111-8111-111111111111: nothing was written" },
	{ be_of_other_type_than_seen, GUARD_AT_MOUNT, "identity", RUN_WRONG_TARGET,
		"type xfs, then ext4" },
	{ be_of_other_source_than_seen, GUARD_AT_MOUNT, "identity", RUN_WRONG_TARGET,
		"nas1:/export, then /dev/sdb1" },
	{ be_no_directory, GUARD_AT_DIRECTORY, "directory", RUN_REFUSED, "left as it is" },
	{ be_elsewhere, GUARD_AT_DIRECTORY, "same-file-system", RUN_REFUSED,
		"on another file system" },
	{ be_the_repository, GUARD_AT_DIRECTORY, "not-the-repository", RUN_REFUSED,
		"is the repository itself: nothing was written" },
	{ hold_data, GUARD_AT_HOLDINGS, "only-our-files", RUN_REFUSED,
		"holds letters.txt, which is not repoprobe's: nothing was written, for "
		"CACHEDIR.TAG makes backups skip a directory" },
	{ hold_data_in_a_directory_of_our_name, GUARD_AT_HOLDINGS, "only-our-files", RUN_REFUSED,
		"holds letters.txt" },
	{ hold_data_beside_our_tag, GUARD_AT_HOLDINGS, "only-our-files", RUN_REFUSED,
		"remove its CACHEDIR.TAG" },
	{ be_link, GUARD_AT_FILE, "link", RUN_REFUSED, "symbolic link, and was left as it is" },
	{ be_fifo, GUARD_AT_FILE, "regular", RUN_REFUSED, "not a regular file" },
	{ be_directory, GUARD_AT_FILE, "regular", RUN_REFUSED, "not a regular file" },
	{ have_two_names, GUARD_AT_FILE, "one-name", RUN_REFUSED, "hard links" },
	{ be_unnamed, GUARD_AT_FILE, "one-name", RUN_REFUSED, "left as it is" },
	{ be_theirs, GUARD_AT_FILE, "owner", RUN_REFUSED, "another user" },
	{ be_immutable, GUARD_AT_FILE, "immutable", RUN_REFUSED, "chattr" },
	{ be_locked, GUARD_AT_LOCK, "lock", RUN_SKIPPED, "in use" },
	{ be_newer, GUARD_AT_CONTENT, "version", RUN_REFUSED, "newer version" },
	{ be_foreign, GUARD_AT_CONTENT, "magic", RUN_REFUSED, "not a probe file" },
	{ have_other_inode, GUARD_AT_REOPEN, "same-file", RUN_REFUSED, "was replaced" },
	{ have_other_device, GUARD_AT_REOPEN, "same-file", RUN_REFUSED, "was replaced" },
	{ have_other_header, GUARD_AT_REOPEN, "same-uuid", RUN_REFUSED, "another probe file" },
	{ need_a_byte_more, GUARD_AT_SPACE, "free-bytes", RUN_NO_SPACE, "must stay free" },
	{ need_more_than_there_is, GUARD_AT_SPACE, "free-bytes", RUN_NO_SPACE, "more and" },
	{ need_an_inode_more, GUARD_AT_SPACE, "free-inodes", RUN_NO_SPACE, "3, needed 4" },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void each_rule_is_broken_by_one_thing_and_says_so(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < CASES; i++) {
		keep_all(b);
		cases[i].change(b);
		const struct guard_rule *rule = guard_find_broken(cases[i].stage, &b->facts);
		if (!rule)
			fail_msg("case %zu: nothing is found wrong, expected %s", i, cases[i].rule);
		assert_string_equal(rule->name, cases[i].rule);
		b->run->status = RUN_OK;
		int r = guard_check(cases[i].stage, &b->facts, "/subject", NULL, b->run);
		assert_int_equal(r, -rule->error_number);
		assert_int_equal(b->run->status, cases[i].status);
		if (!strstr(b->run->reason, cases[i].says))
			fail_msg("%s: \"%s\" is not in \"%s\"", cases[i].rule, cases[i].says,
				b->run->reason);
	}
}

static void each_rule_has_a_case_or_is_kept_by_a_call(void **state)
{
	size_t in_calls = 0;

	(void)state;
	for (size_t i = 0; guard_rule_at(i); i++) {
		const struct guard_rule *rule = guard_rule_at(i);
		bool has_case = rule->stage == GUARD_AT_CALL;
		in_calls += has_case;
		for (size_t k = 0; k < CASES; k++)
			has_case = has_case || strcmp(cases[k].rule, rule->name) == 0;
		if (!has_case)
			fail_msg("%s has no case", rule->name);
		assert_true(rule->text || rule->say);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(guard_rule_at(k)->name, rule->name);
	}
	assert_int_equal(in_calls, 4); /* test_guard_call.c */
}

static void a_sentence_names_the_file_and_its_directory(void **state)
{
	struct bench *b = *state;

	have_two_names(b);
	assert_int_equal(
		guard_check(GUARD_AT_FILE, &b->facts, "/r/.repoprobe", "x.dat", b->run), -EPERM);
	assert_string_equal(b->run->reason,
		"x.dat in /r/.repoprobe has other names (hard links), and was left as it is");
	be_locked(b);
	assert_int_equal(
		guard_check(GUARD_AT_LOCK, &b->facts, "/r/.repoprobe", "x.dat", b->run), -EBUSY);
	assert_int_equal(b->run->skip, RUN_SKIP_IN_USE);
	assert_int_equal(b->run->error_number, 0);
}

static void what_was_never_seen_or_is_unknown_is_not_compared(void **state)
{
	struct bench *b = *state;

	b->expected = (struct job_expectation){ .requires_mount = false };
	have_other_uuid(b);
	be_no_mount(b);
	assert_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));

	keep_all(b);
	b->identity.fs_uuid[0] = '\0';
	b->identity.fs_type[0] = '\0';
	b->expected.fs_type[0] = '\0';
	assert_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));
}

static void a_known_uuid_decides_over_names_in_dev(void **state)
{
	struct bench *b = *state;

	b->expected.source[0] = '\0';
	set_text(b->identity.source, "/dev/sdq1");
	assert_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));
}

static void a_directory_that_we_made_stays_ours(void **state)
{
	struct bench *b = *state;

	hold_data_in_a_directory_of_our_name(b);
	hold_data_beside_our_tag(b);
	assert_null(guard_find_broken(GUARD_AT_HOLDINGS, &b->facts));
}

static void a_source_may_be_given_by_another_name(void **state)
{
	struct bench *b = *state;

	set_text(b->expected.source, "/dev/disk/by-label/vault");
	assert_non_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));
	b->facts.is_expected_source = true; /* they are one device */
	assert_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));
	b->facts.is_expected_source = false;
	set_text(b->expected.source, "UUID=11111111-1111-4111-8111-111111111111");
	assert_null(guard_find_broken(GUARD_AT_MOUNT, &b->facts));
}

static void a_file_of_the_directorys_owner_is_ours(void **state)
{
	struct bench *b = *state;

	b->facts.user = 0;
	assert_null(guard_find_broken(GUARD_AT_FILE, &b->facts));
}

static void a_file_system_that_says_nothing_of_its_size_passes(void **state)
{
	struct bench *b = *state;

	b->facts.space = (struct guard_space){ .more_bytes = 1 << 30, .more_inodes = 9 };
	assert_null(guard_find_broken(GUARD_AT_SPACE, &b->facts));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_as_it_should_be_breaks_no_rule, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			each_rule_is_broken_by_one_thing_and_says_so, set_up, tear_down),
		cmocka_unit_test(each_rule_has_a_case_or_is_kept_by_a_call),
		cmocka_unit_test_setup_teardown(
			a_sentence_names_the_file_and_its_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_never_seen_or_is_unknown_is_not_compared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_known_uuid_decides_over_names_in_dev, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_directory_that_we_made_stays_ours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_source_may_be_given_by_another_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_of_the_directorys_owner_is_ours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_system_that_says_nothing_of_its_size_passes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
