# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/fuzz/fuzz_worker_note
FUZZ_TESTS += tests/fuzz/fuzz_worker_note
tests_fuzz_fuzz_worker_note_SOURCES = tests/fuzz/fuzz_worker_note.c $(FUZZ_MAIN)
tests_fuzz_fuzz_worker_note_LDADD = libmodel.a libbase.a
tests_fuzz_fuzz_worker_note_LDFLAGS = $(FUZZ_LINK_FLAGS)
EXTRA_DIST += tests/fuzz/corpus/worker_note
