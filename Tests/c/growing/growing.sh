#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions of growing.c, or of a program like it, for a number of objects and for four times as many.
# Fails if the second count is larger than the operation's limit allows.
#
#   growing.sh PROGRAM FILE
set -u
program=$1
shift
command -v valgrind >/dev/null || { echo "there is no valgrind: instructions are not counted"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$(dirname -- "$0")/../../../scripts/count-instructions" "$program" "$work" "$@" || exit 1
# The claims, and then the sections without the other lines of the harness.
grep -E '^[A-Z][0-9]+: ' "$work/lines"
grep -E '^[a-z-]+ [0-9]+ [0-9]+$' "$work/lines" >"$work/sections"
wanted=$(sed -n 's/^operations: //p' "$work/lines")
paste -d ' ' "$work/sections" "$work/totals" | awk -v wanted="$wanted" '
    NF == 4 { if ($1 == last) {
                  ratio = $4 / total
                  over = ratio * 100 > $3 || total < few
                  printf "%-26s %9.0f %9.0f instructions each, %.2f times of %.2f%s\n", $1, total / few, $4 / $2, ratio,
                      $3 / 100, over ? "  TOO MANY" : ""
                  pairs++
                  missed += over
              }
              last = $1; few = $2; total = $4 }
    END { if (wanted == "" || pairs != wanted) { print "only " pairs + 0 " operations were counted"; exit 1 }
          exit missed > 0 }'
