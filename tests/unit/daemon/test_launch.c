/* SPDX-License-Identifier: Apache-2.0 */
/* A worker on a real event loop: this program itself, started again, which says nothing but that it
 * is alive. */
#include "daemon/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../probe/temporary.h"
#include "base/clock.h"
#include "config/config.h"
#include "core/admission.h"
#include "daemon/daemon.h"
#include "test.h"
#include "wire/wire.h"

#define WORKER_FD 3
#define MESSAGES 200 /* fit into the socket's buffer */
#define MESSAGES_AT_ONCE_MAX 20
#define SENT_FILE "REPOPROBE_TEST_SENT_FILE" /* made by the worker when it has said all */

struct bench {
	struct daemon d;
	struct daemon_options options;
	struct temporary directory;
	struct buf sent_path;
};

static int be_worker(const char *sent_path)
{
	const struct job_progress progress = { .phase = JOB_PHASE_MEASURE };
	static uint8_t job[WIRE_MESSAGE_MAX];
	struct buf message = BUF_INIT(WIRE_MESSAGE_MAX);

	wire_encode_progress(&progress, &message);
	if (recv(WORKER_FD, job, sizeof(job), 0) <= 0)
		return EXIT_FAILURE;
	for (int i = 0; i < MESSAGES; i++)
		if (send(WORKER_FD, message.data, message.len, MSG_NOSIGNAL) < 0)
			return EXIT_FAILURE;
	buf_done(&message);
	int fd = open(sent_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fd_close(fd);
	while (recv(WORKER_FD, job, sizeof(job), 0) > 0)
		; /* until nobody listens */
	return EXIT_SUCCESS;
}

/* Before main, which would run the tests. */
__attribute__((constructor)) static void be_worker_if_asked(void)
{
	const char *sent_path = getenv(SENT_FILE);

	if (sent_path)
		_exit(be_worker(sent_path));
}

static int set_up(void **state)
{
	struct config_errors errors = { 0 };
	struct bench *b = calloc(1, sizeof(*b));
	struct buf path = BUF_INIT(4096);

	assert_non_null(b);
	struct daemon *d = &b->d;
	temporary_open(&b->directory);
	temporary_write(&b->directory, "a.conf", "[repository r]\npath = /r\nprobes = heartbeat\n");
	temporary_name(&b->directory, "a.conf", &path);
	assert_int_equal(config_load(buf_text(&path), true, NULL, &d->core.config, &errors), 0);
	buf_done(&path);
	b->sent_path = (struct buf)BUF_INIT(4096);
	assert_int_equal(
		setenv(SENT_FILE, temporary_name(&b->directory, "sent", &b->sent_path), 1), 0);
	ssize_t len = readlink("/proc/self/exe", d->worker_path, sizeof(d->worker_path) - 1);
	assert_true(len > 0);
	d->options = &b->options;
	d->revision = 1; /* nothing is rendered here … */
	d->is_stopping = true; /* … nor kept, nor started */
	d->clock = clock_system();
	d->core.present = present_new(d->core.config, NULL, clock_monotonic_nsec(&d->clock),
		clock_realtime_usec(&d->clock));
	assert_non_null(d->core.present);
	assert_int_equal(sd_event_new(&d->event), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;
	struct daemon *d = &b->d;

	assert_int_equal(unsetenv(SENT_FILE), 0);
	launch_kill_all(d);
	while (d->launches && sd_event_get_state(d->event) != SD_EVENT_FINISHED)
		assert_true(sd_event_run(d->event, 10 * USEC_PER_SEC) >= 0);
	assert_null(d->launches);
	sd_event_unref(d->event);
	present_free(d->core.present);
	config_free(d->core.config);
	buf_done(&b->sent_path);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static void a_worker_that_talks_without_end_leaves_the_loop_to_others_too(void **state)
{
	struct bench *b = *state;
	struct daemon *d = &b->d;
	struct present_repository *repository = &d->core.present->repositories[0];
	const struct admission admission = { .skip = RUN_SKIP_NONE };
	unsigned rounds = 0;

	launch_start(d, repository, &repository->probes[0], &admission);
	assert_non_null(d->launches);
	for (int i = 0; i < 20000 && access(buf_text(&b->sent_path), F_OK) < 0; i++)
		(void)usleep(1000);
	while (sd_event_run(d->event, 0) > 0)
		rounds++;
	assert_true(rounds >= MESSAGES / MESSAGES_AT_ONCE_MAX);
	assert_non_null(d->launches);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_worker_that_talks_without_end_leaves_the_loop_to_others_too, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
