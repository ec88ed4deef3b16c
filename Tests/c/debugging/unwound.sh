#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gdb finds the caller of each callback: unwound.sh PROGRAM. The program calls stop_here in each callback.
#
# Claims: V10
command -v gdb >/dev/null || { echo "there is no gdb"; exit 77; }
commands=$(mktemp) || exit 1
trap 'rm -f "$commands"' EXIT
cat >"$commands" <<'END'
set pagination off
set backtrace limit 64
break stop_here
commands
silent
echo == stopped\n
backtrace
continue
end
run
END
gdb -q -batch -iex "set auto-load no" -x "$commands" "$1" 2>&1 | awk '
    function end_walk() { if (stops > 0 && !reached) { failed++; printf "%s", walk } }
    /^== stopped/ { end_walk(); stops++; reached = 0; walk = ""; next }
    { walk = walk $0 "\n" }
    / main \(/ || / (start_thread|clone3|clone) \(/ { reached = 1 }
    /exited normally/ { exited = 1 }
    END {
        end_walk()
        printf "%d callbacks, %d of them without a caller\n", stops, failed
        if (!exited) printf "%s", walk
        exit !(stops >= 60 && failed == 0 && exited)
    }'
