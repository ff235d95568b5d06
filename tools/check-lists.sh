#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Refuses a source, script or test that no make fragment names: it would be missing in a release, or never
# run. Usage: check-lists.sh [SOURCE-ROOT]
set -eu
cd "${1:-.}"
failed=0
lists=$(find src tests tools web etc docs -name '*.mk')

# shellcheck disable=SC2086
cat $lists | tr -s '[:space:]' '\n' | sed 's|.*/||' | sort -u >"${TMPDIR:-/tmp}/check-lists.$$"
trap 'rm -f "${TMPDIR:-/tmp}/check-lists.$$"' EXIT
files=$(find src tests tools -name '*.[ch]' -o -name '*.py' -o -name '*.mjs' -o -name '*.sh' -o -name '*.supp')
for file in $files; do
	case $file in */node_modules/* | */__pycache__/*) continue ;; esac
	grep -qxF "$(basename "$file")" "${TMPDIR:-/tmp}/check-lists.$$" || {
		echo "$file: in no list of make; see the *.mk beside it" >&2
		failed=1
	}
done
exit $failed
