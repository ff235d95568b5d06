# SPDX-License-Identifier: Apache-2.0
dist_man_MANS = %D%/man/repoprobe.1 %D%/man/repoprobe.conf.5 %D%/man/repoprobed.8
EXTRA_DIST += %D%/dashboard.png %D%/ARCHITECTURE.md %D%/alarms.md %D%/http.md %D%/benchmarks.md %D%/history.md \
	%D%/decisions/0001-slots-on-a-realtime-grid.md %D%/decisions/0002-growth-inside-runs.md \
	%D%/decisions/0003-messages-of-the-journal.md \
	%D%/decisions/0004-calendar-slots-follow-realtime.md \
	%D%/decisions/0005-budget-and-exclusion.md \
	%D%/decisions/0006-alarms-beside-the-specification.md
