# SPDX-License-Identifier: Apache-2.0
# The tests' own file system with settable delay.
if HAVE_FUSE
check_PROGRAMS += tests/fuse/delayfs
tests_fuse_delayfs_SOURCES = %D%/delayfs.c
tests_fuse_delayfs_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
tests_fuse_delayfs_LDADD = $(FUSE_LIBS)
endif
