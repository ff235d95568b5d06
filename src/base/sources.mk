# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	%D%/buf.c %D%/buf.h \
	%D%/clock.c %D%/clock.h \
	%D%/compress.c %D%/compress.h \
	%D%/decimal.c %D%/decimal.h \
	%D%/error.c %D%/error.h \
	%D%/fd.c %D%/fd.h \
	%D%/format.c \
	%D%/hash.c %D%/hash.h \
	%D%/json.c %D%/json.h \
	%D%/log.c %D%/log.h \
	%D%/parse.c %D%/parse.h \
	%D%/parse_instant.c \
	%D%/parse_units.c \
	%D%/utf8.c %D%/utf8.h
