/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for error numbers, and the names of the numbers. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/utf8.h"

#define COLUMN_MAX 65536

static void set_text(struct error *e, const char *text)
{
	size_t len = utf8_cut(text, sizeof(e->text) - 1);

	memcpy(e->text, text, len);
	e->text[len] = '\0';
	(void)utf8_clean_line(e->text); /* the length is not needed */
}

int error_set(struct error *e, int r, const char *format, ...)
{
	char text[ERROR_TEXT_MAX +
		8]; /* longer than the field, so that the cut sees whole characters */
	va_list ap;

	if (!e)
		return r;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap); /* a long sentence is cut */
	va_end(ap);
	set_text(e, text);
	return r;
}

int error_prefix(struct error *e, int r, const char *format, ...)
{
	char text[2 * ERROR_TEXT_MAX + 8];
	va_list ap;

	if (!e)
		return r;
	va_start(ap, format);
	(void)vsnprintf(text, ERROR_TEXT_MAX, format, ap); /* a long sentence is cut */
	va_end(ap);
	size_t len = strlen(text);
	(void)snprintf(text + len, sizeof(text) - len, ": %s", e->text);
	set_text(e, text);
	return r;
}

/* Kernel-internal numbers that file systems (mainly NFS) leak to programs. */
static const struct {
	int number;
	const char *name;
} kernel_names[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 516, "ERESTART_RESTARTBLOCK" },
	{ 521, "EBADHANDLE" },
	{ 522, "ENOTSYNC" },
	{ 523, "EBADCOOKIE" },
	{ 524, "ENOTSUPP" },
	{ 525, "ETOOSMALL" },
	{ 526, "ESERVERFAULT" },
	{ 527, "EBADTYPE" },
	{ 528, "EJUKEBOX" },
	{ 529, "EIOCBQUEUED" },
};

size_t error_column(const char *sentence)
{
	static const char prefix[] = "column ";
	char digits[24] = "";
	uint64_t column = 0;

	if (strncmp(sentence, prefix, strlen(prefix)) != 0)
		return 0;
	sentence += strlen(prefix);
	size_t len = strspn(sentence, "0123456789");
	if (len >= sizeof(digits) || sentence[len] != ':')
		return 0;
	memcpy(digits, sentence, len);
	return parse_uint(digits, 1, COLUMN_MAX, &column, NULL) < 0 ? 0 : (size_t)column;
}

const char *errno_name(int number)
{
	const char *name = number > 0 ? strerrorname_np(number) : NULL;

	if (name)
		return name;
	for (size_t i = 0; i < sizeof(kernel_names) / sizeof(kernel_names[0]); i++) {
		if (kernel_names[i].number == number)
			return kernel_names[i].name;
	}
	return "EUNKNOWN";
}

bool errno_is_shortage(int number)
{
	return number == ENOMEM || number == EMFILE || number == ENFILE;
}

const char *errno_text(int number)
{
	const char *text = strerrordesc_np(number);

	return text ? text : "Unknown error";
}

const char *errno_meaning(int number)
{
	static const struct {
		int number;
		const char *text;
	} meanings[] = {
		{ EROFS, "the file system is read-only" },
		{ ENOSPC, "no space left on the file system" },
		{ EDQUOT, "the disk quota is used up" }, { EACCES, "permission denied" },
		{ EPERM, "not permitted" },
		{ EIO, "input/output error: the disk or the server failed" },
		{ ESTALE,
			"stale file handle: the server no longer knows it; remount the "
			"file system" },
		{ ENOTCONN, "the process that serves this file system is gone; remount it" },
		{ ENODATA, "the file became shorter while it was read" },
		{ ECANCELED, "the run was stopped before it ended" },
		{ ENOLCK, "the file system grants no locks" },
		{ EUCLEAN, "the file system is damaged; check it" },
		{ ENODEV, "the device is gone" }, { ENXIO, "the device is gone" },
		{ ETIMEDOUT, "the server does not answer" }, { EHOSTDOWN, "the server is down" },
		{ EHOSTUNREACH, "the server cannot be reached" },
		{ EREMCHG, "another file took its name meanwhile" }, /* our own: guard.h */
	};

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].number == number)
			return meanings[i].text;
	return NULL;
}
