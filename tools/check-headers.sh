#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every header alone, included twice: it must bring all it needs and be guarded.
# Usage: check-headers.sh SOURCE-ROOT COMPILER [FLAG…]
set -eu
root=$1
shift
failed=0
for header in "$root"/src/*/*.h; do
	name=${header#"$root"/src/}
	printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
		"$@" -I"$root/src" -fsyntax-only -x c - || {
		echo "src/$name does not compile alone" >&2
		failed=1
	}
done
exit $failed
