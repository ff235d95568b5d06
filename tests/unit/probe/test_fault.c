/* SPDX-License-Identifier: Apache-2.0 */
/* Which status and which sentence an errno from a repository comes to. */
#include "probe/temporary.h"

#include <errno.h>

#include "probe/fault.h"

#define NOBODY 65534

static const struct identity plain = { .fs_type = "ext4",
	.options = { .mount = "rw,relatime", .fs = "rw" } };
static const struct identity remounted = { .fs_type = "ext4",
	.options = { .mount = "ro,relatime", .fs = "ro,errors=remount-ro" } };
static const struct identity broken = { .fs_type = "ext4",
	.options = { .mount = "rw,relatime", .fs = "ro" } };
static const struct identity sandbox = { .fs_type = "ext4",
	.options = { .mount = "ro,nosuid,relatime", .fs = "rw,discard" } };
static const struct identity nfs = { .fs_type = "nfs4",
	.options = { .mount = "rw,relatime", .fs = "rw,vers=4.2" } };
static const struct identity unknown = { .fs_type = "" };

static const struct {
	int error_number;
	const struct identity *identity;
	uid_t user;
	enum run_status status;
	const char *says; /* NULL: the C library's words */
} cases[] = {
	{ EROFS, &remounted, 0, RUN_READ_ONLY, "the file system is read-only" },
	{ EROFS, &broken, 0, RUN_READ_ONLY, "the file system is read-only" },
	{ EROFS, &unknown, 0, RUN_READ_ONLY, "the file system is read-only" },
	{ EROFS, &sandbox, 0, RUN_REFUSED, "service sandbox" },
	{ ENOSPC, &plain, 0, RUN_NO_SPACE, "no space left" },
	{ EDQUOT, &plain, 0, RUN_NO_SPACE, "quota" },
	{ EACCES, &plain, 0, RUN_ERROR, "permission denied" },
	{ EACCES, &plain, NOBODY, RUN_ERROR, "permission denied" },
	{ EACCES, &nfs, NOBODY, RUN_ERROR, "permission denied" },
	{ EACCES, &nfs, 0, RUN_ERROR, "root_squash" },
	{ EPERM, &nfs, 0, RUN_ERROR, "root_squash" },
	{ EPERM, &plain, 0, RUN_ERROR, "not permitted" },
	{ ESTALE, &nfs, 0, RUN_ERROR, "remount the file system" },
	{ EIO, &plain, 0, RUN_ERROR, "the disk or the server failed" },
	{ ENOTCONN, &plain, 0, RUN_ERROR, "the process that serves this file system is gone" },
	{ ENOLCK, &nfs, 0, RUN_ERROR, "no locks" },
	{ EUCLEAN, &plain, 0, RUN_ERROR, "damaged" },
	{ ENODEV, &plain, 0, RUN_ERROR, "the device is gone" },
	{ ENXIO, &plain, 0, RUN_ERROR, "the device is gone" },
	{ ETIMEDOUT, &nfs, 0, RUN_ERROR, "does not answer" },
	{ EHOSTDOWN, &nfs, 0, RUN_ERROR, "is down" },
	{ EHOSTUNREACH, &nfs, 0, RUN_ERROR, "cannot be reached" },
	{ ENODATA, &plain, 0, RUN_ERROR, "shorter" },
	{ ECANCELED, &plain, 0, RUN_ERROR, "stopped" },
	{ EMFILE, &plain, 0, RUN_SKIPPED, "no more files" },
	{ ENFILE, &plain, 0, RUN_SKIPPED, "on this host" },
	{ ENOMEM, &plain, 0, RUN_SKIPPED, "this host has too little memory" },
	{ ENOTTY, &plain, 0, RUN_ERROR, NULL },
};

static void each_errno_has_its_status_and_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fault fault =
			fault_find(cases[i].error_number, cases[i].identity, cases[i].user);
		if (fault.status != cases[i].status)
			fail_msg("case %zu: status %d", i, (int)fault.status);
		if (!cases[i].says)
			assert_null(fault.text);
		else if (!fault.text || !strstr(fault.text, cases[i].says))
			fail_msg("case %zu: \"%s\" is not in \"%s\"", i, cases[i].says, fault.text);
	}
}

static void a_server_squashes_root_alone(void **state)
{
	(void)state;
	assert_string_equal(fault_find(EACCES, &nfs, NOBODY).text, "permission denied");
	assert_string_equal(fault_find(EACCES, &plain, 0).text, "permission denied");
}

static void only_a_quarrel_about_permission_names_the_user(void **state)
{
	struct run *run = run_new("", "");

	(void)state;
	run->identity = plain;
	assert_int_equal(fault_set(run, -EIO, "read the probe file in", "/r/.repoprobe"), -EIO);
	assert_string_equal(run->reason,
		"cannot read the probe file in /r/.repoprobe: input/output error: the disk or the "
		"server failed (EIO)");
	run->identity = nfs;
	assert_int_equal(fault_set(run, -ESTALE, "open", "/r"), -ESTALE);
	assert_null(strstr(run->reason, "user"));
	free(run);
}

static void become(uid_t user)
{
	assert_int_equal(seteuid(user), 0);
}

static void a_closed_door_is_named(void **state)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct run *run = run_new("", "");
	struct temporary t;

	(void)state;
	if (geteuid() != 0)
		skip(); /* who else could become somebody else */
	temporary_open(&t);
	assert_int_equal(chmod(t.path, 0755), 0);
	assert_int_equal(mkdir(temporary_name(&t, "closed", &path), 0700), 0);
	assert_int_equal(mkdir(temporary_name(&t, "closed/inner", &path), 0755), 0);
	become(NOBODY);
	fault_set(run, -EACCES, "open", buf_text(&path));
	become(0);
	assert_non_null(strstr(run->reason, "; user 65534 may not enter "));
	assert_non_null(strstr(run->reason, "/closed (owner 0, mode 0700) (EACCES)"));
	buf_done(&path);
	temporary_close(&t);
	free(run);
}

static void who_may_not_write_is_told_where(void **state)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct run *run = run_new("", "");
	struct temporary t;

	(void)state;
	if (geteuid() != 0)
		skip(); /* as above */
	temporary_open(&t);
	assert_int_equal(chmod(t.path, 0755), 0);
	int fd = open(t.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	become(NOBODY);
	fault_set_in(run, -EACCES, "create", temporary_name(&t, ".repoprobe", &path), fd);
	become(0);
	assert_non_null(strstr(run->reason,
		"permission denied; user 65534 may not write to its directory (owner 0, mode "
		"0755) (EACCES)"));
	fd_close(fd);
	buf_done(&path);
	temporary_close(&t);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_errno_has_its_status_and_sentence),
		cmocka_unit_test(a_server_squashes_root_alone),
		cmocka_unit_test(only_a_quarrel_about_permission_names_the_user),
		cmocka_unit_test(a_closed_door_is_named),
		cmocka_unit_test(who_may_not_write_is_told_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
