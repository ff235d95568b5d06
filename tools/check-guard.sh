#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Refuses calls in src/probe and src/worker that could change a repository's file system, outside the
# one file that has the rules for them. Usage: check-guard.sh [SOURCE-ROOT]
set -eu
cd "${1:-.}"

home=src/probe/guard_call.c
changing='unlink|unlinkat|remove|rmdir|mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|link|linkat|symlink'
changing="$changing|symlinkat|truncate|ftruncate|fallocate|posix_fallocate|creat|chmod|fchmod|fchmodat|chown|fchown"
changing="$changing|fchownat|lchown|utime|utimes|utimensat|futimens|setxattr|fsetxattr|lsetxattr|removexattr"
changing="$changing|fremovexattr|copy_file_range|sendfile|splice|mount|umount|umount2|fopen|freopen|mkstemp|mkdtemp"
changing="$changing|flock|lockf|openat2|fd_replace_file|fd_make_directories"

# Each call of open and openat as one line; it must say that it only reads, or only finds.
opens() {
	awk '/(^|[^a-z_0-9.>])open(at)?\(/ { collecting = 1; text = ""; line = FNR }
		collecting { text = text " " $0 }
		collecting && /;/ { print FILENAME ":" line ":" text; collecting = 0 }' "$@"
}

failed=0
complain() {
	echo "$*" >&2
	failed=1
}

files=
for file in src/probe/*.[ch] src/worker/*.[ch]; do
	[ "$file" = "$home" ] || files="$files $file"
done
# shellcheck disable=SC2086
if grep -nE "(^|[^a-z_0-9.>])($changing)\(|SYS_openat2" $files; then
	complain "only $home may change a repository's file system"
fi
# shellcheck disable=SC2086
if opens $files | grep -v '"/dev/null"' | grep -vE 'O_RDONLY|O_PATH' ||
	opens $files | grep -v '"/dev/null"' | grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE'; then
	complain "only $home may open for writing"
fi
[ -e "$home" ] || complain "$home: not there"
exit $failed
