#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program that is compiled with the address or the leak sanitizer is looked into and checked for leaks at once: at its exit
# its inspection thread waits for clients. The library's memory is no leak, and one of the program is still reported.
#
#   leaks.sh TREE FOLDER_OF_LIBRARY FOLDER_OF_INSPECTION
set -u
tree=$1 library=$2 inspection=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export PEAL_INSPECT=1 XDG_RUNTIME_DIR="$work" LD_LIBRARY_PATH="$library:$inspection"
export ASAN_OPTIONS=exitcode=9:detect_leaks=1 LSAN_OPTIONS=exitcode=9
status=77
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for sanitizer in address leak; do
        echo 'int main(void) { return 0; }' >"$work/empty.c"
        if ! "$compiler" -fsanitize=$sanitizer "$work/empty.c" -o "$work/empty" 2>/dev/null || ! "$work/empty" 2>/dev/null; then
            echo "SKIPPED: $compiler has no $sanitizer sanitizer that runs here"
            continue
        fi
        [ $status = 1 ] || status=0
        "$compiler" -g -pthread -fsanitize=$sanitizer -I "$tree/include" "$tree/Tests/inspect/leaks.c" -o "$work/program" \
            -L "$library" -lpeal 2>"$work/out" || { cat "$work/out"; exit 1; }
        if "$work/program" >"$work/out" 2>&1 && grep -q inspected "$work/out"; then
            echo "ok: $compiler, $sanitizer: no report"
        else
            cat "$work/out"
            echo "NOT OK: $compiler, $sanitizer: the check for leaks fails"
            status=1
        fi
        "$work/program" leak >"$work/out" 2>&1
        if [ $? = 9 ] && grep -q '1000 byte(s) leaked' "$work/out"; then
            echo "ok: $compiler, $sanitizer: a leak of the program is reported"
        else
            cat "$work/out"
            echo "NOT OK: $compiler, $sanitizer: a leak of the program is not reported"
            status=1
        fi
    done
done
exit $status
