# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libnotify.a
libnotify_a_SOURCES = \
	%D%/journal.c %D%/journal.h \
	%D%/notify.c %D%/notify.h
