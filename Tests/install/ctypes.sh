#!/bin/sh
# A Python program through ctypes.
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "there is no python3"
must python3 -B "$consumer/program.py" "$PEAL_TREE/$PEAL_LIBDIR/libpeal.so.$PEAL_SOVERSION"
exit "$problems"
