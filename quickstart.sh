#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the build needs, builds into build/, and watches the given directories (or a demo one)
# in the foreground until Ctrl-C. A second start reuses the build.
# Usage: ./quickstart.sh [DIR…]      REPOPROBE_LISTEN=ADDRESS:PORT changes the dashboard's address.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
build=$root/build
packages="gcc make autoconf automake autoconf-archive pkg-config liburing-dev libmicrohttpd-dev
	libsqlite3-dev libsystemd-dev libjansson-dev zlib1g-dev libjs-chart.js"

say() {
	echo "quickstart: $*"
}

die() {
	say "$*" >&2
	exit 1
}

missing_packages() {
	for package in $packages; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
			printf '%s ' "$package"
	done
}

install_packages() {
	missing=$(missing_packages)
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null || die "apt is not available; install these packages first: $missing"
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || die "root (or sudo) is needed to install: $missing"
		as_root=sudo
	fi
	say "installing $missing"
	mkdir -p "$build"
	log=$build/apt.log
	$as_root apt-get update -qq >"$log" 2>&1 || say "package lists not refreshed (see $log)"
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		$missing >>"$log" 2>&1 && return 0
	for package in $(missing_packages); do
		apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' ||
			die "package $package is not available from this machine's package sources"
	done
	die "packages not installed: $(missing_packages)(see $log)"
}

build_program() {
	mkdir -p "$build"
	log=$build/build.log
	: >"$log"
	if [ ! -x "$root/configure" ]; then
		say "preparing"
		(cd "$root" && autoreconf -i) >>"$log" 2>&1 || die "autoreconf failed, see $log"
	fi
	if [ ! -f "$build/Makefile" ]; then
		say "configuring"
		(cd "$build" && "$root/configure") >>"$log" 2>&1 || die "configure failed, see $log"
	fi
	[ -x "$build/repoprobed" ] || say "building (about a minute)"
	make -C "$build" -s -j"$(nproc)" >>"$log" 2>&1 || die "build failed, see $log"
}

# NAME=PATH for each directory: its last component, numbered when it comes twice.
repository_name() {
	name=$(basename "$1" | tr '/,]' '___')
	count=2
	unique=$name
	while printf '%s\n' "$names" | grep -qxF "$unique"; do
		unique=$name-$count
		count=$((count + 1))
	done
	names="$names
$unique"
}

install_packages
build_program

if [ $# -eq 0 ]; then
	mkdir -p "$build/demo-repository"
	set -- "$build/demo-repository"
fi
names=
remaining=$#
while [ "$remaining" -gt 0 ]; do
	case $1 in
	/*) path=$1 ;;
	*) path=$PWD/$1 ;;
	esac
	shift
	repository_name "$path"
	set -- "$@" --repository "$unique=$path"
	remaining=$((remaining - 1))
done

if [ -n "${REPOPROBE_LISTEN:-}" ]; then
	set -- "$@" --listen "$REPOPROBE_LISTEN"
fi
address=${REPOPROBE_LISTEN:-127.0.0.1:9847}
say "Ctrl-C stops; history is kept in $build/state"
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
	say "from another machine: ssh -L 9847:$address $(hostname), then open http://127.0.0.1:9847/"
fi
exec "$build/repoprobed" --foreground \
	--state-directory "$build/state" "$@"
