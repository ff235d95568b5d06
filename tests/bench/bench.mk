# SPDX-License-Identifier: Apache-2.0
# Benchmarks compare side by side in one run and fail when a bound is missed. Results and commands:
# docs/benchmarks.md. Needs fio and python3; takes about ten minutes.
EXTRA_DIST += %D%/bench.py %D%/engine.py

include tests/bench/alarms/alarms.mk

bench: all
	$(MAKE) $(AM_MAKEFLAGS) tests/fuse/delayfs
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/engine.py

.PHONY: bench
