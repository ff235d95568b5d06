# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libsupervise.a
libsupervise_a_SOURCES = \
	%D%/explain.c \
	%D%/life.c \
	%D%/notes.c %D%/notes.h \
	%D%/process.c \
	%D%/spawner.c %D%/spawner.h \
	%D%/reading.c %D%/reading.h \
	%D%/supervise.h
