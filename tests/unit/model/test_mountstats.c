/* SPDX-License-Identifier: Apache-2.0 */
/* mountstats: NFS 3 and 4 as written by several kernels, and malformed texts. The texts are
 * typical, not captured: no NFS was available where they were written. */
#include "model/mountstats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

#define SECOND UINT64_C(1000000000)

/* NFS 4.2 with statistics 1.1 on Linux 5.3 and later: nine numbers per operation. */
#define NFS4                                                                                       \
	"device nas1:/export/backup\\040one mounted on /srv/backup\\040one with fstype nfs4 "      \
	"statvers=1.1\n"                                                                           \
	"\topts:\trw,vers=4.2,rsize=1048576,wsize=524288,namlen=255,acregmin=3,hard,proto=tcp,"    \
	"nconnect=4,timeo=600,retrans=2,sec=sys,clientaddr=192.0.2.7,local_lock=none\n"            \
	"\tage:\t13968\n"                                                                          \
	"\timpl_id:\tname='',domain='',date='0,0'\n"                                               \
	"\tcaps:\tcaps=0x3ffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255\n"                  \
	"\tnfsv4:\tbm0=0xfdffbfff,bm1=0x40f9be3e,bm2=0x28803,acl=0x3,sessions,pnfs=not "           \
	"configured,lease_time=90,lease_expired=0\n"                                               \
	"\tsec:\tflavor=1,pseudoflavor=1\n"                                                        \
	"\tevents:\t52 226 0 0 1 13 398 0 0 331 0 47 0 0 77 0 0 77 0 0 0 0 0 0 0 0 0 \n"           \
	"\tbytes:\t1207640230 5242880 4194304 67108864 1210214218 72351744 295483 1280 \n"         \
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"                                        \
	"\txprt:\ttcp 832 0 1 0 11 6428 6428 0 12154 0 24 26 5726\n"                               \
	"\txprt:\ttcp 0 0 2 0 5 767 766 0 897 0 2 0 0\n"                                           \
	"\tper-op statistics\n"                                                                    \
	"\t        NULL: 1 1 0 44 24 0 0 0 0\n"                                                    \
	"\t        READ: 1298 1299 1 207680 1210292152 6 79386 79407 2\n"                          \
	"\t       WRITE: 138 140 0 72385416 24288 35 2070 2110 0\n"                                \
	"\t      COMMIT: 4 4 0 928 416 0 31 31 0\n"                                                \
	"\t   READ_PLUS: 9 9 9 9 9 9 9 9 9\n"                                                      \
	"\n"

/* NFS 3 with statistics 1.0: eight numbers per operation. */
#define NFS3                                                                                       \
	"device sparrow:/exported mounted on /u/joe with fstype nfs statvers=1.0\n"                \
	"\topts:\trw,vers=3,rsize=32768,wsize=32768,hard,intr,proto=udp,timeo=7,retrans=3\n"       \
	"\tage:\t274\n"                                                                            \
	"\tcaps:\tcaps=0x1,wtmult=4096,dtsize=4096,bsize=0,namelen=255\n"                          \
	"\tsec:\tflavor=1\n"                                                                       \
	"\tevents:\t175 77 3 3 14 15 108 4 0 7 0 4 0 1 2 0 0 14 0 1 4 0 0 0 0 \n"                  \
	"\tbytes:\t194733 11746 0 0 37748 15340 13 0 \n"                                           \
	"\tRPC iostats version: 1.0  p/v: 100003/3 (nfs)\n"                                        \
	"\txprt:\tudp 1023 0 74 74 0 74 0\n"                                                       \
	"\tper-op statistics\n"                                                                    \
	"\t        NULL: 0 0 0 0 0 0 0 0\n"                                                        \
	"\t        READ: 13 13 0 1768 39412 0 6 6\n"                                               \
	"\t       WRITE: 4 4 0 15900 544 1 9 10\n"

