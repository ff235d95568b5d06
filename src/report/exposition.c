/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines of Prometheus' text format. */
#include "report/exposition.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/utf8.h"

#define MSEC_DIGITS 3

void exposition_family(struct exposition *x, const char *name, const char *type, const char *help)
{
	x->name = name;
	x->type = type;
	x->help = help;
	x->is_begun = false;
}

void exposition_sample(struct exposition *x, const char *suffix)
{
	if (!x->is_begun)
		buf_printf(
			x->b, "# HELP %s %s\n# TYPE %s %s\n", x->name, x->help, x->name, x->type);
	x->is_begun = true;
	x->has_label = false;
	buf_add_text(x->b, x->name);
	buf_add_text(x->b, suffix);
}

static void begin_label(struct exposition *x, const char *name)
{
	buf_printf(x->b, "%c%s=\"", x->has_label ? ',' : '{', name);
	x->has_label = true;
}

static void add_escaped(struct buf *b, const char *value)
{
	while (*value) {
		bool is_valid;
		size_t len = utf8_next(value, &is_valid);

		if (!is_valid)
			buf_add_text(b, "\xef\xbf\xbd");
		else if (*value == '\n')
			buf_add_text(b, "\\n");
		else if (*value == '"' || *value == '\\')
			buf_printf(b, "\\%c", *value);
		else
			buf_add(b, value, len);
		value += len;
	}
}

void exposition_label(struct exposition *x, const char *name, const char *value)
{
	begin_label(x, name);
	add_escaped(x->b, value);
	buf_add_char(x->b, '"');
}

void exposition_label_integer(struct exposition *x, const char *name, uint64_t value)
{
	begin_label(x, name);
	buf_printf(x->b, "%" PRIu64 "\"", value);
}

/* value × 10^-digits, without trailing zeros. */
static void add_decimal(struct buf *b, uint64_t value, unsigned digits)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	uint64_t fraction = value % unit;
	buf_printf(b, " %" PRIu64, value / unit);
	if (fraction == 0)
		return;
	for (; fraction % 10 == 0; digits--)
		fraction /= 10;
	buf_printf(b, ".%0*" PRIu64, (int)digits, fraction);
}

static void end_labels(struct exposition *x)
{
	if (x->has_label)
		buf_add_char(x->b, '}');
}

void exposition_value(struct exposition *x, uint64_t value, unsigned digits)
{
	end_labels(x);
	add_decimal(x->b, value, digits);
	buf_add_char(x->b, '\n');
}

void exposition_value_at(struct exposition *x, uint64_t value, unsigned digits, uint64_t msec)
{
	end_labels(x);
	add_decimal(x->b, value, digits);
	add_decimal(x->b, msec, MSEC_DIGITS);
	buf_add_char(x->b, '\n');
}
