/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the processes for daemons, and their command lines for two options. */
#include "cli/daemon_state.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "config/config.h"

#define NAME "repoprobed"
#define WORDS_MAX 131072
#define PATH_BYTES_MAX 4096

/* --- One daemon ------------------------------------------------------------ */

static const char *next_word(const char *word, const char *end)
{
	const char *next = word + strnlen(word, (size_t)(end - word)) + 1;

	return next < end ? next : NULL;
}

/* The option's value if the word is that option, else NULL; the value may be the next word. */
static const char *option_value(const char *word, const char *end, const char *option)
{
	size_t len = strlen(option);

	if (strncmp(word, option, len) != 0)
		return NULL;
	if (word[len] == '=')
		return word + len + 1;
	return word[len] == '\0' ? next_word(word, end) : NULL;
}

static void add_absolute(struct buf *b, const char *directory, const char *path)
{
	if (path[0] != '/')
		buf_printf(b, "%s/", directory);
	buf_add_text(b, path);
}

/* Compares device and inode, or the paths if either file is missing. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat first;
	struct stat second;

	if (stat(a, &first) < 0 || stat(b, &second) < 0)
		return strcmp(a, b) == 0;
	return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool reads_config(const char *directory, const char *given, const char *config_path)
{
	struct buf path = BUF_INIT(PATH_BYTES_MAX);

	add_absolute(&path, directory, given ? given : config_default_path());
	bool is_same = path.error == 0 && is_same_file(buf_text(&path), config_path);
	buf_done(&path);
	return is_same;
}

int daemon_state_of(const char *words, size_t len, const char *directory, const char *config_path,
	struct buf *ret)
{
	const char *end = words + len;
	const char *config = NULL;
	const char *state = NULL;

	if (len == 0 || end[-1] != '\0')
		return -ENOENT;
	const char *slash = strrchr(words, '/');
	if (strcmp(slash ? slash + 1 : words, NAME) != 0)
		return -ENOENT;
	for (const char *word = next_word(words, end); word; word = next_word(word, end)) {
		const char *config_value = option_value(word, end, "--config");
		const char *state_value = option_value(word, end, "--state-directory");
		config = config_value ? config_value : config;
		state = state_value ? state_value : state;
	}
	if (!state || state[0] == '\0' || !reads_config(directory, config, config_path))
		return -ENOENT;
	add_absolute(ret, directory, state);
	return ret->error;
}

/* --- All processes --------------------------------------------------------- */

static int read_directory(const char *pid, char *ret, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%.20s/cwd", pid);
	ssize_t len = readlink(path, ret, size - 1);
	if (len < 0)
		return -errno;
	ret[len] = '\0';
	return 0;
}

/* A process that ends while it is read is ignored. */
static int find_in(const char *pid, const char *config_path, uid_t uid, struct buf *ret)
{
	char path[64];
	char directory[PATH_BYTES_MAX] = "/";
	struct stat st;
	struct buf words = BUF_INIT(WORDS_MAX);

	(void)snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	int r = stat(path, &st) < 0 || (st.st_uid != 0 && st.st_uid != uid) ? -ENOENT : 0;
	if (r == 0)
		r = fd_read_file(path, &words);
	if (r == 0)
		r = read_directory(pid, directory, sizeof(directory));
	if (r == 0)
		r = daemon_state_of(buf_text(&words), words.len, directory, config_path, ret);
	buf_done(&words);
	return r == -ENOMEM ? r : (r < 0 ? -ENOENT : 0);
}

static bool is_pid(const char *name)
{
	return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

static int find_among(DIR *processes, const char *config_path, uid_t uid, struct buf *ret)
{
	struct buf found = BUF_INIT(PATH_BYTES_MAX);
	int r = -ENOENT;

	for (const struct dirent *e = readdir(processes); e; e = readdir(processes)) {
		buf_clear(&found);
		if (!is_pid(e->d_name) || find_in(e->d_name, config_path, uid, &found) < 0)
			continue;
		if (r == 0 && strcmp(buf_text(ret), buf_text(&found)) != 0) {
			buf_clear(ret);
			r = -ENOENT;
			break;
		}
		buf_clear(ret);
		buf_add_text(ret, buf_text(&found));
		r = ret->error;
	}
	buf_done(&found);
	return r;
}

int daemon_state_find(const char *config_path, uid_t uid, struct buf *ret)
{
	char absolute[PATH_BYTES_MAX];
	DIR *processes = opendir("/proc");

	if (!processes)
		return -errno;
	const char *path = config_path ? config_path : config_default_path();
	if (path[0] != '/' && getcwd(absolute, sizeof(absolute))) {
		size_t len = strlen(absolute);
		(void)snprintf(absolute + len, sizeof(absolute) - len, "/%s", path);
		path = absolute;
	}
	int r = find_among(processes, path, uid, ret);
	(void)closedir(processes);
	return r;
}
