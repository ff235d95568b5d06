# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcore.a
libcore_a_SOURCES = \
	%D%/admission.c %D%/admission.h \
	%D%/core.c %D%/core.h \
	%D%/custom_alarms.c %D%/custom_alarms.h \
	%D%/exclusion.c %D%/exclusion.h \
	%D%/grouping.c %D%/grouping.h \
	%D%/incidents.c %D%/incidents.h \
	%D%/ledger.c %D%/ledger.h \
	%D%/normal.c %D%/normal.h \
	%D%/outbox.c %D%/outbox.h \
	%D%/plan.c %D%/plan.h \
	%D%/present.c %D%/present.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/seen.c %D%/seen.h \
	%D%/verdict.c %D%/verdict.h
