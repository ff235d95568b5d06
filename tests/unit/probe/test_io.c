/* SPDX-License-Identifier: Apache-2.0 */
/* Both back ends on a real file. Where this system does not allow io_uring, its cases are skipped.
 */
#include "probe/temporary.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "probe/io.h"

#define SLOTS 8
#define BLOCK 4096
#define FILE_BLOCKS 64

struct bench {
	const struct io_backend_ops *ops;
	struct temporary directory;
	struct io_setup setup;
	void *backend;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_non_null(b);
	b->ops = *(const struct io_backend_ops **)*state;
	temporary_open(&b->directory);
	b->setup = (struct io_setup){
		.fd = open(temporary_name(&b->directory, "file", &path),
			O_RDWR | O_CREAT | O_CLOEXEC, 0600),
		.slots = SLOTS,
		.memory_bytes = (size_t)SLOTS * BLOCK,
		.memory = aligned_alloc(BLOCK, (size_t)SLOTS * BLOCK),
	};
	b->setup.write_fd = b->setup.fd;
	assert_true(b->setup.fd >= 0);
	assert_non_null(b->setup.memory);
	assert_int_equal(ftruncate(b->setup.fd, (off_t)FILE_BLOCKS * BLOCK), 0);
	buf_done(&path);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	if (b->backend)
		b->ops->close(b->backend);
	fd_close(b->setup.fd);
	free(b->setup.memory);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static void start(struct bench *b)
{
	struct error error = { "" };
	int r = b->ops->open(&b->setup, &b->backend, &error);

	if (b->ops->engine == WORKLOAD_ENGINE_IO_URING && (r == -EPERM || r == -ENOSYS))
		skip();
	assert_string_equal(error.text, "");
	assert_int_equal(r, 0);
}

static uint8_t *data_of(const struct bench *b, uint32_t slot)
{
	return b->setup.memory + (size_t)slot * BLOCK;
}

static void submit(struct bench *b, uint32_t slot, bool is_write, uint64_t block)
{
	const struct io_request request = {
		.slot = slot,
		.is_write = is_write,
		.offset_bytes = block * BLOCK,
		.data = data_of(b, slot),
		.bytes = BLOCK,
	};

	assert_int_equal(b->ops->submit(b->backend, &request), 0);
}

/* Waits for `count` completions and leaves the result of each slot. */
static void await(struct bench *b, uint32_t count, int32_t results[SLOTS])
{
	for (unsigned tries = 0; count > 0; tries++) {
		struct io_completion done[SLOTS];
		int n = b->ops->wait(b->backend, NSEC_PER_SEC, done, SLOTS);
		assert_in_range(n, 0, count);
		assert_true(tries < 1000);
		for (int i = 0; i < n; i++)
			results[done[i].slot] = done[i].result;
		count -= (uint32_t)n;
	}
}

static void what_is_written_is_read_back(void **state)
{
	struct bench *b = *state;
	int32_t results[SLOTS] = { 0 };

	start(b);
	for (uint32_t round = 0; round < FILE_BLOCKS / SLOTS; round++) {
		for (uint32_t i = 0; i < SLOTS; i++) {
			memset(data_of(b, i), (int)(round * SLOTS + i + 1), BLOCK);
			submit(b, i, true, round * SLOTS + i);
		}
		await(b, SLOTS, results);
		for (uint32_t i = 0; i < SLOTS; i++)
			assert_int_equal(results[i], BLOCK);
	}
	for (uint32_t block = 0; block < FILE_BLOCKS; block++) {
		memset(data_of(b, 3), 0, BLOCK);
		submit(b, 3, false, block);
		await(b, 1, results);
		assert_int_equal(results[3], BLOCK);
		assert_int_equal(data_of(b, 3)[0], block + 1);
		assert_int_equal(data_of(b, 3)[BLOCK - 1], block + 1);
	}
}

static void the_end_of_the_file_is_a_transfer_of_what_there_is(void **state)
{
	struct bench *b = *state;
	int32_t results[SLOTS] = { 0 };

	assert_int_equal(ftruncate(b->setup.fd, BLOCK + 1000), 0);
	start(b);
	submit(b, 0, false, 1);
	submit(b, 1, false, 2);
	await(b, 2, results);
	assert_int_equal(results[0], 1000);
	assert_int_equal(results[1], 0);
}

static void an_error_is_its_errno(void **state)
{
	struct bench *b = *state;
	int32_t results[SLOTS] = { 0 };
	struct rlimit before;

	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	const struct rlimit small = { .rlim_cur = BLOCK, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	start(b);
	submit(b, 5, true, 10);
	await(b, 1, results);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(results[5], -EFBIG);
}

static void waiting_ends_with_the_time(void **state)
{
	struct bench *b = *state;
	struct io_completion done[SLOTS];
	struct clock clock = clock_system();

	start(b);
	uint64_t start_nsec = clock_monotonic_nsec(&clock);
	assert_int_equal(b->ops->wait(b->backend, 0, done, SLOTS), 0);
	assert_int_equal(b->ops->wait(b->backend, 30 * NSEC_PER_MSEC, done, SLOTS), 0);
	assert_true(clock_monotonic_nsec(&clock) - start_nsec >= 30 * NSEC_PER_MSEC);
}

static void no_more_come_back_than_there_is_room_for(void **state)
{
	struct bench *b = *state;
	struct io_completion done[3];
	bool is_back[SLOTS] = { false };
	uint32_t count = 0;

	start(b);
	for (uint32_t i = 0; i < SLOTS; i++)
		submit(b, i, false, i);
	for (unsigned tries = 0; count < SLOTS && tries < 1000; tries++) {
		int n = b->ops->wait(b->backend, NSEC_PER_SEC, done, 3);
		assert_in_range(n, 0, 3);
		for (int i = 0; i < n; i++) {
			assert_false(is_back[done[i].slot]);
			is_back[done[i].slot] = true;
			count++;
		}
	}
	assert_int_equal(count, SLOTS);
}

/* fdatasync refuses a pipe; the write before it does not. */
static void a_synchronised_write_is_over_after_its_fdatasync(void **state)
{
	struct bench *b = *state;
	int32_t results[SLOTS] = { 0 };
	int ends[2];

	b->setup.is_synchronised = true;
	start(b);
	submit(b, 0, true, 0);
	submit(b, 1, false, 1);
	await(b, 2, results);
	assert_int_equal(results[0], BLOCK);
	assert_int_equal(results[1], BLOCK);
	b->ops->close(b->backend);
	b->backend = NULL;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	b->setup.write_fd = ends[1];
	start(b);
	const struct io_request request = {
		.slot = 2, .is_write = true, .data = data_of(b, 2), .bytes = BLOCK
	};
	int r = b->ops->submit(b->backend, &request);
	assert_int_equal(r, 0);
	await(b, 1, results);
	assert_true(results[2] == -EINVAL || results[2] == -ESPIPE);
	fd_close(ends[0]);
	fd_close(ends[1]);
}

static void writes_can_go_to_another_file(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int32_t results[SLOTS] = { 0 };
	uint8_t byte = 0;

	b->setup.write_fd = open(
		temporary_name(&b->directory, "other", &path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(b->setup.write_fd >= 0);
	start(b);
	memset(data_of(b, 0), 'w', BLOCK);
	submit(b, 0, true, 2);
	await(b, 1, results);
	assert_int_equal(results[0], BLOCK);
	submit(b, 1, false, 2);
	await(b, 1, results);
	assert_int_equal(results[1], BLOCK);
	assert_int_equal(data_of(b, 1)[0], 0); /* the first file is as it was */
	assert_int_equal(pread(b->setup.write_fd, &byte, 1, 2 * BLOCK), 1);
	assert_int_equal(byte, 'w');
	fd_close(b->setup.write_fd);
	buf_done(&path);
}

static void wishes_are_met_in_order(void **state)
{
	(void)state;
	assert_ptr_equal(io_backend_at(WORKLOAD_ENGINE_AUTO, 0), &io_uring_backend);
	assert_ptr_equal(io_backend_at(WORKLOAD_ENGINE_AUTO, 1), &io_threads_backend);
	assert_null(io_backend_at(WORKLOAD_ENGINE_AUTO, 2));
	assert_ptr_equal(io_backend_at(WORKLOAD_ENGINE_IO_URING, 0), &io_uring_backend);
	assert_null(io_backend_at(WORKLOAD_ENGINE_IO_URING, 1));
	assert_ptr_equal(io_backend_at(WORKLOAD_ENGINE_THREADS, 0), &io_threads_backend);
	assert_null(io_backend_at(WORKLOAD_ENGINE_THREADS, 1));
}

/* What a test starts from has no const in this library. */
static const struct io_backend_ops *uring = &io_uring_backend;
static const struct io_backend_ops *threads = &io_threads_backend;

#define CASE(test, ops)                                                                            \
	{                                                                                          \
#test " " #ops, test, set_up, tear_down, &(ops)                                    \
	}
#define BOTH(test) CASE(test, uring), CASE(test, threads)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(what_is_written_is_read_back),
		BOTH(the_end_of_the_file_is_a_transfer_of_what_there_is),
		BOTH(an_error_is_its_errno),
		BOTH(waiting_ends_with_the_time),
		BOTH(no_more_come_back_than_there_is_room_for),
		BOTH(a_synchronised_write_is_over_after_its_fdatasync),
		BOTH(writes_can_go_to_another_file),
		cmocka_unit_test(wishes_are_met_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
