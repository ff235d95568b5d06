#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Refuses files over 600 lines, functions over 80, files without licence and purpose, banned calls and
# marks of unfinished work. Usage: check-size.sh [SOURCE-ROOT]
set -eu
cd "${1:-.}"
failed=0
complain() {
	echo "$*" >&2
	failed=1
}

sources=$(find src tests -name '*.[ch]')
for file in $sources; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 600 ] || complain "$file: $lines lines; 600 are the limit"
	head -n 1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
		complain "$file: no SPDX line at the top"
	sed -n 2p "$file" | grep -q '^/\* ' || complain "$file: no purpose in the second line"
	long=$(awk '/^[a-z].*\(/ { name = $0 } /^\{/ { start = NR }
		/^\}/ { if (start && NR - start > 80) { sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
			printf "%s is %d lines; ", name, NR - start } start = 0 }' "$file")
	[ -z "$long" ] || complain "$file: ${long}80 are the limit"
done

banned='strcpy|strcat|sprintf|vsprintf|atoi|atol|strtol|strtoul|strtoull|strtok|gets|system|popen|alloca'
if grep -nE "(^|[^a-z_])($banned)\(" src/*/*.[ch]; then
	complain "banned calls (see docs/ARCHITECTURE.md)"
fi
# A whole VACUUM blocks the writer for minutes; pages are given back a few at a time.
if grep -nE '"[^"]*\bVACUUM\b' src/store/*.[ch]; then
	complain "VACUUM in a statement: use PRAGMA incremental_vacuum"
fi
if grep -nE '\b(TODO|FIXME|XXX)\b' -r src web tests tools etc --include='*.[ch]' --include='*.mjs' --include='*.py' --include='*.conf'; then
	complain "unfinished work must not be committed"
fi
exit $failed
