#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program that is compiled with the thread sanitizer has no report through the release library, with the suppressions that
# are installed for it. Races of the program are still reported.
#
#   sanitized.sh TREE FOLDER_OF_LIBRARY COMPILER...
set -u
tree=$1 library=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=77
for compiler; do
    command -v "$compiler" >/dev/null || continue
    echo 'int main(void) { return 0; }' >"$work/empty.c"
    # The runtime of the clang in a Swift toolchain needs libraries of that toolchain.
    runtime=''
    swift=$(dirname -- "$(command -v "$compiler")")/../lib/swift/linux
    [ ! -e "$swift/libdispatch.so" ] || runtime="-L $swift -ldispatch -lBlocksRuntime -Wl,-rpath,$swift"
    # The sanitizer needs addresses that some systems do not give with random layouts.
    # shellcheck disable=SC2086
    if ! "$compiler" -fsanitize=thread "$work/empty.c" -o "$work/empty" $runtime 2>/dev/null || ! setarch -R "$work/empty" 2>/dev/null; then
        echo "SKIPPED: $compiler has no thread sanitizer that runs here"
        continue
    fi
    [ $status = 1 ] || status=0
    # shellcheck disable=SC2086
    "$compiler" -g -O1 -pthread -fsanitize=thread -I "$tree/include" "$tree/Tests/c/debugging/sanitized.c" \
        -o "$work/program" -L "$library" -lpeal -Wl,-rpath,"$library" $runtime || exit 1
    TSAN_OPTIONS="exitcode=9:suppressions=$tree/scripts/tsan/tsan.supp"
    export TSAN_OPTIONS
    if setarch -R "$work/program" >"$work/out" 2>&1; then
        echo "ok: $compiler: no report through the library"
    else
        cat "$work/out"
        echo "NOT OK: $compiler: reports through the library"
        status=1
    fi
    setarch -R "$work/program" race >"$work/out" 2>&1
    if [ $? = 9 ] && grep -q 'data race.*in \(add\|use_a_queue\)' "$work/out"; then
        echo "ok: $compiler: a race of the program is reported"
    else
        cat "$work/out"
        echo "NOT OK: $compiler: a race of the program is not reported"
        status=1
    fi
done
exit $status
