#!/bin/sh
# check.sh PART COMPILER OPTIONS...: compiles a file of this folder, and compares the outcome with the expected one.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
part=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $part in
mistakes)
    # The compiler compares its diagnostics with the comments of the file.
    exec "$@" -verify -verify-ignore-unrelated "$here/mistakes.swift"
    ;;
expansion)
    "$@" -parse-as-library -dump-macro-expansions "$here/expansion.swift" >"$work/printed" 2>&1
    diff -u "$here/expansion.txt" "$work/printed"
    ;;
unsupported)
    if "$@" "$here/unsupported.swift" >"$work/printed" 2>&1; then
        echo "a type without a C type was accepted"
        exit 1
    fi
    grep "error: type 'Day' does not conform to protocol 'PealParameter'" "$work/printed"
    grep "in expansion of macro 'PealProtocol' on protocol 'Calendar' here" "$work/printed"
    ;;
esac
