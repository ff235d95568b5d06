/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the database: for the one writer, under a lock that ends with its process, and for readers.
 */
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "store/schema.h"
#include "store/sql.h"

#define FILE_MODE 0640
#define OPEN_BUSY_MSEC 5000 /* another program may be taking a backup just now */
#define READ_BUSY_MSEC 2000

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

/* A lock of the open file description: it goes with its holder, however that ends. */
static int take_lock(const char *path, int *ret_fd, struct error *reterr)
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

/* SQLite would create it with the umask's mode; its log and index take over the file's. */
static int create_file(const char *path, struct error *reterr)
{
	int fd = open_beside(path, "", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
	int r = 0;

	if (fd == -EEXIST)
		return 0;
	if (fd < 0)
		return error_set(reterr, fd, "%s: %s", path, errno_text(-fd));
	if (fchmod(fd, FILE_MODE) < 0)
		r = error_set(reterr, -errno, "%s: %s", path, errno_text(errno));
	fd_close(fd);
	return r;
}

static int open_connection(const char *path, int flags, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;

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

static int set_up_writer(struct sqlite3 *db, struct error *reterr)
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
		r = schema_migrate(db, version, reterr);
	if (r < 0)
		return r;
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	(void)sqlite3_busy_timeout(db, 0); /* the writer waits in its own way */
	return 0;
}

int database_open(const char *path, struct database *ret, struct error *reterr)
{
	struct database database = { .lock_fd = -1 };

	int r = take_lock(path, &database.lock_fd, reterr);
	if (r < 0)
		return r;
	r = create_file(path, reterr);
	if (r == 0)
		r = open_connection(path, SQLITE_OPEN_READWRITE, &database.db, reterr);
	if (r < 0)
		goto fail;
	r = set_up_writer(database.db, reterr);
	if (r < 0) {
		(void)error_prefix(reterr, r, "%s", path); /* r goes up */
		goto fail;
	}
	*ret = database;
	return 0;
fail:
	database_close(&database);
	return r;
}

void database_close(struct database *database)
{
	(void)sqlite3_close(database->db); /* statements are finalized, so it closes */
	database->db = NULL;
	database->lock_fd = fd_close(database->lock_fd);
}

static int set_up_reader(struct sqlite3 *db, struct error *reterr)
{
	int version;

	(void)sqlite3_busy_timeout(db, READ_BUSY_MSEC); /* cannot fail */
	int r = schema_identify(db, &version, reterr);
	if (r < 0)
		return r;
	if (version == 0)
		return error_set(reterr, -ENOENT, "there is no history yet");
	return sql_execute(db, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY", reterr);
}

int database_open_to_read(const char *path, struct sqlite3 **ret, struct error *reterr)
{
	struct sqlite3 *db = NULL;

	int r = open_connection(path, SQLITE_OPEN_READONLY, &db, reterr);
	if (r == -ENOENT)
		return error_set(reterr, r, "%s: there is no history yet", path);
	if (r < 0)
		return r;
	r = set_up_reader(db, reterr);
	if (r < 0) {
		(void)error_prefix(reterr, r, "%s", path); /* r goes up */
		(void)sqlite3_close(db); /* it has no statements */
		return r;
	}
	*ret = db;
	return 0;
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

uint64_t database_bytes(const char *path)
{
	return file_bytes(path, "") + file_bytes(path, "-wal");
}
