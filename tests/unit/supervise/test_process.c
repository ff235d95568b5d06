/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes: the worker that was built, and scripts that misbehave. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "supervise/supervise.h"

#define PATIENCE_MSEC 20000 /* a broken worker fails the test, it does not hang it */

struct bench {
	char worker[4096];
	char script[64]; /* a temporary file, "" until used */
	struct job job;
	struct run *run;
	struct supervise_worker process;
	uint64_t progress_seen;
};

/* The tests lie in tests/unit/supervise below the directory where the worker is built. */
static void find_built_worker(char *ret, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", ret, size - 1);

	assert_true(len > 0);
	ret[len] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(ret, '/') = '\0';
	struct buf b = BUF_INIT(size - 1);
	buf_printf(&b, "%s/repoprobe-worker", ret);
	assert_int_equal(b.error, 0);
	memcpy(ret, b.data, b.len + 1);
	buf_done(&b);
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	find_built_worker(b->worker, sizeof(b->worker));
	b->job = (struct job){
		.kind = JOB_NULL,
		.repository_path = "/",
		.file_name = "x.dat",
		.workload = workload_preset_default()->workload,
		.deadline_usec = 10 * USEC_PER_SEC,
		.null_latency_nsec = 3 * NSEC_PER_MSEC,
	};
	b->process = (struct supervise_worker)SUPERVISE_WORKER_INIT;
	b->run = run_new("a repository", "a probe");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;
	int status;

	if (b->process.pid > 0) {
		supervise_kill(&b->process);
		(void)waitpid(b->process.pid, &status, 0);
	}
	supervise_close(&b->process);
	if (b->script[0] != '\0')
		(void)unlink(b->script);
	free(b->run);
	free(b);
	return 0;
}

static void start(struct bench *b, const char *path)
{
	struct error error = { "" };

	if (supervise_spawn(path, &b->job, &b->process, &error) < 0)
		fail_msg("%s", error.text);
	assert_true(b->process.pid > 0);
	assert_true(b->process.pidfd >= 0);
	assert_true(b->process.socket >= 0);
}

/* A worker that is a shell script; its socket is descriptor 3. */
static void start_script(struct bench *b, const char *body)
{
	struct buf text = BUF_INIT(4096);

	memcpy(b->script, "/tmp/repoprobe-unit-XXXXXX", 27);
	int fd = mkostemp(b->script, O_CLOEXEC);
	assert_true(fd >= 0);
	buf_printf(&text, "#!/bin/sh\n%s\n", body);
	assert_int_equal(fd_write_all(fd, text.data, text.len), 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	fd_close(fd); /* else "text file busy" */
	buf_done(&text);
	start(b, b->script);
}

static void wait_for(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, PATIENCE_MSEC) != 1)
		fail_msg("nothing came for %d ms", PATIENCE_MSEC);
}

/* Reads past progress until something else comes. */
static int receive(struct bench *b, enum supervise_message *ret, struct error *reterr)
{
	struct job_progress progress;
	int r;

	do {
		wait_for(b->process.socket);
		r = supervise_receive(&b->process, &progress, b->run, ret, reterr);
		b->progress_seen += r == 0 && *ret == SUPERVISE_MESSAGE_PROGRESS;
	} while (r == 0 && (*ret == SUPERVISE_MESSAGE_PROGRESS || *ret == SUPERVISE_MESSAGE_NONE));
	return r;
}

static int reap(struct bench *b)
{
	int status = -1;

	wait_for(b->process.pidfd);
	assert_int_equal(supervise_reap(&b->process, &status), 0);
	assert_int_equal(b->process.pid, 0);
	return status;
}