static const char text[] =
	"device proc mounted on /proc with fstype proc\n"
	"no device mounted on /nowhere with fstype none\n"
	"device  mounted on /unnamed with fstype fuse\n"
	"device /dev/vda mounted on / with fstype ext4\n" NFS4 NFS3
	"device systemd-1 mounted on /auto with fstype autofs\n"
	"device nas1:/old mounted on /auto with fstype nfs4 statvers=1.1\n"
	"\topts:\trw\n\tage:\t1\n\tbytes:\t1 2 3 4 5 6\n\tper-op statistics\n"
	"\t        READ: 1 2 3 4 5 6 7 8\n\t       WRITE: 1 2 3 4 5 6 7 8\n"
	"device nas2:/covered mounted on /covered with fstype nfs4 statvers=1.1\n"
	"device tmpfs mounted on /covered with fstype tmpfs\n"
	"device nas3:/new mounted on /new with fstype nfs4 statvers=2.0\n";

static void the_statistics_of_a_mount_point_are_found(void **state)
{
	struct nfs_counters c;
	(void)state;

	assert_int_equal(mountstats_find(text, "/srv/backup one", &c, NULL), 0);
	assert_int_equal(c.age_sec, 13968);
	assert_int_equal(c.normal_read_bytes, 1207640230);
	assert_int_equal(c.normal_write_bytes, 5242880);
	assert_int_equal(c.direct_read_bytes, 4194304);
	assert_int_equal(c.direct_write_bytes, 67108864);
	assert_int_equal(c.server_read_bytes, 1210214218);
	assert_int_equal(c.server_write_bytes, 72351744);
	assert_int_equal(c.read_max_bytes, 1048576);
	assert_int_equal(c.write_max_bytes, 524288);
	assert_int_equal(c.read.operations, 1298);
	assert_int_equal(c.read.transmissions, 1299);
	assert_int_equal(c.read.timeouts, 1);
	assert_int_equal(c.read.bytes_sent, 207680);
	assert_int_equal(c.read.bytes_received, 1210292152);
	assert_int_equal(c.read.queue_msec, 6);
	assert_int_equal(c.read.round_trip_msec, 79386);
	assert_int_equal(c.read.execute_msec, 79407);
	assert_int_equal(c.write.operations, 138);
	assert_int_equal(c.write.execute_msec, 2110);
}

static void version_1_0_and_old_operations_are_read(void **state)
{
	struct nfs_counters c;
	(void)state;

	assert_int_equal(mountstats_find(text, "/u/joe", &c, NULL), 0);
	assert_int_equal(c.age_sec, 274);
	assert_int_equal(c.server_write_bytes, 15340);
	assert_int_equal(c.write_max_bytes, 32768);
	assert_int_equal(c.read.operations, 13);
	assert_int_equal(c.write.execute_msec, 10);
}

static void the_mount_on_top_counts(void **state)
{
	struct nfs_counters c = { .age_sec = 7 };
	(void)state;

	assert_int_equal(mountstats_find(text, "/auto", &c, NULL), 0);
	assert_int_equal(c.server_write_bytes, 6);
	assert_int_equal(c.read_max_bytes, 0);
	assert_int_equal(mountstats_find(text, "/covered", &c, NULL), -ENOENT);
}

static void what_is_not_nfs_or_not_mounted_is_not_found(void **state)
{
	static const char *const mount_points[] = { "/", "/srv/backup", "/srv/backup\\040one", "/u",
		"/proc", "/nowhere", "/unnamed", "" };
	struct nfs_counters c = { .age_sec = 7 };
	(void)state;

	for (size_t i = 0; i < sizeof(mount_points) / sizeof(mount_points[0]); i++) {
		struct error error = { 0 };
		assert_int_equal(mountstats_find(text, mount_points[i], &c, &error), -ENOENT);
		assert_non_null(strstr(error.text, mount_points[i]));
	}
	assert_int_equal(mountstats_find("", "/", &c, NULL), -ENOENT);
	assert_int_equal(c.age_sec, 7);
}

static void an_unknown_version_is_refused(void **state)
{
	struct nfs_counters c;
	struct error error = { 0 };
	(void)state;

	assert_int_equal(mountstats_find(text, "/new", &c, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "2.0"));
}

#define HEAD "device a:/b mounted on /m with fstype nfs4 statvers=1.1\n"
#define AGE "\tage:\t10\n"
#define BYTES "\tbytes:\t1 2 3 4 5 6 7 8\n"
#define READ "\tREAD: 1 2 3 4 5 6 7 8 9\n"
#define WRITE "\tWRITE: 1 2 3 4 5 6 7 8 9\n"

