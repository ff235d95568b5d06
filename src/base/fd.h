/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors and small files. Every descriptor opened here is close-on-exec. */
#ifndef REPOPROBE_BASE_FD_H
#define REPOPROBE_BASE_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct error;

/* Closes unless negative, keeps errno, returns -1: fd = fd_close(fd); */
int fd_close(int fd);

/* Reads a whole regular file (or /dev/null) of at most the buffer's max. Does not wait for the
 * writer of a FIFO or for a device: -EISDIR for a directory, -ENXIO for other kinds. 0 or -errno.
 */
int fd_read_file(const char *path, struct buf *b);

/* The same, with a sentence that does not name the path: "it is a FIFO, not a regular file". */
int fd_read_file_or_say(const char *path, struct buf *b, struct error *reterr);

/* 0 if the name is a regular file or does not exist; otherwise as fd_read_file_or_say. */
int fd_check_file(const char *path, struct error *reterr);

/* Writes all bytes. Returns 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Replaces PATH by a new file atomically (write to a temporary name beside it, fsync, rename). */
int fd_replace_file(const char *path, mode_t mode, const void *data, size_t len);

/* Makes a directory and its missing parents. 0 also when it exists. */
int fd_make_directories(const char *path, mode_t mode);

/* Sets the group of an open file. Also 0 when there is no such group, or when we may not set it. */
int fd_set_group(int fd, const char *group);

#endif
