# SPDX-License-Identifier: Apache-2.0
# Benchmarks compare side by side in one run and fail when a bound is missed. Results and commands:
# docs/benchmarks.md. Needs fio and python3; takes about ten minutes.
EXTRA_DIST += %D%/bench.py %D%/engine.py %D%/history.py \
	%D%/memory.py %D%/soak.py

EXTRA_PROGRAMS += tests/bench/history
tests_bench_history_SOURCES = %D%/history.c
tests_bench_history_LDADD = libstore.a libmodel.a libbase.a $(SQLITE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm

include tests/bench/alarms/alarms.mk

bench: all
	$(MAKE) $(AM_MAKEFLAGS) tests/fuse/delayfs
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/engine.py
	$(MAKE) $(AM_MAKEFLAGS) bench-soak

# 50 repositories, 10,000 runs without I/O (REPOPROBE_SOAK_RUNS): some four minutes. Needs --enable-test-hooks.
bench-soak: all
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/soak.py

# Resident memory with 1, 50 and 100 repositories: about two minutes. Needs --enable-test-hooks.
bench-memory: all
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/memory.py

# Makes a history of two years and reads it; beside VictoriaMetrics where that is installed.
bench-history: all
	$(MAKE) $(AM_MAKEFLAGS) tests/bench/history
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/history.py

.PHONY: bench bench-history bench-memory bench-soak