static void half_statistics_are_refused_in_words(void **state)
{
	static const struct {
		const char *text;
		int result;
	} cases[] = {
		{ HEAD AGE BYTES READ WRITE, 0 },
		{ HEAD "\topts:\n" AGE BYTES READ WRITE, 0 },
		{ HEAD "\topts:\trsize=x,wsize=99999999999\n" AGE BYTES READ WRITE, 0 },
		{ HEAD BYTES READ WRITE, -EBADMSG },
		{ HEAD AGE READ WRITE, -EBADMSG },
		{ HEAD AGE BYTES WRITE, -EBADMSG },
		{ HEAD AGE BYTES READ, -EBADMSG },
		{ HEAD AGE BYTES READ "device x mounted on /n with fstype ext4\n" WRITE, -EBADMSG },
		{ HEAD "\tage:\n" BYTES READ WRITE, -EBADMSG },
		{ HEAD "\tage:\tyoung\n" BYTES READ WRITE, -EBADMSG },
		{ HEAD AGE "\tbytes:\t1 2 3 4 5\n" READ WRITE, -EBADMSG },
		{ HEAD AGE BYTES "\tREAD: 1 2 3 4 5 6 7\n" WRITE, -EBADMSG },
		{ HEAD AGE BYTES READ "\tWRITE: 1 2 3 4 5 6 7 -8\n", -EBADMSG },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nfs_counters c = { .age_sec = 7 };
		struct error error = { 0 };
		assert_int_equal(mountstats_find(cases[i].text, "/m", &c, &error), cases[i].result);
		if (cases[i].result < 0)
			assert_non_null(strstr(error.text, "/m"));
		assert_int_equal(c.age_sec, cases[i].result < 0 ? 7 : 10);
		assert_int_equal(c.write_max_bytes, 0);
	}
}

static void what_happened_is_the_difference(void **state)
{
	struct nfs_counters earlier;
	struct nfs_counters later;
	struct nfs_counters d;
	(void)state;

	assert_int_equal(mountstats_find(text, "/srv/backup one", &earlier, NULL), 0);
	later = earlier;
	later.age_sec += 10;
	later.server_write_bytes += 1000;
	later.write.operations += 2;
	later.write.round_trip_msec += 30;
	later.write.execute_msec += 40;
	assert_int_equal(mountstats_difference(&earlier, &later, 10 * SECOND, &d), 0);
	assert_int_equal(d.server_write_bytes, 1000);
	assert_int_equal(d.server_read_bytes, 0);
	assert_int_equal(d.write.operations, 2);
	assert_int_equal(d.write.round_trip_msec, 30);
	assert_int_equal(d.write.execute_msec, 40);
	assert_int_equal(d.read.operations, 0);
	assert_int_equal(d.read_max_bytes, 1048576);
	assert_int_equal(d.age_sec, later.age_sec);
}

static void a_mount_made_anew_gives_no_numbers(void **state)
{
	struct nfs_counters earlier = { .age_sec = 5, .server_read_bytes = 100 };
	struct nfs_counters later = { .age_sec = 9, .server_read_bytes = 200 };
	struct nfs_counters d = { .age_sec = 7 };
	(void)state;

	/* Both are young enough to have been remounted in between. */
	assert_int_equal(mountstats_difference(&earlier, &later, 10 * SECOND, &d), -ERANGE);
	later.age_sec = 13; /* whole seconds */
	assert_int_equal(mountstats_difference(&earlier, &later, 10 * SECOND, &d), 0);
	later.server_read_bytes = 99;
	assert_int_equal(mountstats_difference(&earlier, &later, 10 * SECOND, &d), -ERANGE);
	assert_int_equal(d.age_sec, 13);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_statistics_of_a_mount_point_are_found),
		cmocka_unit_test(version_1_0_and_old_operations_are_read),
		cmocka_unit_test(the_mount_on_top_counts),
		cmocka_unit_test(what_is_not_nfs_or_not_mounted_is_not_found),
		cmocka_unit_test(an_unknown_version_is_refused),
		cmocka_unit_test(half_statistics_are_refused_in_words),
		cmocka_unit_test(what_happened_is_the_difference),
		cmocka_unit_test(a_mount_made_anew_gives_no_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
