# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libprobe.a
libprobe_a_SOURCES = \
	%D%/alignment.c %D%/alignment.h \
	%D%/block.c \
	%D%/bypass.c %D%/bypass.h \
	%D%/cache.c %D%/cache.h \
	%D%/clear.c %D%/clear.h \
	%D%/compression.c %D%/compression.h \
	%D%/device.c %D%/device.h \
	%D%/directory.c %D%/directory.h \
	%D%/engine.c %D%/engine.h \
	%D%/examine.c %D%/examine.h \
	%D%/examine_access.c \
	%D%/examine_direct.c \
	%D%/examine_history.c \
	%D%/examine_uring.c \
	%D%/examiner.h \
	%D%/extent.c %D%/extent.h \
	%D%/examine.c %D%/examine.h \
	%D%/examine_access.c \
	%D%/examine_direct.c \
	%D%/examine_history.c \
	%D%/examine_uring.c \
	%D%/examiner.h \
	%D%/fault.c %D%/fault.h \
	%D%/fresh.c %D%/fresh.h \
	%D%/fs_uuid.c %D%/fs_uuid.h \
	%D%/growth.c %D%/growth.h \
	%D%/guard.c %D%/guard.h \
	%D%/guard_call.c \
	%D%/header.c %D%/header.h \
	%D%/holdings.c %D%/holdings.h \
	%D%/io.c %D%/io.h \
	%D%/io_threads.c \
	%D%/io_uring.c \
	%D%/kind.h \
	%D%/lane.c %D%/lane.h \
	%D%/layout.c %D%/layout.h \
	%D%/mount_owner.c %D%/mount_owner.h \
	%D%/null.c \
	%D%/observe.c %D%/observe.h \
	%D%/offsets.c %D%/offsets.h \
	%D%/pace.c %D%/pace.h \
	%D%/payload.c %D%/payload.h \
	%D%/place.c %D%/place.h \
	%D%/prepare.c %D%/prepare.h \
	%D%/privilege.c %D%/privilege.h \
	%D%/probe.c %D%/probe.h \
	%D%/random.h \
	%D%/rig.c %D%/rig.h \
	%D%/setup.c %D%/setup.h \
	%D%/split.c %D%/split.h \
	%D%/sysfs.c %D%/sysfs.h \
	%D%/tally.c %D%/tally.h \
	%D%/target.c %D%/target.h \
	%D%/trust.c %D%/trust.h
