# SPDX-License-Identifier: Apache-2.0
# `make check`: unit tests and fuzz corpora. Integration and browser tests need root, devices and a
# browser: `make check-integration`, `make check-browser`; ./test.sh runs all of them.
UNIT_TESTS =
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
include tests/unit/report/tests.mk
include tests/unit/supervise/tests.mk
include tests/unit/notify/tests.mk
include tests/unit/http/tests.mk
include tests/unit/daemon/tests.mk
include tests/unit/cli/tests.mk
endif

EXTRA_DIST += tests/unit/json_real.h tests/unit/test.h tests/unit/tap.sh

include tests/fuzz/fuzz.mk
include tests/fuse/fuse.mk
include tests/integration/integration.mk
include tests/browser/browser.mk
include tests/bench/bench.mk
include tests/slow/slow.mk
include tests/mutants/mutants.mk

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' CMOCKA_MESSAGE_OUTPUT=TAP \
	$(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/unit/tap.sh
TESTS += $(UNIT_TESTS)
