# SPDX-License-Identifier: Apache-2.0
# Benchmarks compare side by side in one run and fail when a bound is missed. Results and commands:
# docs/benchmarks.md. Needs fio and python3; takes about ten minutes.
EXTRA_DIST += %D%/bench.py %D%/engine.py %D%/soak.py

bench: all
	$(MAKE) $(AM_MAKEFLAGS) tests/fuse/delayfs
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/engine.py
	$(MAKE) $(AM_MAKEFLAGS) bench-soak

# 50 repositories, 10,000 runs without I/O (REPOPROBE_SOAK_RUNS): some four minutes. Needs --enable-test-hooks.
bench-soak: all
	REPOPROBE_BUILD='$(abs_top_builddir)' /usr/bin/python3 -B $(top_srcdir)/tests/bench/soak.py

.PHONY: bench bench-soak
