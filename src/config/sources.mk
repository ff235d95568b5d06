# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = \
	%D%/config.c %D%/config.h \
	%D%/daily.c %D%/daily.h \
	%D%/ini.c %D%/ini.h \
	%D%/issues.c %D%/issues.h \
	%D%/listen.c %D%/listen.h \
	%D%/load.c \
	%D%/mutes.c %D%/mutes.h \
	%D%/override.c \
	%D%/places.c \
	%D%/read.c \
	%D%/resolve.c %D%/resolve.h \
	%D%/resolve_alarms.c \
	%D%/silence.c \
	%D%/resolve_bounds.c \
	%D%/resolve_probe.c \
	%D%/schema.c %D%/schema.h \
	%D%/schema_keys.c \
	%D%/show.c \
	%D%/source.c %D%/source.h \
	%D%/value.c %D%/value.h
