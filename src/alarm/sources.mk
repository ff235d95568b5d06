# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libalarm.a
libalarm_a_SOURCES = %D%/alarm.c %D%/alarm.h %D%/condition.c %D%/condition.h \
	%D%/mute_time.c %D%/mute_time.h
