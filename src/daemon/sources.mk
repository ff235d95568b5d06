# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libdaemon.a
libdaemon_a_SOURCES = \
	%D%/control.c %D%/control.h \
	%D%/control_commands.c %D%/control_commands.h \
	%D%/control_peers.c %D%/control_peers.h \
	%D%/control_socket.c %D%/control_socket.h \
	%D%/daemon.c %D%/daemon.h \
	%D%/dispatch.c \
	%D%/launch.c %D%/launch.h \
	%D%/normal_query.c %D%/normal_query.h \
	%D%/options.c %D%/options.h \
	%D%/pipeline.c %D%/pipeline.h \
	%D%/process.c %D%/process.h \
	%D%/publish.c \
	%D%/question.c %D%/question.h \
	%D%/record.c %D%/record.h \
	%D%/reload.c %D%/reload.h \
	%D%/restore.c %D%/restore.h \
	%D%/sampler.c %D%/sampler.h \
	%D%/saver.c %D%/saver.h \
	%D%/stuck.c %D%/stuck.h \
	%D%/tend.c %D%/tend.h

sbin_PROGRAMS += repoprobed
repoprobed_SOURCES = %D%/main.c
repoprobed_LDADD = libdaemon.a libcore.a libhttp.a libnotify.a libreport.a libstore.a libsupervise.a \
	libwire.a libconfig.a libalarm.a libmodel.a libbase.a $(MHD_LIBS) $(SYSTEMD_LIBS) \
	$(SQLITE_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
