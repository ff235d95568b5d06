#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests need and runs them all: unit tests and fuzz corpora, mutants, lint, integration
# and browser tests, the same again under the address and undefined-behaviour sanitizers, distcheck.
# Ends with one line "N passed, N failed, N skipped". Usage: ./test.sh [STAGE…]
set -u

root=$(cd "$(dirname "$0")" && pwd)
cd "$root" || exit 1
work=$root/build-test
logs=$work/logs
jobs=$(nproc)
passed=0
failed=0
skipped=0
started=
build_packages="gcc make autoconf automake autoconf-archive pkg-config liburing-dev libmicrohttpd-dev
	libsqlite3-dev libsystemd-dev libjansson-dev zlib1g-dev libjs-chart.js libcmocka-dev libfuse3-dev"
test_packages="fuse3 python3 python3-pytest prometheus chromium nodejs clang clang-format clang-tidy
	cppcheck shellcheck strace mandoc fio sqlite3 btrfs-progs e2fsprogs xfsprogs mount util-linux procps
	systemd tzdata xz-utils"

say() {
	echo "== $*"
}

count() {
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
	say "$4: $1 passed, $2 failed, $3 skipped"
}

# Starts a stage that is one test by itself, at the lowest priority. NAME is a word.
start() {
	name=$1
	shift
	{
		begin=$(date +%s)
		nice -n 19 "$@" >"$logs/$name.log" 2>&1
		code=$?
		echo $(($(date +%s) - begin)) >"$logs/$name.seconds"
		exit $code
	} &
	eval "pid_$name=$!"
	started="$started $name"
}

# Waits for all that was started; the output of what failed is shown.
finish() {
	for name in $started; do
		if eval "wait \$pid_$name"; then
			count 1 0 0 "$name"
		else
			tail -n 60 "$logs/$name.log"
			count 0 1 0 "$name"
		fi
		say "$name took $(cat "$logs/$name.seconds") s"
	done
	started=
}

install_packages() {
	missing=
	for package in $build_packages $test_packages; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			missing="$missing $package"
	done
	if ! command -v npm >/dev/null; then
		missing="$missing npm"
	fi
	[ -n "$missing" ] || return 0
	say "installing$missing"
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root=sudo
	$as_root apt-get update -qq
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		$missing >"$logs/apt.log" 2>&1 || {
		tail -n 20 "$logs/apt.log"
		say "packages not installed:$missing"
		exit 1
	}
}

# build DIRECTORY [CONFIGURE-OPTION…]
build() {
	directory=$1
	shift
	mkdir -p "$directory"
	(cd "$directory" && { [ -f Makefile ] || "$root/configure" --enable-werror --enable-test-hooks "$@"; } &&
		make -s -j"$jobs" && make -s -j"$jobs" check TESTS=) >"$logs/build.log" 2>&1 || {
		tail -n 60 "$logs/build.log"
		count 0 1 0 "build in $directory"
		return 1
	}
}

# Unit tests and corpora: automake's summary is counted.
unit() {
	make -C "$1" -k -j"$jobs" check >"$logs/unit.log" 2>&1
	code=$?
	p=$(sed -n 's/^# PASS: *//p' "$logs/unit.log" | tail -n 1)
	f=$(sed -n 's/^# FAIL: *//p' "$logs/unit.log" | tail -n 1)
	e=$(sed -n 's/^# ERROR: *//p' "$logs/unit.log" | tail -n 1)
	s=$(sed -n 's/^# SKIP: *//p' "$logs/unit.log" | tail -n 1)
	bad=$((${f:-0} + ${e:-0}))
	if [ $code -ne 0 ]; then
		grep -E '^(not ok|FAIL|ERROR)|error:|\*\*\*' "$logs/unit.log" | tail -n 40
		[ $bad -gt 0 ] || bad=1
	fi
	count "${p:-0}" $bad "${s:-0}" "$2"
}

# Sums "N WORD" over the last lines of logs.
sum_of() {
	word=$1
	shift
	for log in "$@"; do
		tail -n 1 "$log"
	done | grep -oE "[0-9]+ ($word)" | awk '{ n += $1 } END { print n + 0 }'
}

