# SPDX-License-Identifier: Apache-2.0
# Every parser has a target here. Built plainly, a target replays its corpus (replay_main.c) and
# `make check` runs that; with ./configure CC=clang --enable-fuzzing it is a libFuzzer program:
#   ./tests/fuzz/fuzz_parse -max_total_time=60 tests/fuzz/corpus/parse
FUZZ_TESTS =
if FUZZING
FUZZ_MAIN =
FUZZ_LINK_FLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
else
FUZZ_MAIN = tests/fuzz/replay_main.c
FUZZ_LINK_FLAGS = $(AM_LDFLAGS)
endif

include tests/fuzz/parse.mk
include tests/fuzz/calendar.mk
include tests/fuzz/diskstats.mk
include tests/fuzz/mountstats.mk
include tests/fuzz/pressure.mk
include tests/fuzz/json.mk
include tests/fuzz/wire.mk
include tests/fuzz/config.mk
include tests/fuzz/histogram.mk
include tests/fuzz/code_histogram.mk
include tests/fuzz/query.mk
include tests/fuzz/escape.mk
include tests/fuzz/condition.mk
include tests/fuzz/custom.mk
include tests/fuzz/alarm_code.mk
include tests/fuzz/database.mk
include tests/fuzz/run.mk
include tests/fuzz/mute_time.mk
include tests/fuzz/worker_note.mk

TESTS += $(FUZZ_TESTS)
AM_TESTS_ENVIRONMENT = FUZZ_CORPUS='$(abs_top_srcdir)/tests/fuzz/corpus'; export FUZZ_CORPUS;
