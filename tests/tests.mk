# SPDX-License-Identifier: Apache-2.0
# `make check`: unit tests and fuzz corpora. Integration and browser tests need root, devices and a
# browser: `make check-integration`, `make check-browser`; ./test.sh runs all of them.
#
# The tests of a folder below tests/unit are one program, `run`, and each of its files is a test of make's:
# `make check TESTS=tests/unit/base/test_buf.c`, or `tests/unit/base/run test_buf.c` for its output alone.
# A new file of tests mirrors the one in src, has TEST_MAIN(void) for its main, and is added to the list in
# its folder's tests.mk, which is all.
UNIT_TESTS =
UNIT_MAIN = tests/unit/main.c tests/unit/test.h
UNIT_CPPFLAGS = -I$(top_srcdir)/tests/unit $(CMOCKA_CFLAGS)

AM_CPPFLAGS += $(UNIT_CPPFLAGS)

if HAVE_CMOCKA
include tests/unit/base/tests.mk
include tests/unit/model/tests.mk
include tests/unit/alarm/tests.mk
include tests/unit/config/tests.mk
include tests/unit/probe/tests.mk
include tests/unit/wire/tests.mk
include tests/unit/store/tests.mk
include tests/unit/migration/tests.mk
include tests/unit/report/tests.mk
include tests/unit/supervise/tests.mk
include tests/unit/notify/tests.mk
include tests/unit/http/tests.mk
include tests/unit/core/tests.mk
include tests/unit/daemon/tests.mk
include tests/unit/cli/tests.mk
endif

EXTRA_DIST += tests/unit/json_real.h tests/unit/tap.sh

include tests/fuzz/fuzz.mk
include tests/fuse/fuse.mk
include tests/integration/integration.mk
include tests/browser/browser.mk
include tests/bench/bench.mk
include tests/slow/slow.mk
include tests/mutants/mutants.mk

TEST_EXTENSIONS = .c
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' CMOCKA_MESSAGE_OUTPUT=TAP \
	$(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/unit/tap.sh
C_LOG_DRIVER = $(LOG_DRIVER)
C_LOG_COMPILER = $(LOG_COMPILER)
TESTS += $(UNIT_TESTS)
