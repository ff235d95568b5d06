/* SPDX-License-Identifier: Apache-2.0 */
/* Where the daemon's history is or will be stored: it must not be on a repository that may hang. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "probe/device.h"
#include "probe/examiner.h"

/* Opens the directory, or the nearest existing one above it. */
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

/* Without /proc and /sys the identity stays unknown. */
static void identify(int fd, dev_t device, struct identity *ret)
{
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);

	if (fd_read_file("/proc/self/mountinfo", &b) == 0)
		(void)identity_from_mountinfo(buf_text(&b), place_facts(fd).mount_id, ret);
	ret->has_device = device_find("/sys", device, &ret->device) == 0;
	buf_done(&b);
}

/* btrfs subvolumes have device numbers of their own, but share one source. */
static bool is_same_file_system(
	const struct examiner *x, const struct identity *identity, dev_t device)
{
	return device == x->place.device ||
		(identity->source[0] == '/' &&
			strcmp(identity->source, x->e->identity.source) == 0);
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
		identify(fd, st.st_dev, &h->identity);
		h->kind = examination_kind_of(h->identity.fs_type, h->identity.has_device);
	}
	if (r == 0 && x->place.fd >= 0) {
		h->is_same_file_system = is_same_file_system(x, &h->identity, st.st_dev);
		h->shares_disk = h->is_same_file_system ||
			identity_shares_disk(&h->identity, &x->e->identity);
	}
	fd_close(fd);
}
