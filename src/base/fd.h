/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors and small files. Every descriptor made here is close-on-exec. */
#ifndef REPOPROBE_BASE_FD_H
#define REPOPROBE_BASE_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

/* Closes unless negative, keeps errno, returns -1: fd = fd_close(fd); */
int fd_close(int fd);

/* Reads a whole file of at most the buffer's max. Returns 0 or -errno. */
int fd_read_file(const char *path, struct buf *b);

/* Writes all bytes. Returns 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Replaces PATH by a new file in one step (write to a temporary name beside it, fsync, rename). */
int fd_replace_file(const char *path, mode_t mode, const void *data, size_t len);

/* Makes a directory and its missing parents. 0 also when it exists. */
int fd_make_directories(const char *path, mode_t mode);

/* Gives what is open to a group. 0 also when there is no such group, or when it is not ours to
 * give. */
int fd_set_group(int fd, const char *group);

#endif
