#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program in C++ that is compiled with the address and undefined-behaviour sanitizers has no report in the headers when it
# is optimized.
#
#   sanitized_cxx.sh TREE FOLDER_OF_LIBRARY COMPILER...
set -u
tree=$1 library=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=77
for compiler; do
    command -v "$compiler" >/dev/null || continue
    echo 'int main() { return 0; }' >"$work/empty.cpp"
    if ! "$compiler" -fsanitize=address,undefined "$work/empty.cpp" -o "$work/empty" 2>/dev/null || ! "$work/empty" 2>/dev/null; then
        echo "SKIPPED: $compiler has no address sanitizer that runs here"
        continue
    fi
    [ $status = 1 ] || status=0
    for optimization in -O1 -O2; do
        "$compiler" -std=c++17 -g "$optimization" -pthread -fsanitize=address,undefined -fno-sanitize-recover=all \
            -I "$tree/include" "$tree/Tests/c/debugging/sanitized_cxx.cpp" -o "$work/program" -L "$library" -lpeal \
            -Wl,-rpath,"$library" || exit 1
        if "$work/program" >"$work/out" 2>&1; then
            echo "ok: $compiler $optimization: no report"
        else
            cat "$work/out"
            echo "NOT OK: $compiler $optimization: a report"
            status=1
        fi
    done
done
exit $status
