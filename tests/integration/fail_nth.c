/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into one of our programs, fails chosen allocations or calls that make a descriptor or a
 * thread.
 *
 * FAIL_NTH_FILE names a file that the test maps too; FAIL_NTH_PROGRAM the program it is meant for,
 * since the environment is inherited by workers. While it is armed, calls of the chosen kinds are
 * counted, and those from the first to the last chosen number fail. Calls made by libraries count
 * only when the test says so. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum kind {
	KIND_MEMORY = 1,
	KIND_DESCRIPTOR = 2,
	KIND_THREAD = 4,
};

/* Shared with the test, which knows the layout: all fields have 64 bits. */
struct shared {
	_Atomic uint64_t is_armed;
	_Atomic uint64_t kinds;
	_Atomic uint64_t takes_libraries;
	_Atomic uint64_t first; /* counted from 1; 0: none fails */
	_Atomic uint64_t last;
	_Atomic uint64_t error;
	_Atomic uint64_t count;
	_Atomic uint64_t failed;
	_Atomic uint64_t site; /* of the newest failure: an address as the program's file has it */
	_Atomic uint64_t live; /* blocks of memory: allocated, not freed */
};

static struct shared *shared;
static uintptr_t program_start;
static uintptr_t program_end;
static __thread bool is_inside; /* a call that was counted already */

/* glibc's own names of what is replaced here: found without dlsym, which allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	program_start = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (start < program_start)
			program_start = start;
		if (start + info->dlpi_phdr[i].p_memsz > program_end)
			program_end = start + info->dlpi_phdr[i].p_memsz;
	}
	return 1; /* the first one is the program */
}

static bool is_meant(const char *wanted)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0 || !wanted)
		return false;
	path[len] = '\0';
	const char *name = strrchr(path, '/');
	return name && strcmp(name + 1, wanted) == 0;
}

__attribute__((constructor)) static void prepare(void)
{
	const char *path = getenv("FAIL_NTH_FILE");

	if (!path || !is_meant(getenv("FAIL_NTH_PROGRAM")))
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	void *map = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	(void)dl_iterate_phdr(find_program, NULL);
	if (map != MAP_FAILED)
		shared = map;
}

/* Counts a call, and says whether it fails. */
static bool must_fail(enum kind kind, const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	if (!shared || is_inside || !shared->is_armed || !(shared->kinds & kind))
		return false;
	if (!shared->takes_libraries && (at < program_start || at >= program_end))
		return false;
	uint64_t number = atomic_fetch_add(&shared->count, 1) + 1;
	if (number < shared->first || number > shared->last)
		return false;
	shared->failed++;
	shared->site = at - program_start;
	errno = (int)shared->error;
	return true;
}

#define FAILS(kind) must_fail(kind, __builtin_return_address(0))

static void *counted(void *block)
{
	if (shared && block)
		shared->live++;
	return block;
}

/* --- Memory ------------------------------------------------------------- */

void *malloc(size_t size)
{
	return FAILS(KIND_MEMORY) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return FAILS(KIND_MEMORY) ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
	if (FAILS(KIND_MEMORY))
		return NULL;
	return block ? __libc_realloc(block, size) : counted(__libc_realloc(NULL, size));
}

void *reallocarray(void *block, size_t count, size_t size)
{
	if (FAILS(KIND_MEMORY) || __builtin_mul_overflow(count, size, &size))
		return NULL;
	return block ? __libc_realloc(block, size) : counted(__libc_realloc(NULL, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return FAILS(KIND_MEMORY) ? NULL : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	if (FAILS(KIND_MEMORY))
		return ENOMEM;
	*ret = counted(__libc_memalign(alignment, size));
	return *ret ? 0 : ENOMEM;
}

char *strndup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = FAILS(KIND_MEMORY) ? NULL : counted(__libc_malloc(len + 1));

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = FAILS(KIND_MEMORY) ? NULL : counted(__libc_malloc(size));

	return copy ? memcpy(copy, text, size) : NULL;
}

void free(void *block)
{
	if (shared && block)
		shared->live--;
	__libc_free(block);
}

/* --- Descriptors and threads -------------------------------------------- */

/* The next one of that name: the C library's. */
#define NEXT(name)                                                                                 \
	static __typeof__(&(name)) next;                                                           \
	if (!next)                                                                                 \
	next = (__typeof__(&(name)))dlsym(RTLD_NEXT, #name)

static int open_by(int directory, const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define DEFINE_OPEN(name)                                                                          \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, flags);                                                               \
		mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(ap, mode_t) : 0;            \
		va_end(ap);                                                                        \
		return FAILS(KIND_DESCRIPTOR) ? -1 : open_by(AT_FDCWD, path, flags, mode);         \
	}

#define DEFINE_OPENAT(name)                                                                        \
	int name(int directory, const char *path, int flags, ...)                                  \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, flags);                                                               \
		mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(ap, mode_t) : 0;            \
		va_end(ap);                                                                        \
		return FAILS(KIND_DESCRIPTOR) ? -1 : open_by(directory, path, flags, mode);        \
	}

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPEN(__open_2) /* with _FORTIFY_SOURCE */
DEFINE_OPEN(__open64_2)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
DEFINE_OPENAT(__openat_2)
DEFINE_OPENAT(__openat64_2)

/* DEFINE(type, name, parameters, arguments, value on failure) */
#define DEFINE(kind, type, name, parameters, arguments, failure)                                   \
	type name parameters                                                                       \
	{                                                                                          \
		NEXT(name);                                                                        \
		if (FAILS(kind))                                                                   \
			return failure;                                                            \
		is_inside = true;                                                                  \
		type result = next arguments;                                                      \
		is_inside = false;                                                                 \
		return result;                                                                     \
	}

DEFINE(KIND_DESCRIPTOR, int, socket, (int a, int b, int c), (a, b, c), -1)
DEFINE(KIND_DESCRIPTOR, int, socketpair, (int a, int b, int c, int fds[2]), (a, b, c, fds), -1)
DEFINE(KIND_DESCRIPTOR, int, accept4, (int fd, struct sockaddr *a, socklen_t *len, int flags),
	(fd, a, len, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, eventfd, (unsigned value, int flags), (value, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, timerfd_create, (clockid_t clock, int flags), (clock, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags),
	-1)
DEFINE(KIND_DESCRIPTOR, int, epoll_create1, (int flags), (flags), -1)
DEFINE(KIND_DESCRIPTOR, int, pipe2, (int fds[2], int flags), (fds, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, dup, (int fd), (fd), -1)
DEFINE(KIND_DESCRIPTOR, int, memfd_create, (const char *name, unsigned flags), (name, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, mkostemp, (char *name, int flags), (name, flags), -1)
DEFINE(KIND_DESCRIPTOR, int, mkostemp64, (char *name, int flags), (name, flags), -1)
DEFINE(KIND_DESCRIPTOR, DIR *, opendir, (const char *path), (path), NULL)
DEFINE(KIND_THREAD, int, pthread_create,
	(pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data),
	(thread, attributes, run, data), EAGAIN)

/* What glibc has no name for: pidfd_open, openat2, io_uring_setup. */
long syscall(long number, ...)
{
	NEXT(syscall);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	bool makes_fd =
		number == SYS_pidfd_open || number == SYS_openat2 || number == SYS_io_uring_setup;
	if (makes_fd && FAILS(KIND_DESCRIPTOR))
		return -1;
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
