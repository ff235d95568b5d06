/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence that travels beside a negative errno, for when the number says too little. */
#ifndef REPOPROBE_BASE_ERROR_H
#define REPOPROBE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#define ERROR_TEXT_MAX 512

struct error {
	char text[ERROR_TEXT_MAX]; /* UTF-8, no line break at the end; "" while nothing failed */
};

/* Writes the sentence (cut at ERROR_TEXT_MAX) unless `e` is NULL, and returns `r` unchanged, so
 * that a failure is one statement: return error_set(reterr, -EINVAL, "…", …); */
int error_set(struct error *e, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "PREFIX: " before what the sentence already says. Returns `r`. */
int error_prefix(struct error *e, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* N of a sentence that begins with "column N: ", counted from 1; 0: it names none. */
size_t error_column(const char *sentence);

/* The symbolic name of a positive errno ("EIO"; also those of the kernel's own above 511 that file
 * systems let slip, "ENOTSUPP"), or "EUNKNOWN"; never NULL. */
const char *errno_name(int number);

/* Does a positive errno say that memory or descriptors ran out, which is nobody's fault and passes?
 */
bool errno_is_shortage(int number);

/* The C library's sentence for a positive errno, thread-safe; never NULL. */
const char *errno_text(int number);

/* What an errno of a file system means to whoever has to do something about it, and what that is:
 * "stale file handle: …; mount the file system anew". NULL: errno_text says enough. */
const char *errno_meaning(int number);

#endif
