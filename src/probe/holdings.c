/* SPDX-License-Identifier: Apache-2.0 */
/* Lists a directory and classifies its entries by content, or else by name. */
#include "probe/holdings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "probe/directory.h"
#include "probe/fresh.h"
#include "probe/guard.h"

#define HOST_DIGITS 16
#define SUFFIX ".dat"
#define RUN_PART "-run"

static bool skip_text(const char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

bool holding_is_our_name(const char *name)
{
	const char *at = name;
	size_t host_len = strspn(at, "0123456789abcdef");

	at += host_len;
	if (host_len != HOST_DIGITS || !skip_text(&at, "-"))
		return false;
	size_t user_len = strspn(at, "0123456789");
	at += user_len;
	(void)skip_text(&at, RUN_PART); /* optional */
	if (user_len == 0 || !skip_text(&at, SUFFIX))
		return false;
	(void)skip_text(&at, FRESH_SUFFIX); /* optional */
	return *at == '\0';
}

/* A file without a header was being created when its run was killed. A file of another user may not
 * be readable. */
static bool is_probe_file(int directory_fd, const char *name, const struct stat *st)
{
	struct header header;

	if (st->st_size == 0)
		return holding_is_our_name(name);
	int fd = guard_open_to_look(directory_fd, name);
	int r = fd < 0 ? fd : guard_read_header(fd, &header);
	fd_close(fd);
	if (r == 0 || r == -EPROTO)
		return true;
	return r != -EBADMSG && holding_is_our_name(name);
}

static int identify(int directory_fd, const char *name, struct holding *ret)
{
	int fd = guard_open(directory_fd, name, O_PATH);

	*ret = (struct holding){ .name = name, .kind = HOLDING_FOREIGN };
	int r = fd < 0 ? fd : (fstat(fd, &ret->st) < 0 ? -errno : 0);
	fd_close(fd);
	if (r < 0 || !S_ISREG(ret->st.st_mode))
		return r;
	if (strcmp(name, DIRECTORY_TAG_NAME) == 0)
		ret->kind = HOLDING_TAG;
	else if (is_probe_file(directory_fd, name, &ret->st))
		ret->kind = HOLDING_FILE;
	return 0;
}

static int list(DIR *stream, int directory_fd,
	int (*look)(void *data, const struct holding *holding), void *data)
{
	struct holding holding;
	int r = 0;

	while (r == 0) {
		errno = 0;
		const struct dirent *entry = readdir(stream);
		if (!entry)
			return -errno;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		r = identify(directory_fd, entry->d_name, &holding);
		if (r == 0)
			r = look(data, &holding);
		else if (r == -ENOENT)
			r = 0; /* removed meanwhile */
	}
	return r;
}

int holdings_list(
	int directory_fd, int (*look)(void *data, const struct holding *holding), void *data)
{
	int fd = guard_open(directory_fd, ".", O_RDONLY | O_DIRECTORY);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream) {
		int r = fd < 0 ? fd : -errno;
		fd_close(fd);
		return r;
	}
	int r = list(stream, directory_fd, look, data);
	(void)closedir(stream); /* was only read */
	return r;
}
