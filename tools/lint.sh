#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-format, clang-tidy, cppcheck and shellcheck over the whole tree; any finding fails.
# Usage: lint.sh SOURCE-ROOT BUILD-DIRECTORY
set -eu
root=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
cd "$root"
sources=$(ls src/*/*.c)
all=$(find src tests -name '*.[ch]')
scripts="tools/*.sh tests/*/*.sh web/*.sh test.sh quickstart.sh"
[ ! -e .ci/run ] || scripts="$scripts .ci/run" # not in a release
jobs=$(nproc)

echo "lint: clang-format"
# shellcheck disable=SC2086
clang-format --dry-run --Werror $all

echo "lint: shellcheck"
# shellcheck disable=SC2086
shellcheck $scripts

flags="-std=gnu11 -D_GNU_SOURCE -I$root/src -I$root/tests/unit -include $build/config.h
	-DLIBEXECDIR=\"/l\" -DSYSCONFDIR=\"/e\" -DLOCALSTATEDIR=\"/v\""

echo "lint: cppcheck"
# shellcheck disable=SC2086
cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j "$jobs" -I src \
	--include="$build/config.h" --enable=warning,portability --suppress=missingIncludeSystem \
	--suppress=normalCheckLevelMaxBranches $sources

echo "lint: clang-tidy"
# shellcheck disable=SC2016,SC2086
printf '%s\n' $sources | xargs -P "$jobs" -n 1 sh -c '
	flags=$0
	clang-tidy --quiet "$@" -- $flags 2>&1 | grep -v "warnings\{0,1\} generated\|^Suppressed\|^Use -header" >"/tmp/tidy.$$" || true
	if [ -s "/tmp/tidy.$$" ]; then cat "/tmp/tidy.$$"; rm -f "/tmp/tidy.$$"; exit 255; fi
	rm -f "/tmp/tidy.$$"' "$flags"
