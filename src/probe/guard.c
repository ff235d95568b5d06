/* SPDX-License-Identifier: Apache-2.0 */
/* The rules as a table of pure functions. The calls that they guard are in guard_call.c. */
#include "probe/guard.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "model/run.h"
#include "probe/fault.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SENTENCE_MAX 512 /* finally cut to RUN_REASON_MAX */
#define NAME_SHOWN 60 /* bytes of a mount's source in a sentence */

/* --- The place ---------------------------------------------------------- */

static bool is_within(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool is_kernel_directory(const struct guard_facts *f)
{
	static const char *const directories[] = { "/dev", "/proc", "/sys" };

	for (size_t i = 0; i < COUNT(directories); i++)
		if (is_within(f->real_path, directories[i]))
			return true;
	return false;
}

/* File systems of the kernel, wherever they are mounted. */
static bool is_kernel_file_system(const struct guard_facts *f)
{
	static const unsigned long types[] = {
		PROC_SUPER_MAGIC,
		SYSFS_MAGIC,
		CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC,
		DEVPTS_SUPER_MAGIC,
		SECURITYFS_MAGIC,
		SELINUX_MAGIC,
		DEBUGFS_MAGIC,
		TRACEFS_MAGIC,
		BPF_FS_MAGIC,
		PSTOREFS_MAGIC,
		EFIVARFS_MAGIC,
		HUGETLBFS_MAGIC,
		BINFMTFS_MAGIC,
		NSFS_MAGIC,
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (f->fs_magic == types[i])
			return true;
	return strcmp(f->identity->fs_type, "devtmpfs") == 0; /* its type number is that of tmpfs */
}

/* --- The mount ---------------------------------------------------------- */

static bool is_not_mounted(const struct guard_facts *f)
{
	return f->expected->requires_mount && !f->identity->is_mount;
}

static bool is_mount_lost(const struct guard_facts *f)
{
	return identity_compare(f->identity, &f->expected->seen) != IDENTITY_SAME &&
		identity_lost_mount(f->identity, &f->expected->seen);
}

static void say_mount_lost(const struct guard_facts *f, struct buf *b)
{
	buf_printf(b, "has changed: %.*s is not mounted: nothing was written", NAME_SHOWN,
		f->expected->seen.mount_point);
}

static bool is_other_type(const struct guard_facts *f)
{
	return f->expected->fs_type[0] != '\0' &&
		!identity_type_matches(f->identity->fs_type, f->expected->fs_type);
}

static void say_other_type(const struct guard_facts *f, struct buf *b)
{
	buf_printf(b,
		"is the wrong target: a file system of type %s, expected %s: nothing was "
		"written",
		f->identity->fs_type[0] ? f->identity->fs_type : "unknown", f->expected->fs_type);
}

static bool is_other_source(const struct guard_facts *f)
{
	static const char uuid[] = "UUID=";
	const char *expected = f->expected->source;

	if (expected[0] == '\0' || f->is_expected_source)
		return false;
	if (strncmp(expected, uuid, sizeof(uuid) - 1) == 0)
		return strcasecmp(expected + sizeof(uuid) - 1, f->identity->fs_uuid) != 0;
	return strcmp(expected, f->identity->source) != 0;
}

static void say_other_source(const struct guard_facts *f, struct buf *b)
{
	const char *source = f->identity->source;

	buf_printf(b, "is the wrong target: %.*s is mounted, expected %.*s: nothing was written",
		NAME_SHOWN, source[0] ? source : "something unknown", NAME_SHOWN,
		f->expected->source);
}

static bool is_other_identity(const struct guard_facts *f)
{
	return identity_compare(f->identity, &f->expected->seen) != IDENTITY_SAME;
}

static void say_other_identity(const struct guard_facts *f, struct buf *b)
{
	const struct identity_seen *seen = &f->expected->seen;
	const char *now = f->identity->fs_uuid;
	const char *then = seen->fs_uuid;
	const char *what = "UUID ";

	switch (identity_compare(f->identity, seen)) {
	case IDENTITY_OTHER_TYPE:
		now = f->identity->fs_type;
		then = seen->fs_type;
		what = "type ";
		break;
	case IDENTITY_OTHER_SOURCE:
		now = f->identity->source;
		then = seen->source;
		what = "";
		break;
	case IDENTITY_SAME:
	case IDENTITY_OTHER_UUID:
		break;
	}
	buf_printf(b,
		"is the wrong target, not what was first seen there: %s%.*s, then %.*s: "
		"nothing was written",
		what, NAME_SHOWN, now, NAME_SHOWN, then);
}

/* --- The directory and its contents ------------------------------------- */

static bool is_no_directory(const struct guard_facts *f)
{
	return !S_ISDIR(f->directory.st_mode);
}

static bool is_other_file_system(const struct guard_facts *f)
{
	return f->directory.st_dev != f->place_device;
}

/* Backups would go into it, and CACHEDIR.TAG would lie beside them. */
static bool is_repository_itself(const struct guard_facts *f)
{
	return f->directory.st_dev == f->place_device && f->directory.st_ino == f->place_inode;
}

/* A directory that we made stays ours, whatever was put into it later. */
static bool is_of_others(const struct guard_facts *f)
{
	return f->foreign_name && !(f->is_named_ours && f->is_marked_ours);
}

static void say_of_others(const struct guard_facts *f, struct buf *b)
{
	buf_printf(b, "holds %.*s, which is not repoprobe's: nothing was written%s",
		(int)utf8_cut(f->foreign_name, NAME_SHOWN), f->foreign_name,
		f->is_marked_ours ? "; remove its CACHEDIR.TAG, for which backups skip it"
				  : ", for CACHEDIR.TAG makes backups skip a directory");
}

static bool is_link(const struct guard_facts *f)
{
	return S_ISLNK(f->file.st_mode);
}

static bool is_not_regular(const struct guard_facts *f)
{
	return !S_ISREG(f->file.st_mode);
}

static bool has_other_names(const struct guard_facts *f)
{
	return f->file.st_nlink != 1;
}

/* On file systems that do not store owners (CIFS, FAT) our file has the owner of its directory. */
static bool is_of_another_user(const struct guard_facts *f)
{
	return f->file.st_uid != f->user && f->file.st_uid != f->directory.st_uid;
}

static bool is_immutable(const struct guard_facts *f)
{
	return f->is_immutable;
}

static bool is_in_use(const struct guard_facts *f)
{
	return f->lock_error == -EAGAIN || f->lock_error == -EACCES;
}

static bool is_of_newer_version(const struct guard_facts *f)
{
	return f->header_error == -EPROTO;
}

static bool is_foreign(const struct guard_facts *f)
{
	return f->header_error == -EBADMSG;
}

static bool is_another_file(const struct guard_facts *f)
{
	return f->file.st_ino != f->known.st_ino || f->file.st_dev != f->known.st_dev;
}

static bool has_another_uuid(const struct guard_facts *f)
{
	return memcmp(f->header.uuid, f->known_header.uuid, sizeof(f->header.uuid)) != 0;
}

/* --- Space -------------------------------------------------------------- */

static bool lacks_space(const struct guard_facts *f)
{
	const struct guard_space *s = &f->space;

	if (s->size_bytes == 0)
		return false;
	return s->free_bytes < s->more_bytes || s->free_bytes - s->more_bytes < s->floor_bytes;
}

static bool lacks_inodes(const struct guard_facts *f)
{
	return f->space.inodes > 0 && f->space.free_inodes < f->space.more_inodes;
}

static void say_space(const struct guard_facts *f, struct buf *b)
{
	const struct guard_space *s = &f->space;

	buf_add_text(b, "does not have enough space: ");
	format_size_rounded(b, s->free_bytes);
	buf_add_text(b, " of ");
	format_size_rounded(b, s->size_bytes);
	buf_add_text(b, " free");
	if (s->more_bytes > 0) {
		buf_add_text(b, ", the probe file needs ");
		format_size_rounded(b, s->more_bytes);
		buf_add_text(b, " more");
	}
	buf_add_text(b, " and ");
	format_size_rounded(b, s->floor_bytes);
	buf_add_text(b, " must stay free");
}

static void say_inodes(const struct guard_facts *f, struct buf *b)
{
	buf_printf(b, "has too few inodes left: %llu, needed %llu: nothing was created",
		(unsigned long long)f->space.free_inodes, (unsigned long long)f->space.more_inodes);
}

/* --- The list ----------------------------------------------------------- */

static const struct guard_rule rules[] = {
	{
		.name = "kernel-path",
		.stage = GUARD_AT_PLACE,
		.is_broken = is_kernel_directory,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is an unsafe path: /dev, /proc and /sys hold no repository",
	},
	{
		.name = "kernel-file-system",
		.stage = GUARD_AT_PLACE,
		.is_broken = is_kernel_file_system,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is an unsafe path: the kernel's own file systems hold no repository",
	},
	{
		.name = "mounted",
		.stage = GUARD_AT_MOUNT,
		.is_broken = is_not_mounted,
		.status = RUN_NOT_MOUNTED,
		.error_number = ENODEV,
		.text = "is not mounted: nothing was written",
	},
	{
		.name = "mount-lost",
		.stage = GUARD_AT_MOUNT,
		.is_broken = is_mount_lost,
		.status = RUN_NOT_MOUNTED,
		.error_number = ENODEV,
		.say = say_mount_lost,
	},
	{
		.name = "expected-type",
		.stage = GUARD_AT_MOUNT,
		.is_broken = is_other_type,
		.status = RUN_WRONG_TARGET,
		.error_number = ENXIO,
		.say = say_other_type,
	},
	{
		.name = "expected-source",
		.stage = GUARD_AT_MOUNT,
		.is_broken = is_other_source,
		.status = RUN_WRONG_TARGET,
		.error_number = ENXIO,
		.say = say_other_source,
	},
	{
		.name = "identity",
		.stage = GUARD_AT_MOUNT,
		.is_broken = is_other_identity,
		.status = RUN_WRONG_TARGET,
		.error_number = ENXIO,
		.say = say_other_identity,
	},
	{
		.name = "directory",
		.stage = GUARD_AT_DIRECTORY,
		.is_broken = is_no_directory,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is not a directory, and was left as it is",
	},
	{
		.name = "same-file-system",
		.stage = GUARD_AT_DIRECTORY,
		.is_broken = is_other_file_system,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is on another file system than the repository",
	},
	{
		.name = "not-the-repository",
		.stage = GUARD_AT_DIRECTORY,
		.is_broken = is_repository_itself,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is the repository itself: nothing was written, for CACHEDIR.TAG makes backups "
			"skip a directory",
	},
	{
		.name = "only-our-files",
		.stage = GUARD_AT_HOLDINGS,
		.is_broken = is_of_others,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.say = say_of_others,
	},
	{
		.name = "link",
		.stage = GUARD_AT_FILE,
		.is_broken = is_link,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is a symbolic link, and was left as it is",
	},
	{
		.name = "regular",
		.stage = GUARD_AT_FILE,
		.is_broken = is_not_regular,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is not a regular file, and was left as it is",
	},
	{
		.name = "one-name",
		.stage = GUARD_AT_FILE,
		.is_broken = has_other_names,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "has other names (hard links), and was left as it is",
	},
	{
		.name = "owner",
		.stage = GUARD_AT_FILE,
		.is_broken = is_of_another_user,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "belongs to another user, and was left as it is",
	},
	{
		.name = "immutable",
		.stage = GUARD_AT_FILE,
		.is_broken = is_immutable,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is immutable (chattr +i, +a), and was left as it is",
	},
	{
		.name = "lock",
		.stage = GUARD_AT_LOCK,
		.is_broken = is_in_use,
		.status = RUN_SKIPPED,
		.error_number = EBUSY,
		.text = "is in use by another run",
	},
	{
		.name = "version",
		.stage = GUARD_AT_CONTENT,
		.is_broken = is_of_newer_version,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "was made by a newer version of repoprobe, and was left as it is",
	},
	{
		.name = "magic",
		.stage = GUARD_AT_CONTENT,
		.is_broken = is_foreign,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "is not a probe file of repoprobe's, and was left as it is",
	},
	{
		.name = "same-file",
		.stage = GUARD_AT_REOPEN,
		.is_broken = is_another_file,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "was replaced while it was in use, and was left as it is",
	},
	{
		.name = "same-uuid",
		.stage = GUARD_AT_REOPEN,
		.is_broken = has_another_uuid,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "became another probe file while it was in use, and was left as it is",
	},
	{
		.name = "free-bytes",
		.stage = GUARD_AT_SPACE,
		.is_broken = lacks_space,
		.status = RUN_NO_SPACE,
		.error_number = ENOSPC,
		.say = say_space,
	},
	{
		.name = "free-inodes",
		.stage = GUARD_AT_SPACE,
		.is_broken = lacks_inodes,
		.status = RUN_NO_SPACE,
		.error_number = ENOSPC,
		.say = say_inodes,
	},
	{
		.name = "beneath",
		.stage = GUARD_AT_CALL,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "leads out of the probe directory",
	},
	{
		.name = "only-new",
		.stage = GUARD_AT_CALL,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "exists already, and was left as it is",
	},
	{
		.name = "only-shorter",
		.stage = GUARD_AT_CALL,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "would be extended without data",
	},
	{
		.name = "only-ours",
		.stage = GUARD_AT_CALL,
		.status = RUN_REFUSED,
		.error_number = EPERM,
		.text = "was replaced, and was not removed",
	},
};

const struct guard_rule *guard_rule_at(size_t i)
{
	return i < COUNT(rules) ? &rules[i] : NULL;
}

const struct guard_rule *guard_find_broken(enum guard_stage stage, const struct guard_facts *facts)
{
	for (size_t i = 0; i < COUNT(rules); i++)
		if (rules[i].stage == stage && rules[i].is_broken && rules[i].is_broken(facts))
			return &rules[i];
	return NULL;
}

int guard_refuse(const struct guard_rule *rule, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run)
{
	struct buf b = BUF_INIT(SENTENCE_MAX);

	if (name)
		buf_printf(&b, "%s in ", name);
	buf_printf(&b, "%.*s ", fault_path_len(path), path);
	if (rule->say)
		rule->say(facts, &b);
	else
		buf_add_text(&b, rule->text);
	run_fail(run, rule->status, rule->status == RUN_SKIPPED ? 0 : rule->error_number, "%s",
		buf_text(&b));
	if (rule->stage == GUARD_AT_LOCK)
		run->skip = RUN_SKIP_IN_USE;
	buf_done(&b);
	return -rule->error_number;
}

int guard_check(enum guard_stage stage, const struct guard_facts *facts, const char *path,
	const char *name, struct run *run)
{
	const struct guard_rule *rule = guard_find_broken(stage, facts);

	return rule ? guard_refuse(rule, facts, path, name, run) : 0;
}