# Integration tests against the programs in a build directory: two files at a time, as most tests wait,
# the big ones first. A file of which all is left out under sanitizers ends with 5.
integration() {
	each=$logs/integration
	rm -rf "$each"
	mkdir "$each"
	# shellcheck disable=SC2011,SC2012,SC2016
	ls -S tests/integration/test_*.py | REPOPROBE_BUILD=$1 xargs -P 2 -n 1 sh -c '
		name=$(basename "$1" .py)
		log=$0/$name.log
		begin=$(date +%s)
		/usr/bin/python3 -m pytest -p no:cacheprovider -q -rs "$1" >"$log" 2>&1
		code=$?
		echo "$(($(date +%s) - begin)) s $name" >>"$0/seconds"
		[ $code -eq 0 ] || [ $code -eq 5 ] || echo "$log" >>"$0/failed"' "$each"
	p=$(sum_of passed "$each"/*.log)
	s=$(sum_of skipped "$each"/*.log)
	bad=$(sum_of 'failed|error' "$each"/*.log)
	if [ -e "$each/failed" ]; then
		while read -r log; do
			grep -vE '^\.+ *\[' "$log" | tail -n 120
		done <"$each/failed"
		[ "$bad" -gt 0 ] || bad=1
	fi
	grep -h '^SKIPPED' "$each"/*.log
	say "the slowest files:"
	sort -rn "$each/seconds" | head -n 10
	count "$p" "$bad" "$s" "$2"
}

browser() {
	make -C "$1" check-browser >"$logs/browser.log" 2>&1
	code=$?
	p=$(sed -n 's/^# pass \([0-9]*\)/\1/p; s/^ℹ pass \([0-9]*\)/\1/p' "$logs/browser.log" | tail -n 1)
	f=$(sed -n 's/^# fail \([0-9]*\)/\1/p; s/^ℹ fail \([0-9]*\)/\1/p' "$logs/browser.log" | tail -n 1)
	s=$(sed -n 's/^# skipped \([0-9]*\)/\1/p; s/^ℹ skipped \([0-9]*\)/\1/p' "$logs/browser.log" | tail -n 1)
	bad=$((${f:-0}))
	if [ $code -ne 0 ] || [ "${p:-0}" -eq 0 ]; then
		tail -n 80 "$logs/browser.log"
		[ $bad -gt 0 ] || bad=1
	fi
	count "${p:-0}" $bad "${s:-0}" "browser tests"
}

stage() {
	case $1 in
	unit) build "$work/plain" && unit "$work/plain" "unit tests and fuzz corpora" ;;
	# These need the processor and write next to nothing: they run beside the stages that follow,
	# whose tests mostly wait.
	mutants) start mutants make -C "$work/plain" -s check-mutants ;;
	lint) start lint make -C "$work/plain" lint ;;
	integration) integration "$work/plain" "integration tests" ;;
	browser) browser "$work/plain" ;;
	sanitizers)
		build "$work/sanitizers" --enable-sanitizers || return
		unit "$work/sanitizers" "unit tests under sanitizers"
		integration "$work/sanitizers" "integration tests under sanitizers"
		;;
	distcheck)
		finish
		start distcheck make -C "$work/plain" -j"$jobs" distcheck
		finish
		;;
	*)
		say "unknown stage $1 (unit mutants lint integration browser sanitizers distcheck)"
		exit 2
		;;
	esac
}

mkdir -p "$logs"
install_packages
if [ ! -x configure ]; then
	autoreconf -fi >"$logs/autoreconf.log" 2>&1 || {
		cat "$logs/autoreconf.log"
		exit 1
	}
fi
[ $# -gt 0 ] || set -- unit mutants lint integration browser sanitizers distcheck
for each in "$@"; do
	say "$each"
	begin=$(date +%s)
	stage "$each"
	case " $started " in
	*" $each "*) say "$each goes on beside what follows" ;;
	*) say "$each took $(($(date +%s) - begin)) s" ;;
	esac
done
finish
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
