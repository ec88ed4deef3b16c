#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs programs under valgrind's memcheck, and fails if it reports an error or memory that is definitely lost. There is
# no suppression file, because users' runs must be free of reports about the library too.
#
#   memcheck.sh (PROGRAM FILE)...
set -u
command -v valgrind >/dev/null || { echo "there is no valgrind"; exit 77; }
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
export PEAL_CHECK_SECONDS=200
while [ $# -gt 0 ]; do
    # Without fair scheduling, a thread that spins may keep the others from running.
    if ! valgrind -q --fair-sched=try --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        "$1" "$2" >"$log" 2>&1; then
        echo "$2:"
        cat "$log"
        exit 1
    fi
    shift 2
done
