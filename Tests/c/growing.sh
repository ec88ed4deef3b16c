#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions of growing.c, or of growing_others.c, for a number of objects and for four times as many.
# Fails if the second count is larger than n log n allows.
#
#   growing.sh PROGRAM [--print]
set -u
program=$1
command -v valgrind >/dev/null || { echo "there is no valgrind: instructions are not counted"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$(dirname -- "$0")/../../scripts/count-instructions" "$program" "$work" || exit 1
# Removes the lines of the harness.
grep -E '^[a-z-]+ [0-9]+$' "$work/lines" >"$work/sections"
# n log n allows a factor of 4 * log(2000) / log(500), which is 4.9.
wanted=$(sed -n 's/^operations: //p' "$work/lines")
paste -d ' ' "$work/sections" "$work/totals" | awk -v wanted="$wanted" '
    NF == 3 { if ($1 == last) {
                  ratio = $3 / total
                  over = ratio > 4.9 || total < few
                  printf "%-24s %9.0f %9.0f instructions each, %.2f times%s\n", $1, total / few, $3 / $2, ratio,
                      over ? "  TOO MANY" : ""
                  pairs++
                  missed += over
              }
              last = $1; few = $2; total = $3 }
    END { if (wanted == "" || pairs != wanted) { print "only " pairs + 0 " operations were counted"; exit 1 }
          exit missed > 0 }'
