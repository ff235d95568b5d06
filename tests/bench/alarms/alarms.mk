# SPDX-License-Identifier: Apache-2.0
# The alarm simulator: needs nothing but a processor, and about a minute. Its seeds come from the
# last commit that changed src/alarm, so that nobody can have tuned on them; what is not committed
# has none.
EXTRA_PROGRAMS += tests/bench/alarms/alarms
tests_bench_alarms_alarms_SOURCES = %D%/main.c %D%/chance.c %D%/chance.h %D%/detector.h \
	%D%/generate.c %D%/generate.h %D%/ours.c %D%/repository.c %D%/repository.h %D%/rivals.c \
	%D%/run.c %D%/run.h %D%/score.c %D%/score.h %D%/sha256.c %D%/sha256.h %D%/summary.c \
	%D%/summary.h
tests_bench_alarms_alarms_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/%D%
tests_bench_alarms_alarms_LDADD = libalarm.a libmodel.a libbase.a $(JANSSON_LIBS) -lm -lpthread

bench-alarms: tests/bench/alarms/alarms
	@test -z "$$(git -C $(top_srcdir) status --porcelain -- src/alarm)" || \
		{ echo 'src/alarm has changes that are not committed: no seeds to report on' >&2; exit 1; }
	tests/bench/alarms/alarms --commit="$$(git -C $(top_srcdir) log -1 --format=%H -- src/alarm)"

.PHONY: bench-alarms
