# SPDX-License-Identifier: Apache-2.0
# `make check-mutants`: breaks each rule of src/probe/guard.c once, in a copy of the one file, and
# expects the unit test that is named beside it to fail. Nothing in the tree is changed.
EXTRA_DIST += %D%/mutants.conf %D%/run.py

MUTANT_TESTS = tests/unit/probe/run tests/unit/model/run

check-mutants: $(MUTANT_TESTS)
	$(MAKE) -n --no-print-directory mutant-compile >mutant-compile.tmp
	$(MAKE) -n --no-print-directory mutant-link >mutant-link.tmp
	$(MAKE) -n --no-print-directory mutant-libraries >mutant-libraries.tmp
	/usr/bin/python3 $(srcdir)/tests/mutants/run.py $(srcdir) .

# What the compiler and the linker are called; only printed, which needs no quoting.
mutant-compile:
	$(COMPILE)

mutant-link:
	$(LINK)

mutant-libraries:
	$(PROBE_TEST_LIBS) $(LIBS)

CLEANFILES += mutant-compile.tmp mutant-link.tmp mutant-libraries.tmp

.PHONY: check-mutants mutant-compile mutant-link mutant-libraries
