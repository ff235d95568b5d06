/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the database: for the one writer, under a lock that ends with its process, and for readers.
 */
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/error.h"
#include "base/fd.h"
#include "store/backup.h"
#include "store/schema.h"
#include "store/sql.h"

#define FILE_MODE 0640
#define GROUP_NAME "repoprobe"
#define OPEN_BUSY_MSEC 2000 /* another program may be at it just now; then it is tried again */
#define READ_BUSY_MSEC 2000
#define BESIDE_BUSY_MSEC 10000
#define MIB (UINT64_C(1) << 20)
#define ROOM_BYTES (4 * MIB)

static int open_beside(const char *path, const char *suffix, int flags)
{
	struct buf name = BUF_INIT(PATH_MAX);

	buf_add_text(&name, path);
	buf_add_text(&name, suffix);
	int fd = name.error < 0 ? name.error : open(buf_text(&name), flags | O_CLOEXEC, FILE_MODE);
	if (fd < 0 && name.error == 0)
		fd = -errno;
	buf_done(&name);
	return fd;
}

int database_lock(const char *path, int *ret_fd, struct error *reterr)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open_beside(path, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW);

	if (fd < 0)
		return error_set(reterr, fd, "%s.lock: %s", path, errno_text(-fd));
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		int r = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
		fd_close(fd);
		if (r == -EBUSY)
			return error_set(reterr, r, "another repoprobed is using %s", path);
		return error_set(reterr, r, "%s.lock: %s", path, errno_text(-r));
	}
	*ret_fd = fd;
	return 0;
}

/* SQLite would create it with the umask's mode; its log and index take over the file's, and, where
 * root makes them, its group. */
static int create_file(const char *path, mode_t mode, struct error *reterr)
{
	int fd = open_beside(path, "", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
	int r = 0;

	if (fd < 0)
		return error_set(reterr, fd, "%s: %s", path, errno_text(-fd));
	if (fchmod(fd, mode) < 0)
		r = -errno;
	if (r == 0 && mode == FILE_MODE)
		r = fd_set_group(fd, GROUP_NAME);
	fd_close(fd);
	return r < 0 ? error_set(reterr, r, "%s: %s", path, errno_text(-r)) : 0;
}

/* SQLite would wait in open for the writer of a FIFO that has the name of its journal. */
static int check_files(const char *path, struct error *reterr)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct buf name = BUF_INIT(PATH_MAX);

		buf_printf(&name, "%s%s", path, suffixes[i]);
		r = name.error < 0 ? error_set(reterr, name.error, "%s", errno_text(-name.error))
				   : fd_check_file(buf_text(&name), reterr);
		if (r < 0)
			(void)error_prefix(reterr, r, "%s%s", path, suffixes[i]); /* r goes up */
		buf_done(&name);
	}
	return r;
}

static int open_connection(const char *path, int flags, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;
	int r = check_files(path, reterr);

	if (r < 0)
		return r;
	int code = sqlite3_open_v2(
		path, &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (code != SQLITE_OK) {
		int number = db && code == SQLITE_CANTOPEN ? sqlite3_system_errno(db) : 0;
		(void)sqlite3_close(db); /* nothing was opened */
		if (number > 0)
			return error_set(reterr, -number, "%s: %s", path, errno_text(number));
		return error_set(reterr, sql_errno(code), "%s: %s", path, sqlite3_errstr(code));
	}
	/* Typing errors in SQL shall not become strings; the file's own content shall not run code.
	 */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	*ret = db;
	return 0;
}

/* The log stays when the last connection closes, so that a reader who may not write finds it. */
static int keep_log(struct sqlite3 *db, struct error *reterr)
{
	int is_kept = 1;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &is_kept) != SQLITE_OK)
		return error_set(reterr, -EOPNOTSUPP, "the write-ahead log cannot be kept");
	return 0;
}

static int enter_wal_mode(struct sqlite3 *db, struct error *reterr)
{
	struct sql s = { 0 };
	char mode[16] = "";

	int r = sql_prepare(db, "PRAGMA journal_mode = WAL", &s, reterr);
	if (r < 0)
		return r;
	r = sql_step(&s, reterr);
	if (r > 0)
		sql_text(&s, mode, sizeof(mode));
	sql_done(&s);
	if (r < 0)
		return r;
	if (sqlite3_stricmp(mode, "wal") != 0)
		return error_set(reterr, -EOPNOTSUPP,
			"this file system cannot hold a database with a write-ahead log");
	return 0;
}

static int configure_writer(struct sqlite3 *db, int version, struct error *reterr)
{
	/* A new file only: later it would take a VACUUM, which blocks for minutes. */
	static const char first[] = "PRAGMA auto_vacuum = INCREMENTAL";
	static const char each[] = "PRAGMA synchronous = FULL;"
				   "PRAGMA foreign_keys = ON;"
				   "PRAGMA temp_store = MEMORY;"
				   "PRAGMA journal_size_limit = 4194304";
	int r = version == 0 ? sql_execute(db, first, reterr) : 0;

	if (r == 0)
		r = enter_wal_mode(db, reterr);
	if (r == 0)
		r = sql_execute(db, each, reterr);
	return r;
}

