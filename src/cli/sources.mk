# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/check.c %D%/check.h \
	%D%/cli.c %D%/cli.h \
	%D%/command_ack.c \
	%D%/command_backup.c \
	%D%/command_check.c \
	%D%/command_config.c \
	%D%/command_database.c \
	%D%/command_doctor.c \
	%D%/command_export.c \
	%D%/command_help.c \
	%D%/command_incidents.c \
	%D%/command_init.c \
	%D%/command_mute.c \
	%D%/command_presets.c \
	%D%/command_probe_now.c \
	%D%/command_rebaseline.c \
	%D%/command_reload.c \
	%D%/command_rule.c \
	%D%/command_run.c \
	%D%/command_runs.c \
	%D%/command_show.c \
	%D%/command_status.c \
	%D%/commands.c %D%/commands.h \
	%D%/config_places.c %D%/config_places.h \
	%D%/control_client.c %D%/control_client.h \
	%D%/daemon_state.c %D%/daemon_state.h \
	%D%/daemon_user.c %D%/daemon_user.h \
	%D%/format_option.c %D%/format_option.h \
	%D%/init_remove.c %D%/init_remove.h \
	%D%/help.c %D%/help.h \
	%D%/history.c %D%/history.h \
	%D%/options.c %D%/options.h \
	%D%/place.c %D%/place.h \
	%D%/replay.c %D%/replay.h \
	%D%/replay_show.c %D%/replay_show.h \
	%D%/progress.c %D%/progress.h \
	%D%/run_once.c %D%/run_once.h \
	%D%/run_options.c %D%/run_options.h \
	%D%/run_watch.c %D%/run_watch.h \
	%D%/status.c %D%/status.h \
	%D%/table.c %D%/table.h

bin_PROGRAMS += repoprobe
repoprobe_SOURCES = %D%/main.c
repoprobe_LDADD = libcli.a libsupervise.a libwire.a libstore.a libreport.a libconfig.a libalarm.a \
	libmodel.a libbase.a $(SQLITE_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
