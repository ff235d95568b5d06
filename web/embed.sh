#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Turns the page's files into one C file that holds them, each as it is and gzipped:
#   embed.sh OUTPUT.c WORK_DIRECTORY INDEX.html CHARTJS FILE…
# All but the index lie under one folder that is named by a hash over them, so that browsers may keep
# them for ever; only the index, hashed too, knows the hash (@HASH@). Same input, same output.
set -eu

output=$1
work=$2
index=$3
chartjs=$4
shift 4

rm -rf "$work"
mkdir -p "$work"
for file; do
	cp "$file" "$work/"
done
cp "$chartjs" "$work/chart.min.js"
cat "$index" >"$work/index.html" # not cp: a copy of a read-only file could not be rewritten
hash=$(cd "$work" && LC_ALL=C && export LC_ALL && sha256sum -- * | sha256sum | cut -c 1-16)
sed "s/@HASH@/$hash/g" "$index" >"$work/index.html"

{
	printf '/* Made by web/embed.sh. */\n#include "http/assets.h"\n\n#include <stddef.h>\n'
	for path in "$work"/*; do
		name=${path##*/}
		symbol=asset_$(printf '%s' "$name" | tr -c 'a-zA-Z0-9' '_')
		gzip -9nc "$path" >"$path.gz"
		for part in "$symbol:$path" "${symbol}_gzip:$path.gz"; do
			s=${part%%:*}
			printf '\nextern const unsigned char %s[], %s_end[];\n' "$s" "$s"
			printf '__asm__(".pushsection .rodata\\n.balign 16\\n.globl %s\\n%s:\\n"\n' "$s" "$s"
			printf '\t".incbin \\"%s\\"\\n.globl %s_end\\n%s_end:\\n.byte 0\\n.popsection\\n");\n' \
				"${part#*:}" "$s" "$s"
		done
	done
	printf '\nconst char assets_hash[] = "%s";\n\nconst struct asset assets[] = {\n' "$hash"
	for path in "$work"/*.gz; do
		name=${path##*/}
		name=${name%.gz}
		symbol=asset_$(printf '%s' "$name" | tr -c 'a-zA-Z0-9' '_')
		printf '\t{ "%s", %s, %s_end, %s_gzip, %s_gzip_end },\n' \
			"$name" "$symbol" "$symbol" "$symbol" "$symbol"
	done
	printf '\t{ NULL, NULL, NULL, NULL, NULL },\n};\n'
} >"$output.new"
mv "$output.new" "$output"
