#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands for gdb, in a call of an observer: gdb.sh PROGRAM SCRIPT CALLER. CALLER is a function that the backtrace
# reaches through the library.
command -v gdb >/dev/null || { echo "there is no gdb"; exit 77; }
# Versions of gdb without support for all registers of a processor cannot call functions of any program on it.
called=$(gdb -q -batch -iex "set auto-load no" -ex "break stop_here" -ex "run" -ex "print (int) getppid() > 0" "$1" 2>&1)
case "$called" in
    *"extended state status"*) echo "gdb cannot call functions of a program on this processor"; exit 77 ;;
esac
shown=$(gdb -q -batch -iex "set auto-load no" -ex "set breakpoint pending on" -ex "source $2" -ex "break stop_here" \
    -ex "run" -ex "backtrace" -ex "print chat.protocol" -ex "peal queues" -ex "peal observers chat.on_message" \
    -ex "peal observers chat.protocol" -ex "peal protocols" -ex "continue" "$1" 2>&1)
failures=0
expect() {
    printf '%s\n' "$shown" | grep -Eq "$1" || { echo "missing: $1"; failures=1; }
}
expect 'hear \(self='
expect ' in ResultCalls.runWithFrame \(closure\)| in [A-Z][A-Za-z]+\.[a-z][A-Za-z]+'
expect " in $3 "
expect '= peal_protocol 0x[0-9a-f]+'
expect 'queue 0x[0-9a-f]+: "main loop", pumped, 1 waiting, 0 delivered'
expect 'target 0x[0-9a-f]+ \(cellar.*priority 3 queue 0x'
expect 'target 0x[0-9a-f]+ \(hall'
expect '^2 observers'
expect '^protocol Chat: 2 observers'
expect 'exited normally'
[ $failures -eq 0 ] || printf '%s\n' "$shown"
exit $failures
