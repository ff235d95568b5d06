#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Refuses an #include that the design's table of layers does not allow, and a library header outside
# its one home. Usage: check-layers.sh [SOURCE-ROOT]
set -eu
cd "${1:-.}"

# folder: the folders it may include besides itself
layers='
base:
model: base
alarm: base model
config: base model alarm
probe: base model
wire: base model
store: base model
report: base model
supervise: base model wire
worker: base model wire probe
notify: base model report
core: base model alarm config report
http: base model report store
daemon: base model alarm config core wire store report supervise notify http
cli: base model alarm config wire store report supervise
'
# header pattern: the folders that are its home
homes='
jansson.h: base
zlib.h: base
liburing.h: probe
sqlite3.h: store
microhttpd.h: http
curl/: notify
systemd/sd-journal.h: notify
systemd/sd-event.h: daemon
systemd/sd-daemon.h: daemon
'

failed=0
complain() {
	echo "$*" >&2
	failed=1
}

for directory in src/*/; do
	layer=$(basename "$directory")
	allowed=$(printf '%s' "$layers" | sed -n "s/^$layer://p")
	printf '%s' "$layers" | grep -q "^$layer:" || complain "src/$layer: no such layer in the table"
	for file in "$directory"*.[ch]; do
		[ -e "$file" ] || continue
		included=$(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u)
		for target in $included; do
			case " $layer $allowed " in
			*" $target "*) ;;
			*) complain "$file: $layer may not include $target" ;;
			esac
		done
		bare=$(sed -n 's/^#include "\([^/"]*\)"$/\1/p' "$file")
		[ -z "$bare" ] || complain "$file: \"$bare\" must be included with its folder"
	done
done

strays=$(printf '%s' "$homes" | while IFS=: read -r header folders; do
	[ -n "$header" ] || continue
	grep -l "^#include <$header" src/*/*.[ch] | while read -r file; do
		layer=$(basename "$(dirname "$file")")
		case " $folders " in
		*" $layer "*) ;;
		*) echo "$file: <$header> belongs to$folders" ;;
		esac
	done
done)
[ -z "$strays" ] || complain "$strays"
exit $failed
