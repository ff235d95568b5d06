# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/code.c %D%/code.h \
	%D%/database.c %D%/database.h \
	%D%/migration_1.c \
	%D%/migration_2.c \
	%D%/migration_3.c \
	%D%/migration_4.c \
	%D%/read_baseline.c \
	%D%/pool.c \
	%D%/queue.h \
	%D%/read_alarm.c \
	%D%/read_budget.c \
	%D%/read_identity.c \
	%D%/read_incident.c \
	%D%/read_mute.c \
	%D%/read_run.c \
	%D%/read_series.c \
	%D%/reader.c %D%/reader.h \
	%D%/schema.c %D%/schema.h \
	%D%/sql.c %D%/sql.h \
	%D%/store.h \
	%D%/write.c %D%/write.h \
	%D%/write_alarm.c \
	%D%/write_identity.c \
	%D%/write_baseline.c \
	%D%/write_mute.c \
	%D%/write_run.c \
	%D%/writer.c
