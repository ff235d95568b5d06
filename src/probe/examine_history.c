/* SPDX-License-Identifier: Apache-2.0 */
/* Where the daemon's history is kept, or will be: a repository that hangs must not take it along.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/device.h"
#include "probe/examiner.h"

/* The directory, or the nearest above it that is there. */
static int open_nearest(const char *directory)
{
	char path[JOB_PATH_MAX + 1];

	memcpy(path, directory, strlen(directory) + 1);
	for (;;) {
		int fd = open(path[0] != '\0' ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		int r = -errno;
		char *slash = strrchr(path, '/');
		if (r != -ENOENT || !slash)
			return r;
		*slash = '\0';
	}
}

/* Subvolumes of btrfs have numbers of their own, but one source. */
static bool is_same_file_system(
	const struct examiner *x, const struct identity *identity, dev_t device)
{
	return device == x->place.device ||
		(identity->source[0] == '/' &&
			strcmp(identity->source, x->e->identity.source) == 0);
}

static void compare(const struct examiner *x, dev_t number, struct examination_history *h)
{
	struct device_info device;
	bool has_device = device_find(EXAMINER_SYSFS, number, &device) == 0;

	h->kind = examination_kind_of(h->identity.fs_type, has_device);
	if (x->place.fd < 0)
		return; /* there is nothing to compare with */
	h->is_same_file_system = is_same_file_system(x, &h->identity, number);
	h->shares_disk = h->is_same_file_system ||
		(has_device && x->e->has_device && device_shares_leaf(&device, &x->e->device));
}

void examiner_look_at_history(struct examiner *x)
{
	struct examination_history *h = &x->e->history;
	struct stat st;
	int fd = open_nearest(x->job->state_directory);
	int r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;

	x->e->has_history = true;
	h->error_number = -r;
	if (r == 0) {
		if (x->mountinfo)
			(void)identity_from_mountinfo(
				x->mountinfo, place_facts(fd).mount_id, &h->identity);
		compare(x, st.st_dev, h);
	}
	fd_close(fd);
}
