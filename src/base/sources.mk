# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	%D%/buf.c %D%/buf.h \
	%D%/calendar.c %D%/calendar.h \
	%D%/calendar_form.c %D%/calendar_form.h \
	%D%/calendar_parse.c \
	%D%/clock.c %D%/clock.h \
	%D%/compress.c %D%/compress.h \
	%D%/date.c %D%/date.h \
	%D%/decimal.c %D%/decimal.h \
	%D%/error.c %D%/error.h \
	%D%/fd.c %D%/fd.h \
	%D%/format.c \
	%D%/hash.c %D%/hash.h \
	%D%/hook.c %D%/hook.h \
	%D%/json.c %D%/json.h \
	%D%/log.c %D%/log.h \
	%D%/log_queue.c %D%/log_queue.h \
	%D%/parse.c %D%/parse.h \
	%D%/parse_instant.c \
	%D%/parse_units.c \
	%D%/utf8.c %D%/utf8.h \
	%D%/zone.c %D%/zone.h %D%/zone_data.h \
	%D%/zone_open.c \
	%D%/zone_rule.c %D%/zone_rule.h \
	%D%/zone_tzif.c
