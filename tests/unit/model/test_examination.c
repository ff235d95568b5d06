/* SPDX-License-Identifier: Apache-2.0 */
/* Names of an examination's parts, kinds of file systems, and its list of refusals. */
#include "model/examination.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static void every_part_has_a_name_of_its_own(void **state)
{
	(void)state;

	for (int i = 0; i < EXAMINATION_STEPS; i++)
		assert_true(examination_step_text((enum examination_step)i)[0] != '\0');
	for (int i = 0; i < EXAMINATION_KINDS; i++)
		assert_true(examination_kind_name((enum examination_kind)i)[0] != '\0');
	assert_string_equal(examination_subject_name(SUBJECT_NONE), "");
	for (int i = 1; i < EXAMINATION_SUBJECTS; i++) {
		const char *name = examination_subject_name((enum examination_subject)i);
		assert_true(name[0] != '\0');
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				name, examination_subject_name((enum examination_subject)k));
	}
}

static void the_kind_is_told_by_the_type_and_the_device(void **state)
{
	static const struct {
		const char *fs_type;
		bool has_device;
		enum examination_kind kind;
	} cases[] = {
		{ "ext4", true, EXAMINATION_KIND_DISK },
		{ "btrfs", false, EXAMINATION_KIND_DISK },
		{ "nfs4", false, EXAMINATION_KIND_NETWORK },
		{ "cifs", false, EXAMINATION_KIND_NETWORK },
		{ "fuse.sshfs", false, EXAMINATION_KIND_NETWORK },
		{ "tmpfs", false, EXAMINATION_KIND_MEMORY },
		{ "overlay", false, EXAMINATION_KIND_OVERLAY },
		{ "fuse.delayfs", false, EXAMINATION_KIND_UNKNOWN },
		{ "fuseblk", true, EXAMINATION_KIND_DISK },
		{ "", false, EXAMINATION_KIND_UNKNOWN },
		{ "nfsd", false, EXAMINATION_KIND_UNKNOWN },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			examination_kind_of(cases[i].fs_type, cases[i].has_device), cases[i].kind);
}

/* Lines as kernels write them. */
static void what_lies_on_another_host_is_told_by_its_mount(void **state)
{
	static const struct {
		const char *line;
		enum examination_kind kind;
	} cases[] = {
		{ "9 1 0:44 / /m rw - nfs nas1:/export rw,vers=3,addr=10.0.0.2",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:44 /a /m rw,relatime shared:9 - nfs4 nas1:/export/a rw,vers=4.2,hard",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:45 / /m rw - cifs //nas1/backup rw,vers=3.1.1,cache=strict",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:45 / /m rw - smb3 //nas1/backup rw,vers=3.1.1", EXAMINATION_KIND_NETWORK },
		{ "9 1 0:46 / /m rw,nosuid,nodev - fuse.sshfs me@nas1:/srv rw,user_id=0,group_id=0",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:47 / /m rw - fuse.glusterfs gluster1:/vol rw,user_id=0,allow_other",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:47 / /m rw - fuse.s3fs s3fs rw,user_id=0", EXAMINATION_KIND_NETWORK },
		{ "9 1 0:48 / /m rw - ceph 10.0.0.3:6789:/ rw,name=admin,acl",
			EXAMINATION_KIND_NETWORK },
		{ "9 1 0:49 / /m rw - 9p host0 rw,trans=virtio", EXAMINATION_KIND_NETWORK },
		{ "9 1 0:50 / /m rw - lustre 10.0.0.4@tcp:/fs rw", EXAMINATION_KIND_NETWORK },
		{ "9 1 0:51 / /m rw - beegfs beegfs_nodev rw", EXAMINATION_KIND_NETWORK },
		{ "9 1 8:1 / /m rw - ext4 /dev/sda1 rw", EXAMINATION_KIND_DISK },
		{ "9 1 0:52 /@ /m rw - btrfs /dev/sdb rw,subvol=/@", EXAMINATION_KIND_DISK },
		{ "9 1 0:53 / /m rw - tmpfs tmpfs rw,size=1g", EXAMINATION_KIND_MEMORY },
		{ "9 1 0:54 / /m rw - fuse.mergerfs a:b rw", EXAMINATION_KIND_UNKNOWN },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity identity = { 0 };
		assert_int_equal(identity_from_mountinfo(cases[i].line, 9, &identity), 0);
		assert_int_equal(
			examination_kind_of(identity.fs_type, strstr(cases[i].line, " 0:") == NULL),
			cases[i].kind);
	}
}

static void a_refusal_is_kept_once_and_never_one_too_many(void **state)
{
	struct examination *e = calloc(1, sizeof(*e));
	struct run *run = run_new("", "");
	(void)state;

	assert_non_null(e);
	assert_non_null(run);
	run_fail(run, RUN_READ_ONLY, EROFS, "cannot write here");
	examination_add_refusal(e, SUBJECT_FILE_SYSTEM, run);
	examination_add_refusal(e, SUBJECT_FILE, run);
	assert_int_equal(e->refusal_count, 1);
	assert_int_equal(e->refusals[0].about, SUBJECT_FILE_SYSTEM);
	assert_int_equal(e->refusals[0].status, RUN_READ_ONLY);
	assert_int_equal(e->refusals[0].error_number, EROFS);
	assert_string_equal(e->refusals[0].text, "cannot write here");
	for (int i = 0; i < 2 * EXAMINATION_REFUSALS_MAX; i++) {
		run_fail(run, RUN_REFUSED, EPERM, "reason %d", i);
		examination_add_refusal(e, SUBJECT_FILE, run);
	}
	assert_int_equal(e->refusal_count, EXAMINATION_REFUSALS_MAX);
	assert_string_equal(e->refusals[EXAMINATION_REFUSALS_MAX - 1].text, "reason 6");
	free(run);
	free(e);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_has_a_name_of_its_own),
		cmocka_unit_test(the_kind_is_told_by_the_type_and_the_device),
		cmocka_unit_test(what_lies_on_another_host_is_told_by_its_mount),
		cmocka_unit_test(a_refusal_is_kept_once_and_never_one_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
