/* SPDX-License-Identifier: Apache-2.0 */
/* Finds repositories at impossible places: by the configuration's text and the mount table, without
 * access to a repository. The daemon does not require this check, because its workers refuse these
 * repositories individually and the others are probed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "config/config.h"
#include "config/issues.h"
#include "config/resolve.h"

#define SHOWN 80 /* bytes of a path in a message */

static bool is_within(const char *path, const char *directory)
{
	size_t len = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The same as the rules of a run. */
static const char *find_kernel_directory(const char *path)
{
	static const char *const directories[] = { "/dev", "/proc", "/sys" };

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (is_within(path, directories[i]))
			return directories[i];
	return NULL;
}

static bool is_kernel_type(const char *fs_type)
{
	static const char *const types[] = { "proc", "sysfs", "devtmpfs", "devpts", "cgroup",
		"cgroup2", "securityfs", "selinuxfs", "debugfs", "tracefs", "bpf", "pstore",
		"efivarfs", "hugetlbfs", "binfmt_misc", "nsfs", "mqueue", "configfs", "fusectl" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(fs_type, types[i]) == 0)
			return true;
	return false;
}

static void check_path(const struct config_repository *repository, const char *mountinfo,
	const struct issue_place *place, struct issues *issues)
{
	const char *directory = find_kernel_directory(repository->path);
	struct identity identity = { .fs_type = "" };

	if (directory && strcmp(directory, "/dev") == 0 && strcmp(repository->path, "/dev") != 0)
		issues_add(issues, place,
			"path: %.*s is a device or a directory of devices, which cannot be a repository; "
			"expected the directory on which its file system is mounted",
			SHOWN, repository->path);
	else if (directory)
		issues_add(issues, place,
			"path: %.*s is the kernel's own: /dev, /proc and /sys hold no repository; "
			"expected the directory that backups are written to",
			SHOWN, repository->path);
	else if (identity_guess(mountinfo, repository->path, &identity) == 0 &&
		is_kernel_type(identity.fs_type))
		issues_add(issues, place,
			"path: %.*s lies on a file system of the kernel's own (%s), which holds no "
			"repository; expected the directory that backups are written to",
			SHOWN, repository->path, identity.fs_type);
}

/* Above the repository it would contain the repository. */
static void check_directory(const struct config_repository *repository,
	const struct issue_place *place, struct issues *issues)
{
	const char *directory = repository->probe_directory;

	if (directory[0] != '\0' && is_within(repository->path, directory))
		issues_add(issues, place,
			"probe_directory: %.*s %s, and CACHEDIR.TAG in it would make backups skip "
			"that; expected a directory of its own, such as %.*s/.repoprobe",
			SHOWN, directory,
			strcmp(directory, repository->path) == 0 ? "is the repository itself"
								 : "holds the repository",
			SHOWN, repository->path);
}

int config_check_places(const struct config *config, const char *mountinfo,
	const char *const *found, struct config_errors *errors)
{
	struct issues *issues = calloc(1, sizeof(*issues));

	*errors = (struct config_errors){ 0 };
	if (!issues)
		return -ENOMEM;
	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];
		const struct source_repository *own = source_repository_at(config->source, i);
		const struct source_value *directory = resolve_inherit(
			&own->probe_directory, &config->source->defaults.probe_directory);

		check_path(repository, mountinfo, &own->path.place, issues);
		check_directory(repository, &directory->place, issues);
		if (found && found[i])
			issues_add(issues, &directory->place, "probe_directory: %s", found[i]);
	}
	int r = issues_finish(issues, errors);
	free(issues);
	return r;
}
