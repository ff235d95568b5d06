# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	%D%/section.c %D%/section.h \
	%D%/section_device.c \
	%D%/wire.h \
	%D%/wire_examination.c \
	%D%/wire_job.c \
	%D%/wire_result.c
