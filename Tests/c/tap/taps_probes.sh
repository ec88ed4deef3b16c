#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The USDT probes of the library: taps_probes.sh LIBRARY PROGRAM
#
# The notes of the library name the probes. A debugger that attaches to a probe sees as many events as the program
# causes, and none without PEAL_PROBES. Skipped where the library was built without sys/sdt.h.
#
# Claims: V9
set -eu
library=$1
program=$2

fail() {
    echo "taps_probes.sh: $1"
    exit 1
}

notes=$(readelf -n "$library")
case $notes in
    *"Provider: peal"*) ;;
    *)
        echo "the library has no probes: systemtap-sdt-dev was not installed when it was built"
        exit 77
        ;;
esac
for probe in broadcast call enqueue; do
    echo "$notes" | grep -q "Name: $probe\$" || fail "no note names the probe $probe"
done
echo "$notes" | grep -A1 "Name: call\$" | grep -Eq "Semaphore: 0x0*[1-9a-f]" || fail "the probe call has no semaphore"
"$program" >/dev/null || fail "the program fails without a tracer"
PEAL_PROBES=1 "$program" >/dev/null || fail "the program fails with PEAL_PROBES=1"

command -v gdb >/dev/null 2>&1 || exit 0
# hits VALUE: the counts of the three probes in a run with PEAL_PROBES=VALUE.
hits() {
    PEAL_PROBES=$1 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set confirm off' -ex 'break main' -ex run \
        -ex 'break -probe-stap peal:broadcast' -ex 'break -probe-stap peal:call' -ex 'break -probe-stap peal:enqueue' \
        -ex 'ignore 2 100' -ex 'ignore 3 100' -ex 'ignore 4 100' -ex continue -ex 'info breakpoints' "$program" 2>&1
}
seen=$(hits 1)
case $seen in
    *"6 calls"*) ;;
    *"ptrace"* | *"personality"* | *"Cannot"*) exit 0 ;; # a system without debugging
    *) fail "the debugger did not run the program: $seen" ;;
esac
[ "$(echo "$seen" | grep -c 'already hit 3 times')" = 2 ] || fail "not 3 broadcasts and 3 enqueued calls: $seen"
[ "$(echo "$seen" | grep -c 'already hit 6 times')" = 1 ] || fail "not 6 calls: $seen"
[ "$(hits 'None' | grep -c 'already hit [2-9]')" = 0 ] || fail "a probe fired for a method outside the filter"
[ "$(hits '' | grep -c 'already hit [2-9]')" = 0 ] || fail "a probe fired without PEAL_PROBES"
