#!/bin/sh
# no_shadowing.sh <swiftc>: a Swift program that imports Glibc has all of libc, whatever modules the compiler made with this
# project's search paths before. Clang caches a module by its name and not by its search paths, so one header of ours under
# the name of a libc header would replace it for every later program, also for the users of the SwiftPM package.
set -eu
cd "$(dirname -- "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/program.swift" <<'SWIFT'
import Glibc
var waited = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
_ = poll(&waited, 1, 0)
_ = memcmp(&waited, &waited, 8)
_ = link("", "")
SWIFT
# compile OPTION...: with the one cache that all compilations of this test share.
compile() {
    compiler=$1
    shift
    "$compiler" -swift-version 6 -module-cache-path "$work/cache" -typecheck "$work/program.swift" "$@"
}
folders=''
for folder in include Sources/*/include Sources/CFFI Sources/CPealEmbedded; do
    [ -d "$folder" ] && folders="$folders -Xcc -I$PWD/$folder"
done
# shellcheck disable=SC2086
compile "$1" $folders || { echo "libc is incomplete beside the headers in$folders"; exit 1; }
compile "$1" || { echo "libc is incomplete after a compilation with$folders"; exit 1; }