static void the_worker_reports_and_exits(void **state)
{
	struct bench *b = *state;
	struct error error = { "" };
	enum supervise_message message;

	start(b, b->worker);
	if (receive(b, &message, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(message, SUPERVISE_MESSAGE_RESULT);
	assert_int_equal(b->run->status, RUN_OK);
	assert_int_equal(b->run->operations[RUN_WRITE].ios, 128 - 8);
	assert_int_equal(b->run->operations[RUN_WRITE].latency.max_nsec, 3 * NSEC_PER_MSEC);
	assert_string_equal(b->run->repository, "a repository"); /* not the worker's to say */
	assert_true(b->progress_seen > 0);
	assert_int_equal(receive(b, &message, &error), 0);
	assert_int_equal(message, SUPERVISE_MESSAGE_END);
	assert_int_equal(reap(b), 0);
}

static void the_worker_reports_what_it_may_not_touch(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	b->job.kind = JOB_BLOCK;
	memcpy(b->job.repository_path, "/proc", 6);
	start(b, b->worker);
	assert_int_equal(receive(b, &message, &error), 0);
	assert_int_equal(message, SUPERVISE_MESSAGE_RESULT);
	assert_int_equal(b->run->status, RUN_REFUSED);
	assert_non_null(strstr(b->run->reason, "unsafe path"));
	assert_int_equal(reap(b), 0);
}

static void the_worker_tells_each_step_of_an_examination(void **state)
{
	struct bench *b = *state;
	struct examination *e = calloc(1, sizeof(*e));
	enum supervise_message message = SUPERVISE_MESSAGE_NONE;
	struct error error = { "" };
	unsigned progress_count = 0;

	assert_non_null(e);
	b->job.kind = JOB_EXAMINE;
	memcpy(b->job.state_directory, "/", 2);
	memcpy(b->job.repository_path, "/proc", 6);
	start(b, b->worker);
	while (message != SUPERVISE_MESSAGE_RESULT) {
		wait_for(b->process.socket);
		if (supervise_receive_examination(&b->process, e, &message, &error) < 0)
			fail_msg("%s", error.text);
		assert_int_not_equal(message, SUPERVISE_MESSAGE_END);
		progress_count += message == SUPERVISE_MESSAGE_PROGRESS;
	}
	assert_int_equal(progress_count, 2); /* the place and the history */
	assert_int_equal(e->step, EXAMINATION_COMPLETE);
	assert_int_equal(e->refusal_count, 1);
	assert_non_null(strstr(e->refusals[0].text, "unsafe path"));
	assert_true(e->has_history);
	assert_int_equal(reap(b), 0);
	free(e);
}

static void what_was_not_asked_for_is_refused(void **state)
{
	struct bench *b = *state;
	struct examination *e = calloc(1, sizeof(*e));
	enum supervise_message message = SUPERVISE_MESSAGE_NONE;
	struct error error = { "" };

	assert_non_null(e);
	start(b, b->worker); /* a job that measures */
	wait_for(b->process.socket);
	assert_int_equal(supervise_receive_examination(&b->process, e, &message, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "measured instead of looking"));
	supervise_kill(&b->process);
	(void)reap(b); /* killed, or done before that */
	supervise_close(&b->process);

	b->job.kind = JOB_EXAMINE;
	start(b, b->worker);
	assert_int_equal(receive(b, &message, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "looked instead of measuring"));
	free(e);
}

static void a_job_without_sense_is_no_run(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	memcpy(b->job.file_name, "../../etc/passwd", 17);
	b->job.kind = JOB_BLOCK;
	start(b, b->worker);
	assert_int_equal(receive(b, &message, &error), 0);
	assert_int_equal(message, SUPERVISE_MESSAGE_END);
	assert_int_equal(reap(b), 1 << 8);
}

static void nothing_to_read_is_said_without_waiting(void **state)
{
	struct bench *b = *state;
	struct job_progress progress;
	enum supervise_message message;
	int status;

	start_script(b, "exec sleep 60");
	assert_int_equal(supervise_receive(&b->process, &progress, b->run, &message, NULL), 0);
	assert_int_equal(message, SUPERVISE_MESSAGE_NONE);
	assert_int_equal(supervise_reap(&b->process, &status), -EAGAIN);
	assert_true(b->process.pid > 0);
	supervise_kill(&b->process);
	status = reap(b);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void rubbish_is_refused(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	start_script(b, "cat /bin/sh >&3 2>/dev/null; exec sleep 60");
	assert_int_equal(receive(b, &message, &error), -EBADMSG);
	assert_true(error.text[0] != '\0');
}

static void a_future_version_is_told_apart(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	start_script(b, "printf 'RPWM\\011\\000\\003\\000' >&3; exec sleep 60");
	assert_int_equal(receive(b, &message, &error), -EPROTO);
	assert_non_null(strstr(error.text, "version 9"));
}

static void a_job_that_comes_back_is_refused(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	/* one read of a seqpacket socket is one message */
	start_script(b, "dd bs=200000 count=1 <&3 >&3 2>/dev/null; exec sleep 60");
	assert_int_equal(receive(b, &message, &error), -EBADMSG);
}

static void an_early_exit_is_an_end_and_a_code(void **state)
{
	struct bench *b = *state;
	enum supervise_message message;
	struct error error = { "" };

	start_script(b, "exit 7");
	assert_int_equal(receive(b, &message, &error), 0);
	assert_int_equal(message, SUPERVISE_MESSAGE_END);
	int status = reap(b);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* What the worker is given, seen from inside: null devices, stderr and the socket, no descriptor of
 * ours, and its own process group. */
static void a_worker_inherits_no_descriptors(void **state)
{
	struct bench *b = *state;
	int open_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	assert_true(open_fd >= 0);
	start_script(b,
		"test \"$(readlink /proc/self/fd/0)\" = /dev/null || exit 10\n"
		"test \"$(readlink /proc/$$/fd/1)\" = /dev/null || exit 11\n"
		"for fd in /proc/$$/fd/*; do\n"
		"  case $(readlink $fd) in /dev/zero) exit 12;; esac\n"
		"done\n"
		"test \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$ || exit 13\n"
		"exit 0");
	fd_close(open_fd);
	assert_int_equal(reap(b), 0);
}

/* The shell changes its own signals, so what it was given is read after exec. The two signals that
 * the C library keeps for itself (32 and 33) are not ours to set. */
static void a_worker_inherits_no_signal_state(void **state)
{
	struct bench *b = *state;
	sigset_t blocked;
	sigset_t before;

	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &before), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	start_script(b,
		"exec grep -Pzq 'SigBlk:\\s0+\\nSigIgn:\\s[0-9a-f]+[08]0{7}\\n' /proc/self/status");
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_int_equal(reap(b), 0);
}

static void a_missing_program_is_an_error_in_words(void **state)
{
	struct bench *b = *state;
	struct error error = { "" };

	assert_int_equal(
		supervise_spawn("/nonexistent/worker", &b->job, &b->process, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nonexistent/worker"));
	assert_int_equal(b->process.pid, 0);
	assert_int_equal(b->process.socket, -1);
}

static void a_worker_by_hand_says_what_to_do(void **state)
{
	struct bench *b = *state;
	int pipe_fds[2];
	char text[512] = "";
	int status;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(pipe_fds[1], STDERR_FILENO);
		(void)close(3);
		(void)execl(b->worker, "repoprobe-worker", (char *)NULL);
		_exit(99);
	}
	fd_close(pipe_fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(pipe_fds[0], text, sizeof(text) - 1) > 0);
	fd_close(pipe_fds[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_non_null(strstr(text, "repoprobe run DIR"));
}

static void the_worker_is_found_beside_us_or_not_at_all(void **state)
{
	char path[4096];
	struct error error = { "" };
	int r = supervise_find_worker(path, sizeof(path), &error);

	(void)state;
	/* None lies beside this test; one may be installed. */
	if (r == 0) {
		assert_int_equal(path[0], '/');
		assert_int_equal(access(path, X_OK), 0);
	} else {
		assert_int_equal(r, -ENOENT);
		assert_non_null(strstr(error.text, "tests/unit/supervise/repoprobe-worker"));
		assert_non_null(strstr(error.text, LIBEXECDIR "/repoprobe-worker"));
	}
}

/* Nobody listens any more: the worker stops on its own, long before its time is over. */
static void an_abandoned_worker_ends(void **state)
{
	struct bench *b = *state;
	char directory[] = "/var/tmp/repoprobe-unit-XXXXXX";

	assert_non_null(mkdtemp(directory));
	b->job.kind = JOB_BLOCK;
	memcpy(b->job.repository_path, directory, sizeof(directory));
	b->job.file_target_bytes = UINT64_C(4) << 20;
	b->job.workload.max_bytes = 0;
	b->job.workload.duration_usec = 3600 * USEC_PER_SEC;
	b->job.workload.timeout_usec = 7200 * USEC_PER_SEC;
	b->job.deadline_usec = 7300 * USEC_PER_SEC;
	start(b, b->worker);
	wait_for(b->process.socket); /* it is at work */
	b->process.socket = fd_close(b->process.socket);
	(void)reap(b);
	/* and left nothing, as keep_file is not set */
	assert_int_equal(rmdir(directory), 0);
}

/* As on a kernel without pidfd_open(2). */
static int forbid_pidfds(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = 4, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/* Which of its steps failed; 0: none. */
static int spawn_without_pidfds(struct bench *b)
{
	int status = -1;

	if (forbid_pidfds() < 0)
		return 1;
	if (supervise_spawn_from(NULL, b->worker, &b->job, &b->process, NULL) != -ENOSYS)
		return 2;
	if (b->process.pid <= 0 || b->process.pidfd != -1)
		return 3;
	for (int i = 0; b->process.pid > 0 && i < PATIENCE_MSEC; i++) {
		(void)supervise_reap(&b->process, &status);
		(void)usleep(1000);
	}
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		return 4;
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 5;
}

static void a_worker_that_cannot_be_supervised_is_killed_and_leaves_no_zombie(void **state)
{
	struct bench *b = *state;
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(spawn_without_pidfds(b)); /* the filter is for good */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_worker_reports_and_exits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_worker_reports_what_it_may_not_touch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_worker_tells_each_step_of_an_examination, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_not_asked_for_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_job_without_sense_is_no_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_to_read_is_said_without_waiting, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rubbish_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_future_version_is_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_job_that_comes_back_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_early_exit_is_an_end_and_a_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_worker_inherits_no_descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_worker_inherits_no_signal_state, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_missing_program_is_an_error_in_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_worker_by_hand_says_what_to_do, set_up, tear_down),
		cmocka_unit_test(the_worker_is_found_beside_us_or_not_at_all),
		cmocka_unit_test_setup_teardown(an_abandoned_worker_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_worker_that_cannot_be_supervised_is_killed_and_leaves_no_zombie, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
