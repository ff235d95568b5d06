# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	%D%/bad_rows.c %D%/bad_rows.h \
	%D%/backup.c %D%/backup.h \
	%D%/bits.c %D%/bits.h \
	%D%/check_rows.c %D%/check_rows.h \
	%D%/code.c %D%/code.h \
	%D%/code_bins.c %D%/code_bins.h \
	%D%/database.c %D%/database.h \
	%D%/migration_1.c \
	%D%/migrations.c \
	%D%/opening.c %D%/opening.h \
	%D%/read_baseline.c \
	%D%/pool.c \
	%D%/queue.h \
	%D%/read_alarm.c \
	%D%/read_budget.c \
	%D%/read_group.c \
	%D%/read_heatmap.c \
	%D%/read_identity.c \
	%D%/read_incident.c \
	%D%/read_measured.c \
	%D%/read_mute.c \
	%D%/read_point.c \
	%D%/read_run.c \
	%D%/read_series.c \
	%D%/read_watched.c \
	%D%/reader.c %D%/reader.h \
	%D%/rescue.c %D%/rescue.h \
	%D%/retention.c %D%/retention.h \
	%D%/rollup.c %D%/rollup.h \
	%D%/schema.c %D%/schema.h \
	%D%/sql.c %D%/sql.h \
	%D%/store.h \
	%D%/tend.c %D%/tend.h \
	%D%/upkeep.c \
	%D%/window.c %D%/window.h \
	%D%/write.c %D%/write.h \
	%D%/write_alarm.c \
	%D%/write_identity.c \
	%D%/write_baseline.c \
	%D%/write_mute.c \
	%D%/write_run.c \
	%D%/writer.c %D%/writer.h \
	%D%/writer_thread.c