/* The copy, and as much again for what the migration writes. */
static int check_room(const char *path, int version, struct error *reterr)
{
	struct statvfs fs;
	uint64_t needed = 2 * database_bytes(path) + ROOM_BYTES;

	if (statvfs(path, &fs) < 0)
		return error_set(reterr, -errno, "%s", errno_text(errno));
	/* A file system may say more than fits. */
	unsigned __int128 free_space = (unsigned __int128)fs.f_bavail * fs.f_frsize;
	uint64_t free_bytes = free_space > UINT64_MAX ? UINT64_MAX : (uint64_t)free_space;
	if (free_bytes >= needed)
		return 0;
	return error_set(reterr, -ENOSPC,
		"to bring it from schema %d to %d takes %" PRIu64
		" MiB of free space, and there are %" PRIu64,
		version, schema_migrations.newest, needed / MIB, free_bytes / MIB);
}

/* Until it has its name it is no copy. */
static int keep_copy(struct sqlite3 *db, const char *path, int version, struct error *reterr)
{
	struct buf name = BUF_INIT(PATH_MAX);
	struct buf part = BUF_INIT(PATH_MAX);

	buf_printf(&name, "%s.schema-%d", path, version);
	buf_printf(&part, "%s.part", buf_text(&name));
	int r = name.error < 0 ? name.error : part.error;
	if (r == 0) {
		(void)unlink(buf_text(&part)); /* of a start that was cut short, if at all */
		r = backup_copy(db, buf_text(&part), FILE_MODE, NULL, reterr);
	}
	if (r == 0 && rename(buf_text(&part), buf_text(&name)) < 0)
		r = error_set(reterr, -errno, "%s: %s", buf_text(&name), errno_text(errno));
	if (r < 0)
		(void)unlink(buf_text(&part)); /* likewise */
	buf_done(&name);
	buf_done(&part);
	return r;
}

static int migrate(struct sqlite3 *db, const char *path, int version, struct error *reterr)
{
	int r = 0;

	if (version == schema_migrations.newest)
		return 0;
	if (version > 0)
		r = check_room(path, version, reterr);
	if (r == 0 && version > 0)
		r = keep_copy(db, path, version, reterr);
	return r < 0 ? r : schema_migrate(db, version, schema_migrations.newest, reterr);
}

static int set_up_writer(struct sqlite3 *db, const char *path, struct error *reterr)
{
	int version;

	/* Until we know that it is ours: not even the checkpoint that a close makes. */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	(void)sqlite3_busy_timeout(db, OPEN_BUSY_MSEC); /* cannot fail */
	int r = keep_log(db, reterr);
	if (r == 0)
		r = schema_identify(db, &version, reterr);
	if (r == 0)
		r = configure_writer(db, version, reterr);
	if (r == 0)
		r = migrate(db, path, version, reterr);
	if (r < 0)
		return r;
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	(void)sqlite3_busy_timeout(db, 0); /* the writer waits in its own way */
	return 0;
}

