#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# running.sh PEAL SLOW: what the command `peal` shows of calls that began before it, and of the child of a fork.
#
# Claims: V11, I1
set -u
peal=$1 slow=$2
work=$(mktemp -d) || exit 1
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
failures=0
trap 'exec 9>&-; rm -rf "$work"' EXIT

# expect SENTENCE FILE PATTERN
expect() {
    if grep -q -- "$3" "$work/$2"; then
        echo "ok: $1"
    else
        failures=$((failures + 1))
        echo "NOT OK: $1: no $3 in"
        head -40 "$work/$2"
    fi
}
# start [ARGUMENT]: the program, which ends with file 9.
start() {
    rm -f "$work/input" "$work/ready"
    mkfifo "$work/input"
    PEAL_INSPECT=1 "$slow" "$@" <"$work/input" >"$work/ready" 2>&1 &
    pid=$!
    exec 9>"$work/input"
    tries=0
    until grep -qs ready "$work/ready" || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
}

start
call='running: Work.on_slow by observer of Work (the bottleneck), on thread [0-9]* (peal:'
"$peal" tree "$pid" >"$work/out" 2>&1
expect "tree has the running call, with its observer and its thread" out "^$call"
expect "at the first look the time of the call is not known" out "^$call.*first seen now"
"$peal" tree "$pid" >"$work/out" 2>&1
expect "at the next look it is known for how long it has run at least" out "^$call.*, for at least [0-9.]* [mu]*s"
"$peal" top "$pid" >"$work/out" 2>&1
expect "top has a call that began before the command" out "$call.*, for at least "
"$peal" monitor --count 2 "$pid" >"$work/out" 2>&1
expect "monitor begins with the calls that run" out "^$call"
expect "monitor prints a pointer with its address" out 'Work.on_fast(at: (const void \*) 0x[0-9a-f]'
exec 9>&-
wait "$pid"

start fork
wait "$pid"
child=$(sed 's/ready //' "$work/ready")
"$peal" tree "$child" >"$work/out" 2>"$work/err"
expect "tree of the child of a fork names the fork" err 'the child of a fork'
expect "tree of the child of a fork names the remedy" err 'peal_inspection_start()'
[ $failures = 0 ]
