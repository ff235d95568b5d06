#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a test: a program, or a file of tests by the program that its folder is built to. cmocka says
# "not ok N # SKIP" of a skipped case, which TAP takes for a failure. Usage: tap.sh PROGRAM|FILE.c
set -eu
case $1 in
*.c) set -- "tests/unit/$(basename "$(dirname "$1")")/run" "$1" ;;
esac
exec 4>&1
code=$({ { "$@" && echo 0 >&3 || echo $? >&3; } |
	sed -u 's/^not ok \([0-9]* # SKIP\)/ok \1/' >&4; } 3>&1)
exit "$code"