int database_open(const char *path, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;

	int r = create_file(path, FILE_MODE, reterr);
	if (r == 0 || r == -EEXIST)
		r = open_connection(path, SQLITE_OPEN_READWRITE, &db, reterr);
	if (r < 0)
		return r;
	r = set_up_writer(db, path, reterr);
	if (r < 0) {
		(void)error_prefix(reterr, r, "%s", path); /* r goes up */
		(void)database_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

struct sqlite3 *database_close(struct sqlite3 *db)
{
	(void)sqlite3_close(db); /* statements are finalized, so it closes */
	return NULL;
}

int database_create(const char *path, unsigned mode, struct sqlite3 **ret, struct error *reterr)
{
	int r = create_file(path, mode, reterr);

	if (r == -EEXIST)
		return error_set(reterr, r, "%s exists already and is not overwritten", path);
	if (r == 0)
		r = open_connection(path, SQLITE_OPEN_READWRITE, ret, reterr);
	return r;
}

int database_open_beside(const char *path, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;
	int version = 0;

	int r = open_connection(path, SQLITE_OPEN_READWRITE, &db, reterr);
	if (r < 0)
		return r;
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	(void)sqlite3_busy_timeout(db, BESIDE_BUSY_MSEC); /* cannot fail */
	r = keep_log(db, reterr);
	if (r == 0)
		r = schema_identify(db, &version, reterr);
	if (r == 0 && version != schema_migrations.newest)
		r = error_set(
			reterr, -EPROTO, "it is of an older version, which repoprobed converts");
	if (r < 0) {
		(void)error_prefix(reterr, r, "%s", path); /* r goes up */
		(void)database_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

static int set_up_reader(struct sqlite3 *db, bool takes_older, struct error *reterr)
{
	int version;

	(void)sqlite3_busy_timeout(db, READ_BUSY_MSEC); /* cannot fail */
	int r = schema_identify(db, &version, reterr);
	if (r < 0)
		return r;
	if (version == 0)
		return error_set(reterr, -ENOENT, "there is no history yet");
	if (version < schema_migrations.newest && !takes_older)
		return error_set(reterr, -EPROTO,
			"it was made by an older repoprobe (schema %d, this version knows %d), and "
			"repoprobed converts it when it starts",
			version, schema_migrations.newest);
	return sql_execute(db, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY", reterr);
}

static int open_to_read(
	const char *path, bool takes_older, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;

	int r = open_connection(path, SQLITE_OPEN_READONLY, &db, reterr);
	if (r == -ENOENT)
		return error_set(reterr, r, "%s: there is no history yet", path);
	if (r < 0)
		return r;
	r = set_up_reader(db, takes_older, reterr);
	if (r < 0) {
		(void)error_prefix(reterr, r, "%s", path); /* r goes up */
		(void)sqlite3_close(db); /* it has no statements */
		return r;
	}
	*ret = db;
	return 0;
}

/* What a newer version made is not for us; beside it may stand what we recorded since. */
int database_open_to_read(
	const char *path, bool takes_older, struct sqlite3 **ret, struct error *reterr)
{
	struct buf older = BUF_INIT(PATH_MAX);

	int r = open_to_read(path, takes_older, ret, reterr);
	if (r != -EPROTO)
		return r;
	database_add_older_path(path, &older);
	if (older.error == 0 && access(buf_text(&older), F_OK) == 0)
		r = open_to_read(buf_text(&older), takes_older, ret, reterr);
	buf_done(&older);
	return r;
}

void database_add_older_path(const char *path, struct buf *b)
{
	size_t len = strlen(path);

	if (len > 3 && strcmp(path + len - 3, ".db") == 0)
		len -= 3;
	buf_add(b, path, len);
	buf_printf(b, "-%d.db", schema_migrations.newest);
}

static void add_time(struct buf *b, int64_t usec)
{
	int64_t seconds = usec / (int64_t)USEC_PER_SEC;
	struct date date = date_from_days(date_days_of_seconds(seconds));
	int64_t of_day = seconds - date_days_of_seconds(seconds) * DATE_SECONDS_PER_DAY;

	buf_printf(b,
		"%04" PRId64 "%02" PRId64 "%02" PRId64 "T%02" PRId64 "%02" PRId64 "%02" PRId64 "Z",
		date.year, date.month, date.day, of_day / 3600, of_day / 60 % 60, of_day % 60);
}

void database_add_kept_name(const char *path, const char *kind, int64_t now_usec, struct buf *b)
{
	buf_printf(b, "%s.%s-", path, kind);
	add_time(b, now_usec);
}

static int rename_part(const char *from, const char *to, const char *suffix, struct error *reterr)
{
	struct buf old_name = BUF_INIT(PATH_MAX);
	struct buf new_name = BUF_INIT(PATH_MAX);

	buf_printf(&old_name, "%s%s", from, suffix);
	buf_printf(&new_name, "%s%s", to, suffix);
	int r = old_name.error < 0 ? old_name.error : new_name.error;
	if (r == 0 &&
		renameat2(AT_FDCWD, buf_text(&old_name), AT_FDCWD, buf_text(&new_name),
			RENAME_NOREPLACE) < 0)
		r = errno == ENOENT && suffix[0] != '\0' ? 0 : -errno;
	if (r < 0)
		(void)error_set(reterr, r, "%s cannot be kept as %s%s: %s", from, to, suffix,
			errno_text(-r)); /* r goes up */
	buf_done(&old_name);
	buf_done(&new_name);
	return r;
}

int database_set_aside(
	const char *path, const char *kind, int64_t now_usec, struct buf *b, struct error *reterr)
{
	/* The file last: until then the next start finds it and moves it aside again. */
	static const char *const suffixes[] = { "-wal", "-shm", "" };
	struct buf name = BUF_INIT(PATH_MAX);
	int r = 0;

	database_add_kept_name(path, kind, now_usec, &name);
	if (name.error < 0)
		r = name.error;
	for (size_t i = 0; r == 0 && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		r = rename_part(path, buf_text(&name), suffixes[i], reterr);
	if (r == 0)
		buf_add_text(b, buf_text(&name));
	buf_done(&name);
	return r;
}

static uint64_t file_bytes(const char *path, const char *suffix)
{
	struct buf name = BUF_INIT(PATH_MAX);
	struct stat st;
	uint64_t bytes = 0;

	buf_add_text(&name, path);
	buf_add_text(&name, suffix);
	if (name.error == 0 && stat(buf_text(&name), &st) == 0)
		bytes = (uint64_t)st.st_size;
	buf_done(&name);
	return bytes;
}

uint64_t database_log_bytes(const char *path)
{
	return file_bytes(path, "-wal");
}

uint64_t database_bytes(const char *path)
{
	return file_bytes(path, "") + database_log_bytes(path);
}
