# SPDX-License-Identifier: Apache-2.0
# `make check-slow`: before a release, and by night; not in ./test.sh. PARTS="kills faults" chooses.
EXTRA_DIST += %D%/check-slow.sh %D%/threads.supp %D%/valgrind.supp

PARTS =

check-slow: all $(check_PROGRAMS)
	$(SHELL) $(top_srcdir)/tests/slow/check-slow.sh $(top_srcdir) . $(PARTS)

clean-local: clean-slow
clean-slow:
	rm -rf slow

.PHONY: check-slow clean-slow
