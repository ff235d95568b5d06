/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the workers in a file are still there: with the worker that was built. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "supervise/notes.h"
#include "supervise/supervise.h"

struct bench {
	char path[64];
	char boot_id[WORKER_NOTE_BOOT_ID_LEN + 1];
	struct worker_note note;
	struct supervise_worker process;
};

/* The tests lie in tests/unit/supervise below the directory where the worker is built. */
static void start_worker(struct bench *b)
{
	char path[4096];
	struct error error = { "" };
	struct job *job = calloc(1, sizeof(*job));

	assert_non_null(job);
	*job = (struct job){
		.kind = JOB_NULL,
		.repository_path = "/",
		.file_name = "x.dat",
		.workload = workload_preset_default()->workload,
		.deadline_usec = 60 * USEC_PER_SEC,
		.null_latency_nsec = 3 * NSEC_PER_MSEC,
	};
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);

	assert_true(len > 0);
	path[len] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(path, '/') = '\0';
	memcpy(path + strlen(path), "/repoprobe-worker", sizeof("/repoprobe-worker"));
	if (supervise_spawn(path, job, &b->process, &error) < 0)
		fail_msg("%s", error.text);
	free(job);
	(void)kill(b->process.pid, SIGSTOP); /* it stays, and SIGKILL ends it all the same */
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	*state = b;
	memcpy(b->path, "/tmp/repoprobe-unit-XXXXXX", 27);
	int fd = mkostemp(b->path, O_CLOEXEC);
	assert_true(fd >= 0);
	fd_close(fd);
	b->process = (struct supervise_worker)SUPERVISE_WORKER_INIT;
	start_worker(b);
	assert_int_equal(notes_boot_id(b->boot_id), 0);
	b->note = (struct worker_note){
		.pid = (uint64_t)b->process.pid, .repository = "nas1", .probe = "p"
	};
	assert_int_equal(notes_start_ticks(b->note.pid, &b->note.start_ticks), 0);
	assert_true(b->note.start_ticks > 0);
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	if (b->process.pid > 0) {
		supervise_kill(&b->process);
		(void)waitpid(b->process.pid, NULL, 0);
	}
	supervise_close(&b->process);
	(void)unlink(b->path);
	free(b);
	return 0;
}

static void write_text(const struct bench *b, const void *data, size_t len)
{
	assert_int_equal(fd_replace_file(b->path, 0600, data, len), 0);
}

static void write_note(const struct bench *b, const char *boot_id)
{
	struct buf text = BUF_INIT(4096);

	worker_notes_begin(&text, boot_id);
	worker_note_add(&text, &b->note);
	write_text(b, text.data, text.len);
	buf_done(&text);
}

static size_t count_living(const struct bench *b)
{
	struct worker_note *notes = NULL;
	struct error error = { "" };
	size_t count = 7;

	if (notes_read(b->path, &notes, &count, &error) < 0)
		fail_msg("%s", error.text);
	if (count > 0)
		assert_int_equal(notes[0].pid, b->note.pid);
	free(notes);
	return count;
}

static void a_worker_lives_until_it_is_gone(void **state)
{
	struct bench *b = *state;
	struct supervise_worker taken = SUPERVISE_WORKER_INIT;

	write_note(b, b->boot_id);
	assert_int_equal(count_living(b), 1);
	assert_int_equal(notes_adopt(&b->note, &taken), 0);
	supervise_kill(&taken);
	supervise_close(&taken);
	(void)waitpid(b->process.pid, NULL, 0);
	b->process.pid = 0;
	assert_int_equal(count_living(b), 0);
	assert_int_equal(notes_adopt(&b->note, &taken), -ESRCH);
}

static void another_start_another_boot_another_program_is_another_process(void **state)
{
	struct bench *b = *state;

	write_note(b, "ffffffff-0123-4567-89ab-0123456789ab");
	assert_int_equal(count_living(b), 0);
	b->note.start_ticks++;
	write_note(b, b->boot_id);
	assert_int_equal(count_living(b), 0);
	b->note.pid = (uint64_t)getpid();
	assert_int_equal(notes_start_ticks(b->note.pid, &b->note.start_ticks), 0);
	write_note(b, b->boot_id);
	assert_int_equal(count_living(b), 0);
}

static void the_child_of_another_is_heard_of_too(void **state)
{
	struct bench *b = *state;
	int status = -1;

	/* The grandchild cannot be waited for, so it is watched by its pidfd alone. */
	pid_t child = fork();
	if (child == 0) {
		struct supervise_worker taken = SUPERVISE_WORKER_INIT;
		bool is_right = notes_adopt(&b->note, &taken) == 0 &&
			supervise_reap(&taken, &status) == -EAGAIN;
		supervise_kill(&taken);
		for (int i = 0; is_right && i < 20000 && supervise_reap(&taken, &status) != 0; i++)
			(void)usleep(1000);
		_exit(is_right && status == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void what_is_no_such_file_is_told(void **state)
{
	struct bench *b = *state;
	static const char zero[] = "repoprobe workers 1\0";
	struct worker_note *notes = NULL;
	struct error error = { "" };
	size_t count = 7;

	write_text(b, zero, sizeof(zero));
	assert_int_equal(notes_read(b->path, &notes, &count, &error), -EBADMSG);
	write_text(b, "rubbish", 7);
	assert_int_equal(notes_read(b->path, &notes, &count, &error), -EBADMSG);
	assert_true(error.text[0] != '\0');
	write_text(b, "", 0); /* as after a crash of the machine */
	assert_int_equal(count_living(b), 0);
	(void)unlink(b->path);
	assert_int_equal(count_living(b), 0);
	assert_int_equal(mkfifo(b->path, 0600), 0); /* which would never end */
	assert_int_equal(notes_read(b->path, &notes, &count, &error), -ENXIO);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_worker_lives_until_it_is_gone),
		TEST(another_start_another_boot_another_program_is_another_process),
		TEST(the_child_of_another_is_heard_of_too),
		TEST(what_is_no_such_file_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
