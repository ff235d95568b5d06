#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What takes too long for every change: the thread sanitizer, valgrind, clang, 500 kills, faults again and again,
# each allocation that fails.
# Usage: check-slow.sh SOURCE-DIRECTORY BUILD-DIRECTORY [PART…]; `make check-slow` calls it. Works in BUILD-DIRECTORY/slow.
# Each part ends as passed, failed or skipped with the reason; any failure is the exit status.
set -u

source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
work=$build/slow
jobs=$(nproc)
rounds=${REPOPROBE_KILL_ROUNDS:-500}
repeats=${REPOPROBE_FAULT_REPEATS:-10}
fault_tests="test_bad_directories test_busy_database test_restart test_slow_repository test_permissions"
failed=0

# verdict PART passed|failed|skipped [WHY]
verdict() {
	echo "check-slow: $1: $2${3:+: $3}"
	[ "$2" != failed ] || failed=$((failed + 1))
}

# Runs a command with its output in a log, the end of which is shown when it fails.
logged() {
	part=$1
	shift
	"$@" >"$work/$part.log" 2>&1 && return 0
	grep -E '^(FAIL|ERROR|FAILED|not ok)|: (error|warning): |ThreadSanitizer' "$work/$part.log" | head -n 40
	tail -n 20 "$work/$part.log"
	verdict "$part" failed "see $work/$part.log"
	return 1
}

# configured PART [CONFIGURE-ARGUMENT…]: a build directory of its own, everything in it built
configured() {
	directory=$work/$1
	mkdir -p "$directory"
	shift
	cd "$directory" || return 1
	[ -f Makefile ] || "$source/configure" --enable-test-hooks "$@" || return 1
	make -s -j"$jobs" && make -s -j"$jobs" check TESTS=
}

checked() {
	# Sanitizers of threads want the address space that they were written for.
	setarch "$(uname -m)" -R make -C "$work/$1" -k check
}

threads() {
	command -v setarch >/dev/null || {
		verdict threads skipped "setarch is not installed"
		return
	}
	TSAN_OPTIONS="halt_on_error=1 suppressions=$source/tests/slow/threads.supp"
	export TSAN_OPTIONS
	logged threads configured threads --enable-sanitizers=thread &&
		logged threads checked threads && verdict threads passed "unit tests and corpora"
	unset TSAN_OPTIONS
}

# Rings and openat2 are beyond valgrind, and so are tests that measure time, start programs, change what they can
# see, have children that end without clearing up, or leave behind what does not end in a bounded time.
is_for_valgrind() {
	case $1 in
	*/test_engine* | */test_io | */test_probe | */test_examine | */test_prepare | */test_target) return 1 ;;
	*/test_layout | */test_extent | */test_process | */test_crash | */test_journal) return 1 ;;
	*/test_guard_call | */test_harmless | */test_notes | */test_server) return 1 ;;
	*/store/test_schema | */store/test_reader | */store/test_pool) return 1 ;;
	esac
}

# Descriptors that a program opened and left open, by valgrind's list of them at its end.
leaked() {
	awk '/Open file descriptor/ { getline origin; if (origin !~ /inherited from parent/) print $0 "\n" origin }' "$1"
}

memory_checked() {
	count=0
	bad=0
	for each in "$source"/tests/unit/*/test_*.c; do
		is_for_valgrind "${each%.c}" || continue
		program=$build/tests/unit/$(basename "$(dirname "$each")")/run
		count=$((count + 1))
		echo "== $each"
		CMOCKA_MESSAGE_OUTPUT=TAP valgrind -q --track-fds=yes --leak-check=full --error-exitcode=9 \
			--suppressions="$source/tests/slow/valgrind.supp" --log-file="$work/valgrind.log" "$program" "$each"
		code=$?
		cat "$work/valgrind.log"
		open=$(leaked "$work/valgrind.log")
		[ "$code" -eq 0 ] && [ -z "$open" ] && continue
		bad=$((bad + 1))
		echo "FAILED $each: exit status $code${open:+, left open: $open}"
	done
	[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
}

memory() {
	command -v valgrind >/dev/null || {
		verdict memory skipped "valgrind is not installed"
		return
	}
	if grep -q '^HARDENING_CFLAGS.*-fsanitize' "$build/Makefile"; then
		verdict memory skipped "this build has sanitizers of its own"
		return
	fi
	logged memory memory_checked &&
		verdict memory passed "$(grep -c '^== ' "$work/memory.log") unit tests under valgrind"
}

clang() {
	command -v clang >/dev/null || {
		verdict clang skipped "clang is not installed"
		return
	}
	logged clang configured clang --enable-werror CC=clang && logged clang checked clang &&
		verdict clang passed "no warning, unit tests and corpora"
}

tested() {
	REPOPROBE_BUILD=$build /usr/bin/python3 -m pytest -p no:cacheprovider -q -s "$@"
}

is_root() {
	[ "$(id -u)" -eq 0 ] && return 0
	verdict "$1" skipped "needs root"
	return 1
}

kills() {
	is_root kills || return
	REPOPROBE_KILL_ROUNDS=$rounds
	export REPOPROBE_KILL_ROUNDS
	logged kills tested "$source/tests/integration/test_kill.py" && verdict kills passed "$rounds rounds"
	grep REPOPROBE_SEED "$work/kills.log"
}

repeated() {
	files=
	for each in $fault_tests; do
		files="$files $source/tests/integration/$each.py"
	done
	(
		REPOPROBE_LOCK_SECONDS=30
		export REPOPROBE_LOCK_SECONDS
		tested "$source/tests/integration/test_busy_database.py"
	) || return 1
	for each in $(seq "$repeats"); do
		echo "== $each"
		# shellcheck disable=SC2086
		tested $files || return 1
	done
}

faults() {
	is_root faults || return
	logged faults repeated && verdict faults passed "$repeats times: $fault_tests"
}

shortages() {
	is_root shortages || return
	REPOPROBE_FAIL_ALL=1
	export REPOPROBE_FAIL_ALL
	logged shortages tested "$source/tests/integration/test_short_memory.py" &&
		verdict shortages passed "each allocation and descriptor failed in turn"
	unset REPOPROBE_FAIL_ALL
}

[ $# -gt 0 ] || set -- threads memory clang kills faults shortages
mkdir -p "$work"
for part in "$@"; do
	case $part in
	threads | memory | clang | kills | faults | shortages) "$part" ;;
	*)
		echo "check-slow: there is no part $part (threads memory clang kills faults shortages)" >&2
		exit 2
		;;
	esac
done
[ "$failed" -eq 0 ]
