/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence that accompanies a negative errno when the number is not enough. */
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

/* Puts "PREFIX: " before the sentence. Returns `r`. */
int error_prefix(struct error *e, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* N of a sentence that begins with "column N: ", counted from 1; 0: it has no column. */
size_t error_column(const char *sentence);

/* The symbolic name of a positive errno ("EIO"; also kernel-internal numbers above 511 that file
 * systems leak, "ENOTSUPP"), or "EUNKNOWN"; never NULL. */
const char *errno_name(int number);

/* Whether a positive errno means that memory or descriptors ran out, which is nobody's fault and
 * temporary. */
bool errno_is_shortage(int number);

/* The C library's sentence for a positive errno, thread-safe; never NULL. */
const char *errno_text(int number);

/* The likely cause of a file system's errno and what to do about it: "stale file handle: …; mount
 * the file system anew". NULL: errno_text is sufficient. */
const char *errno_meaning(int number);

#endif
