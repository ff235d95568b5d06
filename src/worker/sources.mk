# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libworker.a
libworker_a_SOURCES = \
	%D%/worker.c %D%/worker.h

pkglibexec_PROGRAMS += repoprobe-worker
repoprobe_worker_SOURCES = %D%/main.c
repoprobe_worker_LDADD = libworker.a libprobe.a libwire.a libmodel.a libbase.a \
	$(URING_LIBS)
